// The worker of node-seal: SEAL as WebAssembly. The protocol is one JSON object per line, until stdin ends.

import { readFileSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ACTIONS } from "./backend.js";
import { CPU_CLOCK, collect } from "./clock.js";
import { measure } from "./measure.js";
import { BAD_REQUEST, Refusal } from "./refusal.js";
import { isObject, unknownRequest } from "./request.js";
import { describe, run } from "./run.js";

const PROTOCOL = 1;
const BINDING = "node-seal";
const STDIN = 0;
const STDOUT = 1;
const CHUNK_BYTES = 65_536;
const PACKAGES = process.argv[2]; // the folder into which `fheasible libraries install` puts them
const find = createRequire(join(PACKAGES, "installed"));

// what the library prints lands with the log
for (const name of ["log", "info", "debug"]) console[name] = console.error;

async function main() {
  const seal = await find(BINDING)();
  send({ type: "hello", protocol: PROTOCOL, ...greeting(seal), made_from: madeFrom() });
  for (const line of lines()) {
    if (line.trim()) answer(seal, line);
    collect();
    await new Promise(setImmediate); // copies that node-seal makes and forgets go now, and not before
  }
}

function greeting(seal) {
  const { version } = find(`${BINDING}/package.json`);
  return {
    library: "node-seal",
    version,
    binding: `${BINDING} ${version}`,
    build: {
      serialization: serialization(seal), // the version of SEAL itself
      target: "WebAssembly",
      compression: "none",
      threads: 1,
      cpu_clock: CPU_CLOCK,
    },
    runtime: `Node ${process.versions.node}, V8 ${process.versions.v8}`,
    schemes: Object.keys(ACTIONS).sort(),
    operations: [...new Set(Object.values(ACTIONS).flatMap((set) => [...set]))].sort(),
  };
}

/** The major and minor version of SEAL, from the head of what it writes. */
function serialization(seal) {
  const parms = seal.EncryptionParameters(seal.SchemeType.ckks);
  const [, , , major, minor] = parms.saveArray(seal.ComprModeType.none);
  parms.delete();
  return `${major}.${minor}`;
}

/** The stamp that `fheasible libraries install` leaves beside the packages; "" where there is none. */
function madeFrom() {
  try {
    return readFileSync(join(PACKAGES, "installed"), "utf8");
  } catch {
    return "";
  }
}

/** The lines of stdin, each when it is there. */
function* lines() {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest = [];
  for (let count; (count = readSome(chunk)) > 0; ) {
    let start = 0;
    for (let end; (end = chunk.subarray(0, count).indexOf(10, start)) >= 0; start = end + 1) {
      yield Buffer.concat([...rest, chunk.subarray(start, end)]).toString("utf8");
      rest = [];
    }
    rest.push(Buffer.from(chunk.subarray(start, count)));
  }
  if (rest.length) yield Buffer.concat(rest).toString("utf8");
}

function readSome(chunk) {
  try {
    return readSync(STDIN, chunk, 0, CHUNK_BYTES, null);
  } catch (error) {
    if (error.code === "EOF") return 0; // how Windows says that a pipe has ended
    throw error;
  }
}

function answer(seal, line) {
  let request = {};
  try {
    request = read(line);
    send({ ...carryOut(seal, request), id: request.id });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    send({ type: "refused", id: request.id ?? null, kind: error.kind, message: error.message });
  }
}

function read(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch (error) {
    throw new Refusal(BAD_REQUEST, `not a line of JSON: ${error.message}`);
  }
  if (!isObject(request)) throw new Refusal(BAD_REQUEST, `a request is an object, not ${JSON.stringify(request)}`);
  return request;
}

function carryOut(seal, request) {
  const progress = (phase, done, total) => send({ type: "progress", id: request.id, phase, done, total });
  if (request.type === "describe") return { type: "described", ...describe(seal, request) };
  if (request.type === "run") return { type: "measured", ...run(seal, request, progress) };
  if (request.type === "measure") return { type: "timed", ...measure(seal, request, progress) };
  throw unknownRequest(request.type);
}

function send(message) {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(STDOUT, bytes, at);
}

await main();
