// Requests as they come in, read and checked before anything runs.

import { load, loadAll } from "./npy.js";
import { BAD_REQUEST, Refusal, UNSUPPORTED, reading, require } from "./refusal.js";

const ARITY = { encrypt: 0, add: 2, sub: 2, mul: 2 }; // all others take one
const MADE = { encrypt: 2, relinearize: 2, mul: 3, square: 3 }; // polynomials of a result

export function readPlan(message = {}) {
  return reading("plan", () => ({
    repetitions: Math.max(1, whole(message.repetitions ?? 1)),
    warmup: Math.max(0, whole(message.warmup ?? 0)),
    minSeconds: Number(message.min_seconds ?? 0),
    keygens: Math.max(1, whole(message.keygens ?? 1)),
  }));
}

export function readOptions(message = {}) {
  return reading("options", () => ({
    wrongKey: Boolean(message.wrong_key),
    checkInputs: Boolean(message.check_inputs),
    sizes: Boolean(message.sizes ?? true),
    everyOutput: Boolean(message.every_output),
    noise: Boolean(message.noise),
  }));
}

/** The file descriptors of the kernel's counters; null where no marks are wanted. */
export function readCounters(message) {
  return reading("counters", () => message.counters?.map(whole) ?? null);
}

/** An integer. A TypeError for anything else. */
export function whole(x) {
  const found = Number(x);
  if (!Number.isInteger(found)) throw new TypeError(`${JSON.stringify(x)} is not a whole number`);
  return found;
}

export function readProgram(message) {
  return reading("program", () => ({
    scheme: String(message.scheme),
    slots: whole(message.slots),
    levels: whole(message.levels),
    automatic: Boolean(message.automatic),
    twoRows: Boolean(message.two_rows),
    plains: plainsOf(message),
    operations: message.operations.map(operationOf),
    inputs: message.inputs.map(packedOf),
    outputs: message.outputs.map(packedOf),
    rotations: (message.rotations ?? []).map(whole),
    swapsRows: Boolean(message.swaps_rows),
    relinearizes: Boolean(message.relinearizes),
  }));
}

function operationOf(o) {
  return {
    action: String(o.action),
    out: whole(o.out),
    args: (o.args ?? []).map(whole),
    level: whole(o.level ?? 0),
    plain: o.plain == null ? null : whole(o.plain),
    steps: whole(o.steps ?? 0),
    source: String(o.source ?? ""),
    chunk: whole(o.chunk ?? 0),
    frees: (o.frees ?? []).map(whole),
    hoist: String(o.hoist ?? ""),
  };
}

function packedOf(p) {
  return { name: String(p.name), values: p.values.map(whole) };
}

/** Numbers, BigInts and { shape, data } by their index. */
function plainsOf(message) {
  const number = message.scheme === "ckks" ? Number : BigInt;
  const plains = new Map(Object.entries(message.scalars ?? {}).map(([i, v]) => [Number(i), number(v)]));
  if (message.plains) for (const [name, array] of loadAll(message.plains, message.scheme)) plains.set(Number(name), array);
  return plains;
}

/** The rows of each input of the program, by its name. */
export function readInputs(message, program) {
  const found = new Map();
  for (const { name, values } of program.inputs) {
    const { shape, data } = reading("inputs", () => load(message[name], program.scheme));
    require(
      shape.length === 2 && shape[0] === values.length && shape[1] === program.slots,
      `input ${name} has shape (${shape}), but the program wants (${values.length}, ${program.slots})`,
    );
    found.set(name, values.map((_, i) => data.subarray(i * program.slots, (i + 1) * program.slots)));
  }
  return found;
}

/** Refuses a program that is not well formed, or that has an action which is not in `actions`. */
export function check(program, actions) {
  require(isPowerOfTwo(program.slots), "slots must be a power of two");
  const kinds = program.operations.map((o) => (o.hoist ? "rotate_hoisted" : o.action));
  const unknown = [...new Set(kinds)].filter((kind) => !actions.has(kind)).sort();
  if (unknown.length) {
    const can = [...actions].sort().join(", ");
    throw new Refusal(UNSUPPORTED, `${program.scheme} has no ${unknown.join(", ")} here; it has ${can}`);
  }
  checkValues(program);
  checkSizes(program);
  program.operations.forEach((o) => checkOperand(o, program));
}

export function isPowerOfTwo(x) {
  return Number.isInteger(x) && x > 0 && Number.isInteger(Math.log2(x));
}

function checkValues(program) {
  const alive = new Set();
  program.operations.forEach((o, i) => {
    const [arity, named] = [ARITY[o.action] ?? 1, `operation ${i} (${o.action})`];
    require(o.args.length === arity, `${named} has ${o.args.length} arguments, not ${arity}`);
    require(o.args.every((x) => alive.has(x)), `${named} uses a value that is not there`);
    alive.add(o.out);
    require(o.frees.every((x) => alive.has(x)), `${named} frees a value that is not there`);
    o.frees.forEach((x) => alive.delete(x));
  });
  for (const { name, values } of program.outputs) {
    require(values.every((x) => alive.has(x)), `output ${name} has a value that is not there`);
  }
}

function checkSizes(program) {
  const known = new Map();
  program.operations.forEach((o, i) => {
    const sizes = o.args.map((x) => known.get(x));
    if (["mul", "square", "rotate", "swap_rows"].includes(o.action)) {
      require(sizes.every((size) => size === 2), `operation ${i} (${o.action}) of a value of size 3`);
    }
    known.set(o.out, MADE[o.action] ?? Math.max(...sizes));
  });
}

function checkOperand(o, program) {
  const plain = o.plain === null ? undefined : program.plains.get(o.plain);
  if (o.action === "encrypt") {
    const chunks = program.inputs.find((p) => p.name === o.source)?.values.length ?? 0;
    require(0 <= o.chunk && o.chunk < chunks, `no chunk ${o.chunk} of an input ${o.source}`);
  } else if (o.action === "add_scalar" || o.action === "mul_scalar") {
    require(["number", "bigint"].includes(typeof plain), `no scalar ${o.plain}`);
  } else if (o.action === "add_plain" || o.action === "mul_plain") {
    const fits = plain?.shape?.length === 1 && plain.shape[0] === program.slots;
    require(fits, `plain ${o.plain} is no vector of ${program.slots} numbers`);
  } else if (o.action === "rotate") {
    require(program.rotations.includes(o.steps), `rotation by ${o.steps} is not among \`rotations\``);
  }
}

export function isObject(x) {
  return typeof x === "object" && x !== null && !Array.isArray(x);
}

export function unknownRequest(kind) {
  return new Refusal(BAD_REQUEST, `no request ${JSON.stringify(kind)}; there are describe, run and measure`);
}
