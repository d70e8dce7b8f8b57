// Where the phases of a run begin: the clock and what the system has counted at each boundary.

import { readSync } from "node:fs";

const PHASES = ["context", "keygen", "encrypt", "evaluate", "decrypt", "other"];
export const UNKNOWN = -1;
const OWN = 8; // columns before those of the events
const EVENT_BYTES = 24; // value, nanoseconds enabled, nanoseconds running (perf_event_open(2))

/** A mark that keeps nothing, for runs that are not watched. */
export function unmarked() {}

/** Keeps a row for each call of `mark`. `events` are file descriptors of the kernel's counters. */
export class Marks {
  constructor(events) {
    this.events = events;
    this.rows = [];
    this.mark = (phase, repetition) => this.rows.push(...this.row(phase, repetition));
  }

  row(phase, repetition) {
    const { user, system } = process.cpuUsage();
    const used = process.resourceUsage();
    const own = [
      PHASES.indexOf(phase), repetition, process.hrtime.bigint(), 1000 * (user + system), used.minorPageFault,
      used.majorPageFault, used.voluntaryContextSwitches, used.involuntaryContextSwitches,
    ];
    return [...own.map(BigInt), ...this.events.flatMap(reading)];
  }

  /** [data, shape] with the columns that the protocol names. */
  get array() {
    const width = OWN + 3 * this.events.length;
    return [BigInt64Array.from(this.rows), [this.rows.length / width, width]];
  }
}

/** A counter's value, and for how long it was enabled and counted; unknown where it cannot be read. */
function reading(event) {
  const bytes = Buffer.alloc(EVENT_BYTES);
  try {
    if (readSync(event, bytes, 0, EVENT_BYTES, null) === EVENT_BYTES) {
      return [0, 8, 16].map((at) => bytes.readBigInt64LE(at));
    }
  } catch {
    // closed, or of another kind
  }
  return Array(3).fill(BigInt(UNKNOWN));
}
