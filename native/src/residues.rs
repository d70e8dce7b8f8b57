//! From multi-precision coefficients to residues modulo one prime.

use crate::integers::{by_length, sign};
use crate::primes::{mul_mod, PRIME_BITS};

/// One matrix's coefficients: `limbs` limbs each, two's complement or (`modular`) plain magnitudes.
#[derive(Clone, Copy)]
pub struct Coefficients<'a> {
    pub data: &'a [u64],
    pub limbs: usize,
    pub modular: bool,
    pub bits: usize,
}

impl Coefficients<'_> {
    /// Returns how many limbs hold every coefficient, given that none exceeds 2^bits in absolute value.
    fn used_limbs(&self) -> usize {
        let needed = (self.bits + if self.modular { 1 } else { 2 }).div_ceil(64);
        needed.min(self.limbs)
    }

    /// Returns whether every coefficient lies between -p and p for every prime, so that nothing need be reduced.
    pub fn small(&self) -> bool {
        self.bits < PRIME_BITS - 1
    }
}

/// Residues scale * x mod p by one lazy sum of limb * weight and one Montgomery reduction.
pub struct Residues {
    p: u64,
    negated_inverse: u64,
    quotient: u64,
    weights: Vec<u64>,
    minus: u64,
    plain: bool,
}

impl Residues {
    /// Prepares residues modulo the odd p < 2^50 of coefficients like these, multiplied by `scale`.
    pub fn new(p: u64, scale: u64, x: &Coefficients) -> Self {
        let word = ((1u128 << 64) % p as u128) as u64;
        let mut weights = vec![mul_mod(scale % p, word, p)]; // one word more than 2^(64 j): Montgomery divides by it
        for j in 0..x.used_limbs() {
            weights.push(mul_mod(weights[j], word, p));
        }
        let minus = p - weights[x.used_limbs()];
        weights.truncate(x.used_limbs());
        let minus = if x.modular { 0 } else { minus };
        Self {
            p,
            negated_inverse: negated_inverse(p),
            quotient: ((1u128 << 64) / p as u128) as u64,
            weights,
            minus,
            plain: scale == 1 && x.small(),
        }
    }

    /// Writes the residues, in [0, p), of all coefficients.
    pub fn fill(&self, x: &Coefficients, out: &mut [u64]) {
        if self.plain {
            self.fill_plain(x, out)
        } else {
            by_length!(self.weights.len(), self.fill_with(x, out))
        }
    }

    /// As `fill`, where every coefficient is its residue, or p less.
    fn fill_plain(&self, x: &Coefficients, out: &mut [u64]) {
        for (x, out) in x.data.chunks_exact(x.limbs).zip(out) {
            *out = x[0].wrapping_add(self.p & sign(&x[..1]));
        }
    }

    #[inline(always)]
    fn fill_with(&self, x: &Coefficients, out: &mut [u64], used: usize) {
        let weights = &self.weights[..used];
        for (x, out) in x.data.chunks_exact(x.limbs).zip(out) {
            let x = &x[..used];
            let start = (sign(x) & self.minus) as u128;
            let terms = x.iter().zip(weights).map(|(&x, &weight)| x as u128 * weight as u128);
            *out = self.reduce(start + terms.sum::<u128>());
        }
    }

    /// Returns sum / 2^64 mod p for a sum below 2^126.
    #[inline(always)]
    fn reduce(&self, sum: u128) -> u64 {
        let multiple = (sum as u64).wrapping_mul(self.negated_inverse);
        let low = ((sum + multiple as u128 * self.p as u128) >> 64) as u64;
        let quotient = ((low as u128 * self.quotient as u128) >> 64) as u64;
        let rest = low - quotient * self.p;
        rest.min(rest.wrapping_sub(self.p))
    }
}

/// Returns -1/p mod 2^64 for an odd p, by Newton's iteration.
fn negated_inverse(p: u64) -> u64 {
    let inverse = (0..6).fold(p, |v, _| v.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(v))));
    inverse.wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::{primes, residue};

    #[test]
    fn lazy_residues_are_the_remainders_of_long_division() {
        let edges = [[0; 3], [1, 0, 0], [u64::MAX; 3], [0, 0, 1 << 63], [u64::MAX, u64::MAX, (1 << 63) - 1]];
        let data = edges.concat();
        for p in primes(5) {
            for (modular, scale) in [(true, 1), (true, p - 1), (false, 1), (false, 3)] {
                let x = Coefficients { data: &data, limbs: 3, modular, bits: 192 };
                let mut out = [0; 5];
                Residues::new(p, scale, &x).fill(&x, &mut out);
                for (x, got) in edges.iter().zip(out) {
                    let minus = if modular || sign(x) == 0 { 0 } else { p - residue(&[0, 0, 0, 1], p) };
                    assert_eq!(got, mul_mod((residue(x, p) + minus) % p, scale, p));
                }
            }
        }
    }
}
