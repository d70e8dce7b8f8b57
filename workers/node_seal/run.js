// `describe` and `run` requests, from their parameters to their replies.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { actions, open } from "./backend.js";
import { timed } from "./clock.js";
import { Runner, phase } from "./execute.js";
import { Marks, UNKNOWN, unmarked } from "./marks.js";
import * as memory from "./memory.js";
import { save } from "./npy.js";
import { Refusal, UNSUPPORTED, callingLibrary, reading } from "./refusal.js";
import { check, readCounters, readInputs, readOptions, readPlan, readProgram } from "./request.js";

const NO_SIZES = {
  ciphertext: null, public_key: null, secret_key: null, relinearization_key: null, rotation_keys: null,
  rotation_key_count: 0,
};

/** The fields of `described`. */
export function describe(seal, message) {
  const parameters = reading("request", () => given(message.parameters));
  const backend = callingLibrary("context", () => open(seal, parameters));
  try {
    return callingLibrary("context", () => backend.describe());
  } finally {
    backend.close();
  }
}

/** The fields of `measured`. */
export function run(seal, message, progress) {
  const request = read(message);
  const marks = request.counters === null ? null : new Marks(request.counters);
  const mark = marks?.mark ?? unmarked;
  memory.settle();
  const used = { baseline_bytes: memory.resident() };
  mark("context", UNKNOWN);
  const [backend, context] = timed(() => opened(seal, request.parameters, request.program));
  try {
    mark("other", UNKNOWN);
    used.context_bytes = memory.resident();
    const keygens = keygen(backend, request.plan, progress, mark);
    used.keys_bytes = memory.resident();
    const found = execute(backend, request, progress, mark);
    used.peak_bytes = memory.peak();
    return {
      ...backend.describe(),
      ...saved(found, request),
      ...savedMarks(marks, request.folder),
      phases: { context: [context], keygen: keygens, ...phases(found, request.program) },
      memory: used,
      threads: 1, // JavaScript has no other
      sizes: request.options.sizes ? sizes(backend, request) : NO_SIZES,
    };
  } finally {
    backend.close();
  }
}

/** The request, or a refusal: whatever can be seen to be wrong is seen before anything runs. */
function read(message) {
  const request = reading("request", () => ({
    parameters: given(message.parameters),
    folder: given(message.folder),
    inputs: given(message.inputs),
    options: readOptions(message.options),
    program: readProgram(given(message.program)),
    plan: readPlan(message.plan),
    counters: readCounters(message),
  }));
  const { program, options } = request;
  check(program, actions(program.scheme, program.automatic));
  if (options.noise && program.scheme === "ckks") {
    throw new Refusal(UNSUPPORTED, "CKKS keeps its noise within the message: compare what it decrypts to");
  }
  return { ...request, inputs: readInputs(request.inputs, program) };
}

export function given(field) {
  if (field == null) throw new TypeError("a field is missing");
  return field;
}

/** The context, prepared for the program. */
export function opened(seal, parameters, program) {
  const backend = callingLibrary("context", () => open(seal, parameters));
  try {
    callingLibrary("context", () => backend.prepare(program));
    return backend;
  } catch (error) {
    backend.close();
    throw error;
  }
}

function keygen(backend, plan, progress, mark) {
  return Array.from({ length: plan.keygens }, (_, done) => {
    mark("keygen", done);
    const [, clocks] = timed(() => callingLibrary("keygen", () => backend.keygen()));
    mark("other", done);
    progress("keygen", done + 1, plan.keygens);
    return clocks;
  });
}

function execute(backend, { program, inputs, options, plan }, progress, mark) {
  const key = options.wrongKey ? backend.stranger() : backend.secret;
  const runner = new Runner(backend, program, inputs, key, options, mark);
  return runner.run(plan, (done, total) => progress("run", done, total));
}

function phases(found, program) {
  return {
    encrypt: phase(found.samples, program, true),
    evaluate: phase(found.samples, program, false),
    decrypt: found.decrypts,
  };
}

function saved(found, { folder, options, program }) {
  const path = join(folder, "samples.npy");
  save(path, joined(found.samples, Float64Array), [found.samples.length, program.operations.length, 2]);
  const reply = { outputs: savedArrays(found.outputs, join(folder, "outputs"), options), samples: path };
  const last = { everyOutput: false };
  if (options.checkInputs) reply.inputs_after = savedArrays([found.after], join(folder, "inputs_after"), last);
  if (options.noise) reply.noise = savedArrays(found.noise, join(folder, "noise"), options);
  return reply;
}

/** Writes each array, with the repetitions as first axis where every one's is wanted; gives the paths. */
function savedArrays(repetitions, folder, { everyOutput }) {
  mkdirSync(folder, { recursive: true });
  const paths = {};
  repetitions.at(-1).forEach(([name, rows], i) => {
    const all = repetitions.flatMap((one) => one[i][1]);
    const shape = [rows.length, rows[0].length];
    paths[name] = join(folder, `${name}.npy`);
    save(paths[name], joined(all, rows[0].constructor), everyOutput ? [repetitions.length, ...shape] : shape);
  });
  return paths;
}

function joined(rows, Type) {
  const all = new Type(rows.reduce((length, row) => length + row.length, 0));
  let at = 0;
  for (const row of rows) {
    all.set(row, at);
    at += row.length;
  }
  return all;
}

function savedMarks(marks, folder) {
  if (marks === null) return {};
  const path = join(folder, "marks.npy");
  save(path, ...marks.array);
  return { marks: path };
}

function sizes(backend, { program, inputs }) {
  const first = program.operations.find((o) => o.action === "encrypt");
  if (first === undefined) return backend.sizes(null);
  const fresh = backend.encrypt(inputs.get(first.source)[first.chunk], first.level);
  return backend.using(fresh, (x) => backend.sizes(x));
}
