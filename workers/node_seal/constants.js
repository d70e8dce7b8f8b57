// One number in every slot of a plaintext, at any level, written in SEAL's own serialized form.
//
// In C++ that is a mere filling of memory. The binding encodes CKKS at the top level alone, and makes no constant
// polynomial of BFV and BGV. SEAL loads and checks this form at any level.

const HEADER = 16; // bytes of a SEALHeader, its size field last (native/src/seal/serialization.h)
const HEAD = HEADER + 32 + 8 + 8 + HEADER + 8; // and parms_id, count, scale, another header, count
const NO_LEVEL = new BigUint64Array(4); // the parms_id of plaintexts of BFV and BGV

export class Constants {
  /** `ids` are SEAL's names of the levels. */
  constructor(seal, context, q, n, ids) {
    Object.assign(this, { seal, context, q, n, ids });
    const empty = seal.PlainText({ capacity: 1, coeffCount: 1 });
    this.magic = empty.saveArray(seal.ComprModeType.none).slice(0, HEADER - 8); // and versions; no compression
    empty.delete();
    this.moduli = q.map((_, level) => q.slice(0, level + 1).reduce((product, prime) => product * prime, 1n));
  }

  /** The plaintext that `CKKSEncoder::encode(value, parms_id, scale)` makes. */
  encode(value, scale, level) {
    const coefficient = BigInt(Math.round(value * scale));
    if (2n * (coefficient < 0n ? -coefficient : coefficient) >= this.moduli[level]) {
      throw new Error("encoded value is too large"); // as SEAL says it
    }
    const [bytes, words] = this.written(this.ids[level].values, this.n * (level + 1), scale);
    for (let limb = 0; limb <= level; limb++) {
      words.fill(positive(coefficient, this.q[limb]), limb * this.n, (limb + 1) * this.n);
    }
    return this.loaded(bytes, words);
  }

  /** The constant polynomial modulo t. */
  integer(value, t) {
    const [bytes, words] = this.written(NO_LEVEL, 1, 1);
    words[0] = positive(value, t);
    return this.loaded(bytes, words);
  }

  /** The bytes with all but the coefficients, and a place for these. */
  written(id, count, scale) {
    const bytes = Buffer.alloc(HEAD + 8 * count);
    const inner = HEADER + 8 + 8 * count;
    bytes.set(this.magic, 0);
    bytes.writeBigUInt64LE(BigInt(bytes.length), 8);
    id.forEach((word, i) => bytes.writeBigUInt64LE(BigInt(word), HEADER + 8 * i));
    bytes.writeBigUInt64LE(BigInt(count), HEADER + 32);
    bytes.writeDoubleLE(scale, HEADER + 40);
    bytes.set(this.magic, HEADER + 48);
    bytes.writeBigUInt64LE(BigInt(inner), HEADER + 56);
    bytes.writeBigUInt64LE(BigInt(count), HEADER + 64);
    return [bytes, new BigUint64Array(count)];
  }

  loaded(bytes, words) {
    bytes.set(new Uint8Array(words.buffer), HEAD);
    const plain = this.seal.PlainText();
    plain.loadArray(this.context, bytes);
    return plain;
  }
}

export function positive(value, modulus) {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}
