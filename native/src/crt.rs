//! From the residues modulo many primes back to the integer (Chinese remainders), or to that modulo q.

use crate::division::BATCH;
use crate::integers::{add_mul, divide_by_word, negate_if, significant};
use crate::primes::{invert, primes, residue, MOST_PRIMES};
use std::sync::OnceLock;

/// The constants of the first primes of the list, with product M.
pub struct Basis {
    pub primes: Vec<u64>,
    /// M / p_i for every i, then -M in two's complement; each in as many limbs as M has.
    pub cofactors: Vec<Vec<u64>>,
    /// (M / p_i)^-1 mod p_i
    pub inverses: Vec<u64>,
    reciprocals: Vec<f64>,
}

/// One basis per count of primes, made when it is first needed.
static BASES: [OnceLock<Basis>; MOST_PRIMES + 1] = [const { OnceLock::new() }; MOST_PRIMES + 1];

impl Basis {
    /// Returns the basis of `count` primes, 1 <= count <= `MOST_PRIMES`.
    pub fn of(count: usize) -> &'static Self {
        BASES[count].get_or_init(|| Self::new(count))
    }

    fn new(count: usize) -> Self {
        let primes = primes(count);
        let modulus = product(&primes);
        let mut cofactors = vec![modulus.clone(); count + 1];
        for (cofactor, &p) in cofactors.iter_mut().zip(&primes) {
            divide_by_word(cofactor, p);
        }
        negate_if(true, &mut cofactors[count]);
        let inverses =
            cofactors.iter().zip(&primes).map(|(cofactor, &p)| invert(residue(cofactor, p), p)).collect();
        let reciprocals = primes.iter().map(|&p| 1.0 / p as f64).collect();
        Self { primes, cofactors, inverses, reciprocals }
    }

    /// Returns the number of limbs of M.
    pub fn limbs(&self) -> usize {
        self.cofactors[0].len()
    }

    /// Returns the counts of multiples of M by which sum_i y_i M / p_i exceeds x, for |x| <= M / 4.
    ///
    /// sum_i y_i / p_i is then within 1/4 of that integer, and the sum's rounding error is far below 1/4.
    fn multiples(&self, y: &[[u64; BATCH]]) -> [u64; BATCH] {
        let mut sums = [0.5; BATCH];
        for (y, reciprocal) in y.iter().zip(&self.reciprocals) {
            for (sum, &y) in sums.iter_mut().zip(y) {
                *sum += float(y) * reciprocal;
            }
        }
        sums.map(|sum| sum as i64 as u64)
    }
}

/// Returns the product of the factors without leading zeros.
fn product(factors: &[u64]) -> Vec<u64> {
    let mut out = vec![0; factors.len()];
    out[0] = 1;
    for &factor in factors {
        let x = out.clone();
        out.fill(0);
        add_mul(&mut out, &x, factor);
    }
    significant(&out).to_vec()
}

/// Limbs of the constants that are summed side by side: as many 128-bit sums as there are registers for.
const LANES: usize = 4;

/// Sums sum_i y_i C_i + k C_last with the y_i below 2^50, modulo 2^(64 length), of `BATCH` coefficients at once.
///
/// With C_i = M / p_i and C_last = -M it gives the integer; with all of these modulo q a multiple of q more.
pub struct Recombination<'a> {
    pub basis: &'a Basis,
    pub length: usize,
    constants: Vec<[u64; LANES]>,
    y: Vec<[u64; BATCH]>,
}

impl<'a> Recombination<'a> {
    /// Prepares sums of `length` limbs; `constants` are the C_i and C_last, one after the other, of that length.
    pub fn new(basis: &'a Basis, constants: &[Vec<u64>], length: usize) -> Self {
        let limb = |constant: &[u64], j: usize| if j < length { constant[j] } else { 0 };
        let block = |first: usize| constants.iter().map(move |c| std::array::from_fn(|j| limb(c, first + j)));
        let constants = (0..length).step_by(LANES).flat_map(block).collect();
        Self { basis, length, constants, y: vec![[0; BATCH]; basis.primes.len() + 1] }
    }

    /// Writes the sums of as many coefficients, up to `BATCH`, as `out` has places for.
    ///
    /// `y` begins with the first coefficient's residue modulo the first prime; `step` leads to the next prime.
    pub fn combine(&mut self, y: &[u64], step: usize, out: &mut [u64]) {
        let used = out.len() / self.length;
        for (batch, y) in self.y.iter_mut().zip(y.chunks(step)) {
            batch[..used].copy_from_slice(&y[..used]);
        }
        let count = self.basis.primes.len();
        self.y[count] = self.basis.multiples(&self.y[..count]);
        for (k, out) in out.chunks_exact_mut(self.length).enumerate() {
            self.sum(k, out);
        }
    }

    /// Writes the sum of one coefficient of the batch.
    #[inline(always)]
    fn sum(&self, k: usize, out: &mut [u64]) {
        let mut carry = 0;
        for (block, out) in self.constants.chunks_exact(self.y.len()).zip(out.chunks_mut(LANES)) {
            for (sum, out) in self.block(k, block).into_iter().zip(out) {
                let sum = sum + carry;
                *out = sum as u64;
                carry = sum >> 64;
            }
        }
    }

    /// Returns the sums of a block of limbs before they are carried over.
    #[inline(always)]
    fn block(&self, k: usize, constants: &[[u64; LANES]]) -> [u128; LANES] {
        self.y.iter().zip(constants).fold([0; LANES], |sums, (y, constants)| {
            std::array::from_fn(|j| sums[j] + y[k] as u128 * constants[j] as u128)
        })
    }
}

/// Returns y < 2^52 as a float: it is the mantissa of 2^52 + y. Plain conversions of 64 bits are not vectorised.
#[inline(always)]
fn float(y: u64) -> f64 {
    const WHOLE: f64 = (1u64 << 52) as f64;
    f64::from_bits(y | WHOLE.to_bits()) - WHOLE
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integers::{extend, shift_right, sign};
    use crate::primes::mul_mod;

    #[test]
    fn integers_up_to_a_quarter_of_the_product_are_recovered() {
        for count in [1, 2, 3, 13, 36, MOST_PRIMES] {
            let basis = Basis::of(count);
            let length = basis.limbs();
            let mut recombination = Recombination::new(basis, &basis.cofactors, length);
            for x in extremes(basis) {
                let y: Vec<u64> = basis
                    .primes
                    .iter()
                    .zip(&basis.inverses)
                    .map(|(&p, &inverse)| {
                        let mut wide = vec![0; length + 1];
                        wide[length] = 1;
                        let minus = if sign(&x) == 0 { 0 } else { p - residue(&wide, p) };
                        mul_mod((residue(&x, p) + minus) % p, inverse, p)
                    })
                    .collect();
                let mut out = vec![0; length];
                recombination.combine(&y, 1, &mut out);
                assert_eq!(out, x);
            }
        }
    }

    /// Returns 0, 1, -1 and plus and minus floor(M / 4), in two's complement.
    fn extremes(basis: &Basis) -> Vec<Vec<u64>> {
        let mut modulus = basis.cofactors[basis.primes.len()].clone();
        negate_if(true, &mut modulus);
        let mut most = vec![0; basis.limbs()];
        shift_right(&modulus, 2, &mut most);
        let mut least = most.clone();
        negate_if(true, &mut least);
        let small = [0, 1, u64::MAX].map(|x| {
            let mut out = most.clone();
            extend(&[x], &mut out);
            out
        });
        [vec![most, least], small.to_vec()].concat()
    }
}
