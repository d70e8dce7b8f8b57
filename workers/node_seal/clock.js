// The clocks of samples, and the collection of garbage between them.


/**
 * How CPU time is taken. Node tells that of a thread from version 23.9 on. Before that it is that of the process:
 * V8 is started with --single-threaded, so that nothing but this thread does work.
 */
export const CPU_CLOCK = typeof process.threadCpuUsage === "function" ? "thread" : "process";
const used = CPU_CLOCK === "thread" ? () => process.threadCpuUsage() : () => process.cpuUsage();

/** CPU seconds, in microseconds' steps. */
export function cpu() {
  const { user, system } = used();
  return (user + system) * 1e-6;
}

/** Wall seconds. */
export function wall() {
  return performance.now() * 1e-3;
}

/** [what `action` returns, [cpu, wall] seconds that it took]. */
export function timed(action) {
  const w0 = wall();
  const c0 = cpu();
  const made = action();
  const c1 = cpu();
  const w1 = wall();
  return [made, [c1 - c0, w1 - w0]];
}

/** Collects garbage now, so that it is not collected within a sample. */
export function collect() {
  globalThis.gc?.(); // with --expose-gc
}
