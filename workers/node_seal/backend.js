// SEAL of node-seal: what is alike in all schemes, CKKS, and the integer schemes.
//
// Every action is a method of that name; `level` is the level of its result. Operands are never changed. Objects of
// SEAL live in WebAssembly's memory until they are deleted.

import { Constants } from "./constants.js";
import { combined } from "./copies.js";
import { invariantNoise } from "./noise.js";
import { INFEASIBLE, Refusal, UNSUPPORTED, reading, require } from "./refusal.js";
import { whole } from "./request.js";

const CIPHER = ["encrypt", "add", "sub", "neg", "mul", "square", "relinearize", "rotate"];
const EVERYWHERE = [...CIPHER, "add_plain", "mul_plain", "add_scalar", "mul_scalar"];
export const ACTIONS = {
  ckks: new Set([...EVERYWHERE, "rescale", "drop"]),
  bgv: new Set([...EVERYWHERE, "rescale", "drop", "swap_rows"]),
  bfv: new Set([...EVERYWHERE, "swap_rows"]),
};
const ENCODES_A_VECTOR = ["encrypt", "add_plain", "mul_plain"];
const NO_SWITCH = "SEAL's API has no switching of a ciphertext to another secret key";
const NO_HOISTING = "SEAL's rotations cannot share digits";
const LACKS = {
  rotate_hoist: NO_HOISTING,
  rotate_hoisted: NO_HOISTING,
  key_switch: NO_SWITCH,
  keygen_switch: NO_SWITCH,
};
const ROUNDING = 1e-9; // two scales closer than this differ by rounding of doubles alone

/** Opens a context of these parameters. */
export function open(seal, parameters) {
  const scheme = reading("parameters", () => parameters.scheme);
  return scheme === "ckks" ? new Ckks(seal, parameters) : new Integers(seal, parameters);
}

export function actions(scheme, automatic) {
  if (!Object.hasOwn(ACTIONS, scheme) || automatic) {
    throw new Refusal(UNSUPPORTED, `SEAL has no ${scheme}${automatic ? " that rescales by itself" : ""}`);
  }
  return ACTIONS[scheme];
}

/** The operations of `measure` that SEAL does not have, with the reason. */
export function lacks(sparse) {
  if (sparse) throw new Refusal(UNSUPPORTED, "SEAL encodes all slots; it has no sparse packing");
  return LACKS;
}

class Backend {
  constructor(seal, parameters) {
    this.seal = seal;
    this.made = []; // what `close` deletes
    reading("parameters", () => this.read(parameters));
    const special = this.p.length;
    require(special <= 1 && (this.q.length <= 1 || special === 1), `SEAL has one special prime, not ${special}`);
    this.context = this.opened([...this.q, ...this.p], this.security);
    this.evaluator = this.kept(seal.Evaluator(this.context));
    this.ids = levelNames(this.context);
    this.top = this.q.length - 1;
    this.slots = this.n;
  }

  read(parameters) {
    const { SchemeType, SecurityLevel } = this.seal;
    const levels = { null: SecurityLevel.none, 128: SecurityLevel.tc128, 192: SecurityLevel.tc192, 256: SecurityLevel.tc256 };
    this.n = whole(parameters.ring_dimension);
    [this.q, this.p] = [parameters.q.map(BigInt), (parameters.p ?? []).map(BigInt)];
    this.t = parameters.plain_modulus ? BigInt(parameters.plain_modulus) : null;
    if (!Object.hasOwn(ACTIONS, parameters.scheme)) throw new TypeError(`no scheme ${parameters.scheme}`);
    [this.name, this.scheme] = [parameters.scheme, SchemeType[parameters.scheme]];
    this.security = levels[parameters.security ?? null];
    if (this.security === undefined) throw new TypeError(`no security level ${parameters.security}`);
    this.scales = (parameters.scales ?? []).map(Number);
  }

  kept(made) {
    this.made.push(made);
    return made;
  }

