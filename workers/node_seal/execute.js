// A program executed over a backend: every sample of every operation, and the outputs.

import { collect, cpu, timed, wall } from "./clock.js";
import { callingLibrary } from "./refusal.js";

const UNARY = ["neg", "square", "relinearize", "rescale", "drop", "swap_rows"];

/** Runs a program. `key` decrypts; `mark` is called where a phase begins. */
export class Runner {
  constructor(backend, program, inputs, key, options, mark) {
    Object.assign(this, { backend, program, key, options, mark });
    this.size = 1 + Math.max(-1, ...program.operations.map((o) => o.out));
    const kept = new Set(options.checkInputs ? program.inputs.flatMap((p) => p.values) : []);
    this.steps = program.operations.map((o) => ({
      out: o.out,
      phase: o.action === "encrypt" ? "encrypt" : "evaluate",
      frees: o.frees.filter((x) => !kept.has(x)),
      step: bound(o, backend, program, inputs),
    }));
  }

  /** Warm-ups, then repetitions until both their number and the time are reached. */
  run(plan, progress) {
    const found = { samples: [], decrypts: [], outputs: [], noise: [] };
    const fewest = plan.warmup + plan.repetitions;
    let start = wall();
    for (let done = 0; done < fewest || wall() - start < plan.minSeconds; ) {
      const once = this.once(done);
      done += 1;
      if (done <= plan.warmup) start = wall();
      else this.keep(found, once);
      progress(done, Math.max(done, fewest));
    }
    return found;
  }

  once(repetition) {
    const values = Array(this.size).fill(null);
    try {
      const samples = this.evaluate(values, repetition);
      this.mark("decrypt", repetition);
      const [outputs, decrypt] = timed(() => this.decrypted(this.program.outputs, values));
      this.mark("other", repetition);
      const after = this.options.checkInputs ? this.decrypted(this.program.inputs, values) : [];
      const noise = this.options.noise ? this.noise(values) : [];
      return { samples, decrypt, outputs, after, noise };
    } finally {
      values.forEach((x) => x?.delete());
    }
  }

  keep(found, { samples, decrypt, outputs, after, noise }) {
    found.samples.push(samples);
    found.decrypts.push(decrypt);
    found.after = after;
    for (const [kept, made] of [[found.outputs, outputs], [found.noise, noise]]) {
      if (!this.options.everyOutput) kept.length = 0;
      kept.push(made);
    }
  }

  /** (cpu, wall) seconds of each operation. */
  evaluate(values, repetition) {
    const samples = new Float64Array(2 * this.steps.length);
    collect();
    let phase = "";
    this.steps.forEach((o, at) => {
      if (o.phase !== phase) this.mark((phase = o.phase), repetition);
      const doing = `operation ${at} (${this.program.operations[at].action})`;
      callingLibrary(doing, () => {
        const w0 = wall();
        const c0 = cpu();
        const made = o.step(values);
        const c1 = cpu();
        const w1 = wall();
        values[o.out] = made;
        samples[2 * at] = c1 - c0;
        samples[2 * at + 1] = w1 - w0;
      });
      for (const freed of o.frees) {
        values[freed].delete();
        values[freed] = null;
      }
    });
    return samples;
  }

  /** The rows of each of `wanted`. */
  decrypted(wanted, values) {
    return callingLibrary("decrypt", () =>
      wanted.map((p) => [p.name, p.values.map((v) => this.backend.decrypt(values[v], this.key))]),
    );
  }

  /** The noise of each output. */
  noise(values) {
    return callingLibrary("noise", () =>
      this.program.outputs.map((p) => [p.name, p.values.map((v) => this.backend.noise(values[v]))]),
    );
  }
}

/** The operation as a function of the values alone, so that the loop has nothing left to decide. */
function bound(o, backend, program, inputs) {
  const { level } = o;
  const method = backend[o.action].bind(backend);
  if (o.action === "encrypt") {
    const data = inputs.get(o.source)[o.chunk];
    return () => method(data, level);
  }
  const [x, y] = o.args;
  if (o.args.length === 2) return (values) => method(values[x], values[y], level);
  if (UNARY.includes(o.action)) return (values) => method(values[x], level);
  const plain = o.action === "rotate" ? o.steps : program.plains.get(o.plain);
  const operand = plain?.data ?? plain;
  return (values) => method(values[x], operand, level);
}

/** [cpu, wall] of each repetition, summed over the encryptions or over everything else. */
export function phase(samples, program, encryption) {
  return samples.map((one) => {
    const sums = [0, 0];
    program.operations.forEach((o, i) => {
      if ((o.action === "encrypt") !== encryption) return;
      sums[0] += one[2 * i];
      sums[1] += one[2 * i + 1];
    });
    return sums;
  });
}
