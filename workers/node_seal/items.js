// What a `measure` request asks for, read and checked before anything runs.

import { actions, lacks } from "./backend.js";
import { load } from "./npy.js";
import { BAD_REQUEST, Refusal, UNSUPPORTED, reading, require } from "./refusal.js";
import { isPowerOfTwo, readPlan, whole } from "./request.js";
import { given } from "./run.js";

const LOWERS = ["rescale", "drop"];
const SWITCHES = ["relinearize", "rescale"]; // operations that need a relinearisation key

/** The request for operations of these names, or a refusal of whatever is wrong. */
export function readMeasure(message, names) {
  const request = reading("request", () => read(message));
  const { like, items, x, y } = request;
  const unknown = [...new Set(items.map((i) => i.operation).filter((name) => !names.includes(name)))];
  if (unknown.length || !items.length) {
    throw new Refusal(BAD_REQUEST, `no operation ${unknown.sort().join(", ")}; there are ${names.join(", ")}`);
  }
  const shapes = `vectors of shape (${x.shape}) and (${y.shape})`;
  const fits = [x, y].every((one) => one.shape.length === 1 && one.shape[0] === like.slots);
  require(fits && isPowerOfTwo(like.slots), `${like.slots} slots, with ${shapes}`);
  const reasons = items.map((item) => whyNot(item, like));
  const possible = items.filter((_, i) => !reasons[i]);
  if (!possible.length) {
    const there = names.filter((operation) => !whyNot({ operation, level: items[0].level }, like));
    throw new Refusal(UNSUPPORTED, `${[...new Set(reasons)].join("; ")}; possible are ${there.join(", ")}`);
  }
  return { ...request, x: x.data, y: y.data, reasons, program: programOf(like, possible) };
}

function read(message) {
  const parameters = given(message.parameters);
  const like = {
    scheme: String(parameters.scheme),
    slots: whole(message.slots),
    twoRows: Boolean(message.two_rows),
    automatic: Boolean(message.automatic),
    sparse: Boolean(message.sparse),
  };
  return {
    parameters,
    like,
    folder: given(message.folder),
    items: message.items.map((i) => ({ operation: String(i.operation), level: whole(i.level ?? 0) })),
    x: load(message.inputs.x, like.scheme),
    y: load(message.inputs.y, like.scheme),
    scalar: like.scheme === "ckks" ? Number(given(message.scalar)) : BigInt(message.scalar),
    plan: readPlan(message.plan),
  };
}

/** Why there is no such item here; empty where there is. */
function whyNot({ operation, level }, { scheme, slots, twoRows, automatic, sparse }) {
  actions(scheme, automatic); // refuses a scheme that is unknown
  const lacking = lacks(sparse)[operation];
  if (lacking) return lacking;
  if (LOWERS.includes(operation) && scheme === "bfv") return "BFV has no levels";
  if (operation === "swap_rows" && scheme === "ckks") return "a CKKS ciphertext has one row of slots";
  if (operation === "swap_rows" && !twoRows) return `a vector of ${slots} slots stands in both rows alike`;
  if (LOWERS.includes(operation) && level === 0) return "there is no level below 0";
  return "";
}

/** A program that needs the keys and the levels of these items. */
function programOf({ scheme, slots, twoRows }, items) {
  const levels = [...new Set(items.map((i) => i.level))];
  const named = (test) => items.some((i) => test(i.operation));
  return {
    scheme,
    slots,
    twoRows,
    levels: Math.max(...levels),
    operations: levels.map((level) => ({ action: "encrypt", level })),
    rotations: named((name) => name.startsWith("rotate")) ? [1] : [],
    swapsRows: named((name) => name === "swap_rows"),
    relinearizes: named((name) => SWITCHES.includes(name)),
  };
}