  opened(chain, security, expand = true) {
    const { seal } = this;
    const parms = seal.EncryptionParameters(this.scheme);
    parms.setPolyModulusDegree(this.n);
    const primes = seal.Vector();
    const moduli = [...chain, this.t ?? 2n].map((x) => seal.Modulus(x));
    primes.from(moduli.slice(0, -1).map((modulus) => modulus.instance), "Modulus");
    parms.setCoeffModulus(primes);
    if (this.t !== null) parms.setPlainModulus(moduli.at(-1));
    const context = this.kept(this.safely(() => seal.Context(parms, expand, security)));
    [parms, primes, ...moduli].forEach((object) => object.delete());
    if (!context.parametersSet()) {
      const why = "node-seal does not pass on which of SEAL's conditions they violate";
      throw new Refusal(INFEASIBLE, `context: SEAL refuses these parameters; ${why}`);
    }
    return context;
  }

  /** What `call` returns. Where node-seal lets the number of a C++ exception through, an Error takes its place. */
  safely(call) {
    try {
      return call();
    } catch (error) {
      throw this.seal.Exception.safe(error);
    }
  }

  describe() {
    const parms = this.context.keyContextData.parms;
    const chain = Array.from(parms.coeffModulus, String);
    const limbs = this.q.length;
    return {
      ring_dimension: parms.polyModulusDegree,
      q: chain.slice(0, limbs),
      p: chain.slice(limbs),
      digits: limbs, // SEAL decomposes by the limb
      plain_modulus: this.t === null ? null : Number(this.t),
    };
  }

  prepare(program) {
    this.slots = program.slots;
    this.steps = [...program.rotations, ...(program.swapsRows ? [0] : [])]; // 0 is SEAL's name of the swap
    this.relinearizes = program.relinearizes;
    if (program.levels > this.top) {
      throw new Refusal(INFEASIBLE, `context: ${program.levels} levels, but only ${this.q.length} primes`);
    }
    if ((this.steps.length || this.relinearizes) && !this.context.usingKeyswitching) {
      throw new Refusal(INFEASIBLE, "context: key switching needs a special prime, and there is none");
    }
  }

  keygen() {
    const { seal, context } = this;
    this.keys?.forEach((key) => key.delete());
    const generator = seal.KeyGenerator(context);
    this.secret = generator.secretKey();
    this.public = generator.createPublicKey();
    this.relin = this.relinearizes ? generator.createRelinKeys() : null;
    this.galois = this.steps.length ? generator.createGaloisKeys(Int32Array.from(this.steps)) : null;
    this.encryptor = seal.Encryptor(context, this.public, this.secret);
    this.decryptors = new Map();
    const made = [generator, this.secret, this.public, this.relin, this.galois, this.encryptor];
    this.keys = made.filter((key) => key !== null);
  }

  stranger() {
    const generator = this.kept(this.seal.KeyGenerator(this.context));
    return this.kept(generator.secretKey());
  }

  decryptor(key) {
    if (!this.decryptors.has(key)) this.decryptors.set(key, this.seal.Decryptor(this.context, key));
    return this.decryptors.get(key);
  }

  sizes(sample) {
    return {
      ciphertext: sample === null ? 0 : this.sizeOf(sample),
      public_key: this.sizeOf(this.public),
      secret_key: this.sizeOf(this.secret),
      relinearization_key: this.relin === null ? 0 : this.sizeOf(this.relin),
      rotation_keys: this.galois === null ? 0 : this.sizeOf(this.galois),
      rotation_key_count: this.steps.length,
    };
  }

  /** Serialized bytes; null where WebAssembly's memory has no room for them beside the object itself. */
  sizeOf(object) {
    try {
      return object.saveArray(this.seal.ComprModeType.none).length;
    } catch {
      return null;
    }
  }

  close() {
    this.decryptors?.forEach((decryptor) => decryptor.delete());
    [...(this.keys ?? []), ...this.made].forEach((object) => object.delete());
  }

  /** A new ciphertext that `fill` fills. */
  filled(fill) {
    const found = this.seal.CipherText();
    try {
      fill(found);
      return found;
    } catch (error) {
      found.delete();
      throw error;
    }
  }

  encrypt(values, level) {
    return this.using(this.encode(values, level), (plain) => this.encrypted(plain, level));
  }

