// A `measure` request from its items to its reply: single operations on operands that are made before.

import { join } from "node:path";
import { collect, timed } from "./clock.js";
import { readMeasure } from "./items.js";
import * as memory from "./memory.js";
import { save } from "./npy.js";
import { Refusal, callingLibrary } from "./refusal.js";
import { opened } from "./run.js";

/** What is timed of each operation, as a function of the bench. */
const STEPS = {
  encode: (b) => (k) => k.encode(b.x, b.level),
  decode: (b, plain = b.decrypted) => (k) => k.decode(plain),
  encrypt: (b, plain = b.plain) => (k) => k.encrypted(plain, b.level),
  encrypt_secret: (b, plain = b.plain) => (k) => k.encrypted_by_secret(plain, b.level),
  encode_encrypt: (b) => (k) => k.encrypt(b.x, b.level),
  decrypt: (b, a = b.a) => (k) => k.decrypted(a, k.secret),
  decrypt_decode: (b, a = b.a) => (k) => k.decrypt(a, k.secret),
  add: (b, a = b.a, c = b.b) => (k) => k.add(a, c, b.level),
  sub: (b, a = b.a, c = b.b) => (k) => k.sub(a, c, b.level),
  negate: (b, a = b.a) => (k) => k.neg(a, b.level),
  mul: (b, a = b.a, c = b.b) => (k) => k.mul(a, c, b.level),
  square: (b, a = b.a) => (k) => k.square(a, b.level),
  add_plain: (b, a = b.a) => (k) => k.add_plain(a, b.y, b.level),
  mul_plain: (b, a = b.a) => (k) => k.mul_plain(a, b.y, b.level),
  add_scalar: (b, a = b.a) => (k) => k.add_scalar(a, b.scalar, b.level),
  mul_scalar: (b, a = b.a) => (k) => k.mul_scalar(a, b.scalar, b.level),
  relinearize: (b, x = b.product) => (k) => k.relinearize(x, b.level),
  rescale: (b, x = b.relinearized) => (k) => k.rescale(x, b.level - 1),
  drop: (b, a = b.a) => (k) => k.drop(a, b.level - 1),
  rotate: (b, a = b.a) => (k) => k.rotate(a, 1, b.level),
  swap_rows: (b, a = b.a) => (k) => k.swap_rows(a, b.level),
};

/** The same of each kind of key, made of a fresh secret key by a generator. */
const KEYGENS = {
  keygen_secret: (k) => k.seal.KeyGenerator(k.context),
  keygen_public: (k, generator) => generator.createPublicKey(),
  keygen_pair: (k) => made(k.seal.KeyGenerator(k.context), (generator) => generator.createPublicKey()),
  keygen_relinearize: (k, generator) => generator.createRelinKeys(),
  keygen_rotate: (k, generator) => generator.createGaloisKeys(Int32Array.of(1)),
};
const ABSENT = ["rotate_hoist", "rotate_hoisted", "key_switch", "keygen_switch"]; // which SEAL does not have
const NAMES = [...Object.keys(STEPS), ...Object.keys(KEYGENS), ...ABSENT];
const VALUES = ["decode", "decrypt_decode"]; // operations whose results are numbers

function made(generator, make) {
  try {
    return make(generator);
  } finally {
    generator.delete();
  }
}

/** The fields of `timed`. */
export function measure(seal, message, progress) {
  const request = readMeasure(message, NAMES);
  memory.settle();
  const used = { baseline_bytes: memory.resident() };
  const backend = opened(seal, request.parameters, request.program);
  try {
    used.context_bytes = memory.resident();
    const timing = new Timing(backend, request, progress);
    timing.all();
    used.peak_bytes = memory.peak();
    const items = request.items.map((_, number) => timing.told(number));
    return { ...backend.describe(), items, sizes: sizes(backend, request), memory: used };
  } finally {
    backend.close();
  }
}

/** Operands at one level, each made when it is first wanted. */
class Bench {
  constructor(backend, { x, y, scalar }, level) {
    Object.assign(this, { backend, x, y, scalar, level, kept: new Map() });
  }

  once(name, make) {
    if (!this.kept.has(name)) this.kept.set(name, make(this.backend));
    return this.kept.get(name);
  }

  get plain() {
    return this.once("plain", (k) => k.encode(this.x, this.level));
  }

  get a() {
    return this.once("a", (k) => k.encrypt(this.x, this.level));
  }

