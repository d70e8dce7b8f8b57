// The noise of a BFV or BGV ciphertext, by the secret key: exact arithmetic, and out of every sample.
// `workers/python/worker/noise.py` says what the polynomials look like.

import { Refusal, UNSUPPORTED } from "./refusal.js";

const SMALL = 64n; // of a secret's coefficients: ternary, or Gaussian of standard deviation 3.19
const GUARD = 64; // bits of a quotient before it is rounded to a double
const roots = new Map();

/**
 * [times * sum_i c_i s^i]_Q / Q, each coefficient in [-1/2, 1/2), as a Float64Array.
 *
 * `parts` are c_0, c_1, ... and `secret` the key, each a list of limbs by their values.
 */
export function invariantNoise({ primes, parts, secret }, times) {
  const n = secret[0].length;
  const first = inverse(secret[0], primes[0], leastRoot(primes[0], n));
  if (first.some((c) => (c + SMALL) % primes[0] > 2n * SMALL)) {
    throw new Refusal(UNSUPPORTED, "noise: the secret key is not written in the form that is known");
  }
  const modulus = primes.reduce((product, q) => product * q, 1n);
  const total = Array(n).fill(0n);
  primes.forEach((q, limb) => {
    const rest = modulus / q;
    const factor = power(rest % q, q - 2n, q);
    const limbs = coefficients(parts.map((part) => part[limb]), secret[limb], q, times);
    limbs.forEach((c, i) => (total[i] += ((c * factor) % q) * rest));
  });
  return Float64Array.from(total, (c) => fraction(c % modulus, modulus));
}

/** Of times * sum_i c_i s^i, modulo one prime. */
function coefficients(parts, secret, q, times) {
  const n = secret.length;
  const value = Array(n).fill(0n);
  for (const part of parts.toReversed?.() ?? [...parts].reverse()) {
    for (let i = 0; i < n; i++) value[i] = (value[i] * secret[i] + part[i]) % q;
  }
  return inverse(value.map((x) => (x * times) % q), q, leastRoot(q, n));
}

/** The coefficients of the polynomial of these values, modulo X^n + 1: Gentleman and Sande's butterflies. */
function inverse(values, q, root) {
  const n = values.length;
  const powers = powersReversed(root, q, n);
  const x = Array.from(values);
  for (let half = 1, blocks = n >> 1; blocks >= 1; half <<= 1, blocks >>= 1) {
    for (let block = 0; block < blocks; block++) {
      const factor = powers[blocks + block];
      for (let i = 2 * half * block, end = i + half; i < end; i++) {
        const [u, v] = [x[i], x[i + half]];
        x[i] = u + v >= q ? u + v - q : u + v;
        x[i + half] = ((u + q - v) * factor) % q;
      }
    }
  }
  const scale = power(BigInt(n), q - 2n, q);
  return x.map((c) => (c * scale) % q);
}

/** root^-b for every b < n, in bit-reversed order. */
function powersReversed(root, q, n) {
  const inverseRoot = power(root, q - 2n, q);
  let found = [1n];
  while (found.length < n) {
    const step = power(inverseRoot, BigInt(n / (2 * found.length)), q);
    found = [...found, ...found.map((x) => (x * step) % q)];
  }
  return found;
}

/** The smallest root of X^n + 1 modulo the prime, which SEAL takes (util/ntt.cpp). */
function leastRoot(q, n) {
  const key = `${q} ${n}`;
  if (!roots.has(key)) roots.set(key, searchedRoot(q, n));
  return roots.get(key);
}

function searchedRoot(q, n) {
  let root = 0n;
  for (let g = 2n; power(root, BigInt(n), q) !== q - 1n; g++) root = power(g, (q - 1n) / BigInt(2 * n), q);
  const square = (root * root) % q;
  let least = root;
  for (let i = 1; i < n; i++) {
    root = (root * square) % q;
    if (root < least) least = root;
  }
  return least;
}

function power(base, exponent, q) {
  let [result, x] = [1n, base % q];
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = (result * x) % q;
    x = (x * x) % q;
  }
  return result;
}

/** c / modulus for the representative of c in [-modulus/2, modulus/2). */
function fraction(c, modulus) {
  const centred = 2n * c >= modulus ? c - modulus : c;
  if (centred === 0n) return 0;
  const size = centred < 0n ? -centred : centred;
  const shift = bits(modulus) - bits(size) + GUARD;
  const quotient = Number((size << BigInt(shift)) / modulus) * 2 ** -shift;
  return centred < 0n ? -quotient : quotient;
}

function bits(x) {
  return x.toString(2).length;
}