  /** What `use` makes of a plaintext, which is deleted. */
  using(plain, use) {
    try {
      return use(plain);
    } finally {
      plain.delete();
    }
  }

  encrypted(plain, level) {
    return this.atLevel(this.filled((x) => this.encryptor.encrypt(plain, x)), level);
  }

  encrypted_by_secret(plain, level) {
    return this.atLevel(this.filled((x) => this.encryptor.encryptSymmetric(plain, x)), level);
  }

  /** The fresh ciphertext at that level, where its plaintext did not say so. */
  atLevel(fresh, level) {
    return fresh;
  }

  decrypted(x, key) {
    const plain = this.seal.PlainText();
    this.decryptor(key).decrypt(x, plain);
    return plain;
  }

  decrypt(x, key) {
    return this.using(this.decrypted(x, key), (plain) => this.decode(plain));
  }

  neg(x) {
    return this.filled((y) => this.evaluator.negate(x, y));
  }

  add(x, y) {
    return this.filled((z) => this.evaluator.add(x, y, z));
  }

  sub(x, y) {
    return this.filled((z) => this.evaluator.sub(x, y, z));
  }

  mul(x, y) {
    return this.filled((z) => this.evaluator.multiply(x, y, z)); // in CKKS two scales S_l make S_l^2 exactly
  }

  square(x) {
    return this.filled((y) => this.evaluator.square(x, y));
  }

  relinearize(x) {
    return this.filled((y) => this.evaluator.relinearize(x, this.relin, y));
  }

  drop(x, level) {
    return this.filled((y) => this.evaluator.cipherModSwitchTo(x, this.ids[level], y));
  }

  added(x, plain) {
    return this.using(plain, (p) => this.filled((y) => this.evaluator.addPlain(x, p, y)));
  }

  multiplied(x, plain) {
    return this.using(plain, (p) => this.filled((y) => this.evaluator.multiplyPlain(x, p, y)));
  }
}

class Ckks extends Backend {
  constructor(seal, parameters) {
    super(seal, parameters);
    this.encoders = new Map([[this.top, this.kept(seal.CKKSEncoder(this.context))]]);
    this.constants = new Constants(seal, this.context, this.q, this.n, this.ids);
  }

  /**
   * Makes an encoder for each level that vectors are encoded at.
   *
   * The binding encodes at the top level alone. A level's identity is a hash of its primes, so that a context
   * whose top is that level encodes for it.
   */
  prepare(program) {
    super.prepare(program);
    const capacity = this.n / 2;
    if (program.slots > capacity) {
      throw new Refusal(INFEASIBLE, `context: ${program.slots} slots, but this ring has ${capacity}`);
    }
    require(this.scales.length > program.levels, `${this.scales.length} scales for ${program.levels + 1} levels`);
    this.tiles = capacity / program.slots;
    for (const { action, level } of program.operations) {
      if (!ENCODES_A_VECTOR.includes(action) || this.encoders.has(level)) continue;
      const shorter = this.opened(this.q.slice(0, level + 2), this.seal.SecurityLevel.none, false);
      this.encoders.set(level, this.kept(this.seal.CKKSEncoder(shorter)));
    }
  }

  vector(values, level, scale) {
    const plain = this.seal.PlainText();
    this.encoders.get(level).encode(tiled(values, this.tiles), scale, plain);
    return plain;
  }

  /** `x` with the ladder's scale, if its own differs from it by rounding alone. */
  at(x, scale) {
    if (Math.abs(x.scale - scale) <= ROUNDING * scale) x.setScale(scale);
    return x;
  }

  encode(values, level) {
    return this.vector(values, level, this.scales[level]);
  }

  decode(plain) {
    const decoded = this.encoders.get(this.top).decode(plain);
    return this.tiles === 1 ? decoded : combined(decoded, this.slots);
  }

  rescale(x, level) {
    return this.at(this.filled((y) => this.evaluator.rescaleToNext(x, y)), this.scales[level]);
  }

  rotate(x, steps) {
    return this.filled((y) => this.evaluator.rotateVector(x, steps, this.galois, y));
  }

  add_plain(x, values, level) {
    return this.added(x, this.vector(values, level, x.scale));
  }