  get b() {
    return this.once("b", (k) => k.encrypt(this.y, this.level));
  }

  get decrypted() {
    return this.once("decrypted", (k) => k.decrypted(this.a, k.secret));
  }

  get product() {
    return this.once("product", (k) => k.mul(this.a, this.b, this.level));
  }

  get relinearized() {
    return this.once("relinearized", (k) => k.relinearize(this.product, this.level));
  }

  /** What the result of an operation stands for: decrypted and decoded, as far as it is not yet. */
  values(operation, result) {
    const k = this.backend;
    if (VALUES.includes(operation)) return result.slice();
    if (operation === "decrypt") return k.decode(result).slice();
    if (operation !== "encode") return k.decrypt(result, k.secret).slice();
    return k.using(k.encrypted(result, this.level), (x) => k.decrypt(x, k.secret)).slice();
  }

  close() {
    this.kept.forEach((object) => object.delete());
  }
}

/** The items' samples, last results and refusals. */
class Timing {
  constructor(backend, request, progress) {
    Object.assign(this, { backend, request, progress });
    this.last = request.plan.warmup + request.plan.repetitions - 1;
    this.seconds = request.items.map(() => []);
    this.found = [];
    this.refused = [...request.reasons];
  }

  /** Times the kinds of keys, then all other items, level by level. */
  all() {
    const { items, program } = this.request;
    const possible = [...items.keys()].filter((i) => !this.refused[i]);
    const isKey = (i) => Object.hasOwn(KEYGENS, items[i].operation);
    this.repeat(possible.filter(isKey), null);
    callingLibrary("keygen", () => this.backend.keygen());
    for (let level = 0; level <= program.levels; level++) {
      const here = possible.filter((i) => !isKey(i) && items[i].level === level);
      const bench = new Bench(this.backend, this.request, level);
      if (here.length) this.repeat(here, bench);
      bench.close();
    }
  }

  /** Each item once in every repetition, so that all meet the same load. */
  repeat(numbers, bench) {
    collect();
    for (let done = 0; numbers.length && done <= this.last; done++) {
      numbers.filter((i) => !this.refused[i]).forEach((i) => this.once(i, bench, done));
      this.progress("run", done + 1, this.last + 1);
    }
  }

  /** One sample; what the library says against the item is its refusal. */
  once(number, bench, done) {
    const { operation } = this.request.items[number];
    try {
      const sample = bench === null ? this.key.bind(this) : this.step.bind(this);
      const clocks = callingLibrary(operation, () => sample(number, operation, bench, done));
      if (done >= this.request.plan.warmup) this.seconds[number].push(clocks);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.refused[number] = error.message.replace(`${operation}: `, "");
    }
  }

  key(_, operation) {
    const k = this.backend;
    return made(k.seal.KeyGenerator(k.context), (generator) => {
      const [key, clocks] = timed(() => KEYGENS[operation](k, generator));
      key.delete();
      return clocks;
    });
  }

  step(number, operation, bench, done) {
    const step = STEPS[operation](bench);
    const [result, clocks] = timed(() => step(this.backend));
    if (done === this.last) this.found[number] = bench.values(operation, result);
    if (!VALUES.includes(operation)) result.delete();
    return clocks;
  }

  /** The reply's entry of an item; its values are written. */
  told(number) {
    const { items, folder } = this.request;
    const values = this.found[number];
    const path = join(folder, `${number}.npy`);
    if (values !== undefined) save(path, values, [values.length]);
    const refused = this.refused[number] || null;
    return { ...items[number], seconds: refused ? [] : this.seconds[number], values: values ? path : null, refused };
  }
}

/** Serialized bytes of a plaintext and a ciphertext at the highest level, and of one key of each kind. */
function sizes(backend, { program, x }) {
  const plain = backend.encode(x, program.levels);
  return backend.using(plain, () =>
    backend.using(backend.encrypted(plain, program.levels), (fresh) => {
      const known = backend.sizes(fresh);
      const count = known.rotation_key_count;
      return {
        plaintext: backend.sizeOf(plain),
        ciphertext: known.ciphertext,
        public_key: known.public_key,
        secret_key: known.secret_key,
        relinearization_key: known.relinearization_key || null,
        rotation_key: known.rotation_keys ? Math.floor(known.rotation_keys / count) : null,
      };
    }),
  );
}
