// Arrays of numpy's files: .npy and .npz.

import { readFileSync, writeFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";

const MAGIC = Buffer.from("\x93NUMPY", "latin1");
const TYPES = {
  "<f8": Float64Array, "<f4": Float32Array, "<i8": BigInt64Array, "<i4": Int32Array, "<u4": Uint32Array,
  "<i2": Int16Array, "<u2": Uint16Array, "|i1": Int8Array, "|u1": Uint8Array, "|b1": Uint8Array,
};
const ENDED = 0x06054b50; // signatures of a ZIP archive's parts
const LISTED = 0x02014b50;
const DEFLATED = 8;
const ZIP64 = 1;
const LARGE = 0xffffffff;

/** The array in a file: its shape, and its data as float64 (CKKS) or int64, in C's order. */
export function load(path, scheme) {
  return parse(readFileSync(path), scheme);
}

/** The arrays in a .npz file, by name. */
export function loadAll(path, scheme) {
  const found = new Map();
  for (const [name, data] of members(readFileSync(path))) found.set(name.replace(/\.npy$/, ""), parse(data, scheme));
  return found;
}

function parse(file, scheme) {
  if (!file.subarray(0, 6).equals(MAGIC)) throw new TypeError("not a file of numpy");
  const wide = file[6] > 1;
  const start = (wide ? 12 : 10) + (wide ? file.readUInt32LE(8) : file.readUInt16LE(8));
  const header = file.toString("latin1", wide ? 12 : 10, start);
  const descr = /'descr': '([^']+)'/.exec(header)?.[1];
  const shape = /'shape': \(([^)]*)\)/.exec(header)?.[1].split(",").filter((x) => x.trim()).map(Number);
  const Type = TYPES[descr];
  if (Type === undefined || shape === undefined) throw new TypeError(`an array of ${descr} cannot be read`);
  const bytes = Uint8Array.from(file.subarray(start)); // a copy, so that it is aligned
  const data = cast(new Type(bytes.buffer), descr, scheme);
  return { shape, data: header.includes("'fortran_order': True") ? rowsFirst(data, shape) : data };
}

/** The data in the type that the scheme's vectors have, where no number can change by that. */
function cast(data, descr, scheme) {
  if (scheme === "ckks") return data instanceof Float64Array ? data : Float64Array.from(data, Number);
  if (descr.includes("f")) throw new TypeError(`an array of ${descr} where ${scheme} has integers`);
  return data instanceof BigInt64Array ? data : BigInt64Array.from(data, BigInt);
}

function rowsFirst(data, shape) {
  if (shape.length < 2) return data;
  if (shape.length > 2) throw new TypeError("an array of more than two axes in Fortran's order");
  const [rows, columns] = shape;
  return data.map((_, i) => data[(i % columns) * rows + Math.floor(i / columns)]);
}

/** [name, content] of each file in a ZIP archive. */
function* members(zip) {
  let end = zip.length - 22;
  while (end >= 0 && zip.readUInt32LE(end) !== ENDED) end--;
  if (end < 0) throw new TypeError("not an archive of arrays");
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === LISTED) {
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((i) => zip.readUInt16LE(at + i));
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const sizes = { packed: zip.readUInt32LE(at + 20), whole: zip.readUInt32LE(at + 24), place: zip.readUInt32LE(at + 42) };
    enlarge(sizes, zip.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength));
    const start = sizes.place + 30 + zip.readUInt16LE(sizes.place + 26) + zip.readUInt16LE(sizes.place + 28);
    const content = zip.subarray(start, start + sizes.packed);
    yield [name, zip.readUInt16LE(at + 10) === DEFLATED ? inflateRawSync(content) : content];
    at += 46 + nameLength + extraLength + noteLength;
  }
}

/** Replaces the sizes that do not fit into 32 bits by those in the extra field. */
function enlarge(sizes, extra) {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== ZIP64) continue;
    let next = at + 4;
    for (const name of ["whole", "packed", "place"]) {
      if (sizes[name] !== LARGE) continue;
      sizes[name] = Number(extra.readBigUInt64LE(next));
      next += 8;
    }
  }
}

/** Writes a Float64Array or a BigInt64Array. */
export function save(path, data, shape) {
  const descr = data instanceof Float64Array ? "<f8" : "<i8";
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const told = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const header = told.padEnd(Math.ceil((told.length + 11) / 64) * 64 - 11) + "\n";
  const head = Buffer.alloc(10);
  MAGIC.copy(head);
  head[6] = 1;
  head.writeUInt16LE(header.length, 8);
  const content = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  writeFileSync(path, Buffer.concat([head, Buffer.from(header, "latin1"), content]));
}