  mul_plain(x, values, level) {
    const square = this.scales[level] ** 2;
    return this.at(this.multiplied(x, this.vector(values, level, square / x.scale)), square);
  }

  add_scalar(x, value, level) {
    return this.added(x, this.constants.encode(value, x.scale, level));
  }

  mul_scalar(x, value, level) {
    const square = this.scales[level] ** 2;
    return this.at(this.multiplied(x, this.constants.encode(value, square / x.scale, level)), square);
  }
}

/** BFV and BGV. Level l has l + 1 limbs in BGV; BFV stays at the top, which it calls level 0. */
class Integers extends Backend {
  prepare(program) {
    super.prepare(program);
    this.tiles = Math.floor(this.n / program.slots);
    const rows = program.twoRows ? 2 : 1;
    require(
      this.tiles > 0 && program.twoRows === (this.tiles === 1),
      `${program.slots} slots in ${rows} rows of a ring of ${this.n}`,
    );
    this.fresh = program.scheme === "bfv" ? 0 : this.top;
    this.encoder = this.kept(this.seal.BatchEncoder(this.context));
    this.constants = new Constants(this.seal, this.context, this.q, this.n, this.ids);
  }

  encode(values) {
    const plain = this.seal.PlainText();
    this.encoder.encode(tiled(values, this.tiles), plain);
    return plain;
  }

  decode(plain) {
    return this.encoder.decodeBigInt(plain, true).subarray(0, this.slots);
  }

  atLevel(fresh, level) {
    if (level === this.fresh) return fresh;
    return this.using(fresh, (x) => this.drop(x, level));
  }

  noise(x) {
    const times = this.name === "bfv" ? this.t : 1n;
    const evaluated = x.isNttForm ? x.clone() : this.filled((y) => this.evaluator.cipherTransformToNtt(x, y));
    return this.using(evaluated, (y) => invariantNoise(this.polynomials(y), times));
  }

  /** The residues of a ciphertext and of the secret key, read from what SEAL writes: the binding hides them. */
  polynomials(x) {
    const [limbs, chain] = [x.coeffModulusSize, this.q.length + this.p.length];
    const { none } = this.seal.ComprModeType;
    const parts = last(x.saveArray(none), x.size * limbs, this.n);
    return {
      primes: this.q.slice(0, limbs),
      parts: Array.from({ length: x.size }, (_, i) => parts.slice(i * limbs, (i + 1) * limbs)),
      secret: last(this.secret.saveArray(none), chain, this.n).slice(0, limbs),
    };
  }

  rescale(x) {
    return this.filled((y) => this.evaluator.cipherModSwitchToNext(x, y));
  }

  rotate(x, steps) {
    return this.filled((y) => this.evaluator.rotateRows(x, steps, this.galois, y));
  }

  swap_rows(x) {
    return this.filled((y) => this.evaluator.rotateColumns(x, this.galois, y));
  }

  add_plain(x, values) {
    return this.added(x, this.encode(values));
  }

  mul_plain(x, values) {
    return this.multiplied(x, this.encode(values));
  }

  add_scalar(x, value) {
    return this.added(x, this.constants.integer(value, this.t));
  }

  mul_scalar(x, value) {
    return this.multiplied(x, this.constants.integer(value, this.t));
  }
}

/** The vector, repeated so often. */
function tiled(values, times) {
  if (times === 1) return values;
  const all = new values.constructor(values.length * times);
  for (let i = 0; i < times; i++) all.set(values, i * values.length);
  return all;
}

/** SEAL's name of each level; its chain index is the number of limbs less one. */
function levelNames(context) {
  const ids = [];
  let data = context.firstContextData;
  for (let level = data.chainIndex; level >= 0; level--) {
    ids[level] = data.parmsId;
    if (level > 0) data = data.nextContextData;
  }
  return ids;
}

/** The limbs of `n` coefficients, which stand last in everything that SEAL writes. */
function last(bytes, limbs, n) {
  const words = new BigUint64Array(bytes.slice(bytes.length - 8 * limbs * n).buffer);
  return Array.from({ length: limbs }, (_, i) => words.subarray(i * n, (i + 1) * n));
}
