// Resident memory of this process: V8's heap and the linear memory of WebAssembly, which never shrinks.

import { readFileSync, writeFileSync } from "node:fs";
import { collect } from "./clock.js";

const RESET_PEAK = "5"; // what the kernel takes as "VmHWM := VmRSS" (proc(5))

/** Gives back what earlier requests left behind, and starts the peak anew where the kernel allows. */
export function settle() {
  collect();
  try {
    writeFileSync("/proc/self/clear_refs", RESET_PEAK);
  } catch {
    // the peak is then that of the whole process: an upper bound
  }
}

/** Bytes now. */
export function resident() {
  return field("VmRSS") ?? process.memoryUsage.rss();
}

/** Bytes at most since `settle`. */
export function peak() {
  return field("VmHWM") ?? process.resourceUsage().maxRSS * 1024;
}

function field(name) {
  try {
    const found = new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(readFileSync("/proc/self/status", "latin1"));
    return found === null ? null : Number(found[1]) * 1024;
  } catch {
    return null; // not Linux
  }
}
