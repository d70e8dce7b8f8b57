//! Residues modulo many primes below 2^62, one limb of n words for each: transforms, arithmetic, base conversion.

use crate::integers::{add_mul, compare, shift_right, sub_assign, sub_mul};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tfhe_ntt::prime64::Plan;

/// Moduli have at most so many bits: sums of `TERMS` products and a residue stay below 2^128.
pub const MOST_BITS: u32 = 62;
const TERMS: usize = 8;

/// The transforms made so far, by n and prime; they stay for the life of the process.
static PLANS: Mutex<BTreeMap<(usize, u64), Arc<Plan>>> = Mutex::new(BTreeMap::new());

/// Returns the transform of n coefficients modulo p, or nothing unless n >= 16 and p is a prime 1 modulo 2n.
pub fn plan(n: usize, p: u64) -> Option<Arc<Plan>> {
    let mut known = PLANS.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(plan) = known.get(&(n, p)) {
        return Some(plan.clone());
    }
    let plan = Arc::new(Plan::try_new(n, p)?);
    known.insert((n, p), plan.clone());
    Some(plan)
}

/// Transforms every limb in place to values at the roots of X^n + 1, in the order of tfhe-ntt.
pub fn forward(plans: &[Arc<Plan>], x: &mut [u64]) {
    for (plan, limb) in plans.iter().zip(x.chunks_exact_mut(x.len() / plans.len())) {
        plan.fwd(limb);
    }
}

/// Transforms every limb in place back to coefficients.
pub fn inverse(plans: &[Arc<Plan>], x: &mut [u64]) {
    for (plan, limb) in plans.iter().zip(x.chunks_exact_mut(x.len() / plans.len())) {
        plan.inv(limb);
        plan.normalize(limb);
    }
}

/// A modulus 2 <= p < 2^62, prime or not.
pub struct Modulus {
    pub p: u64,
    /// floor((2^128 - 1) / p)
    reciprocal: u128,
}

impl Modulus {
    pub fn new(p: u64) -> Self {
        Self { p, reciprocal: u128::MAX / p as u128 }
    }

    /// Returns x mod p.
    ///
    /// The quotient found is at most 1 too small, since 2^128 / p - reciprocal <= 1.
    #[inline(always)]
    pub fn reduce(&self, x: u128) -> u64 {
        let quotient = high(x, self.reciprocal);
        let rest = x.wrapping_sub(quotient.wrapping_mul(self.p as u128)) as u64;
        rest.min(rest.wrapping_sub(self.p))
    }

    #[inline(always)]
    pub fn multiply(&self, x: u64, y: u64) -> u64 {
        self.reduce(x as u128 * y as u128)
    }

    #[inline(always)]
    pub fn add(&self, x: u64, y: u64) -> u64 {
        (x + y).min((x + y).wrapping_sub(self.p))
    }

    #[inline(always)]
    pub fn subtract(&self, x: u64, y: u64) -> u64 {
        let difference = x.wrapping_sub(y);
        difference.min(difference.wrapping_add(self.p))
    }

    /// Returns the sum of products modulo p; the first factors are below 2^62, the second below p.
    #[inline(always)]
    fn sum(&self, products: impl Iterator<Item = (u64, u64)>) -> u64 {
        let mut sum = 0;
        for (k, (x, y)) in products.enumerate() {
            if k % TERMS == 0 {
                sum = self.reduce(sum) as u128;
            }
            sum += x as u128 * y as u128;
        }
        self.reduce(sum)
    }
}

/// Returns floor(x y / 2^128).
#[inline(always)]
fn high(x: u128, y: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (x0, x1, y0, y1) = (x & LOW, x >> 64, y & LOW, y >> 64);
    let middle = x1 * y0 + ((x0 * y0) >> 64);
    let (carried, middle) = (middle >> 64, x0 * y1 + (middle & LOW));
    x1 * y1 + carried + (middle >> 64)
}

/// Writes f(p, x, y) of every two residues.
pub fn pairwise(
    moduli: &[Modulus],
    x: &[u64],
    y: &[u64],
    out: &mut [u64],
    f: impl Fn(&Modulus, u64, u64) -> u64,
) {
    let n = out.len() / moduli.len();
    for (l, (p, out)) in moduli.iter().zip(out.chunks_exact_mut(n)).enumerate() {
        for ((x, y), out) in x[l * n..].iter().zip(&y[l * n..]).zip(out) {
            *out = f(p, *x, *y);
        }
    }
}

/// Writes f(p, x, c) of every residue, with one constant c for each limb.
pub fn by_constants(
    moduli: &[Modulus],
    x: &[u64],
    constants: &[u64],
    out: &mut [u64],
    f: impl Fn(&Modulus, u64, u64) -> u64,
) {
    let n = out.len() / moduli.len();
    let limbs = x.chunks_exact(n).zip(out.chunks_exact_mut(n));
    for ((p, &c), (x, out)) in moduli.iter().zip(constants).zip(limbs) {
        for (x, out) in x.iter().zip(out) {
            *out = f(p, *x, c);
        }
    }
}

/// Writes sum_i x_i y_i, value by value.
pub fn inner_product(moduli: &[Modulus], xs: &[&[u64]], ys: &[&[u64]], out: &mut [u64]) {
    let n = out.len() / moduli.len();
    for (k, out) in out.iter_mut().enumerate() {
        *out = moduli[k / n].sum(xs.iter().zip(ys).map(|(x, y)| (x[k], y[k])));
    }
}

/// Writes sum_i x_i C_ij modulo the j-th of the moduli, for residues x_i (one limb each) of any primes.
///
/// `matrix` holds the C_ij, those of one j after another.
pub fn convert(moduli: &[Modulus], x: &[u64], matrix: &[u64], out: &mut [u64]) {
    let n = out.len() / moduli.len();
    let rows = matrix.chunks_exact(x.len() / n);
    for ((p, row), out) in moduli.iter().zip(rows).zip(out.chunks_exact_mut(n)) {
        for (k, out) in out.iter_mut().enumerate() {
            *out = p.sum(row.iter().enumerate().map(|(i, &c)| (x[i * n + k], c)));
        }
    }
}

/// Writes the integers sum_i y_i Q / p_i modulo Q, y_i < p_i, in [0, Q), or in (-Q/2, Q/2] where `centred`.
///
/// `cofactors`: the Q / p_i and Q, each in the limbs of one integer written, which hold 2 Q.
pub fn reconstruct(moduli: &[u64], y: &[u64], cofactors: &[Vec<u64>], centred: bool, out: &mut [u64]) {
    let n = y.len() / moduli.len();
    let (cofactors, q) = (&cofactors[..moduli.len()], &cofactors[moduli.len()]);
    let mut half = q.clone();
    shift_right(q, 1, &mut half);
    for (k, out) in out.chunks_exact_mut(q.len()).enumerate() {
        let mut multiples = -0.5; // so that what is subtracted is never too much, and at most Q too little
        for ((p, cofactor), y) in moduli.iter().zip(cofactors).zip(y.chunks_exact(n)) {
            add_mul(out, cofactor, y[k]);
            multiples += y[k] as f64 / *p as f64;
        }
        sub_mul(out, q, multiples.max(0.0) as u64);
        while compare(out, q) != Ordering::Less {
            sub_assign(out, q);
        }
        if centred && compare(out, &half) == Ordering::Greater {
            sub_assign(out, q);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ntt::schoolbook;
    use crate::primes::{invert, mul_mod};

    /// Primes of 20, 30, 50, 51, 60, 61 and 62 bits that are 1 modulo 2^18, one modulo every size of n and p.
    const PRIMES: [u64; 7] = [
        786433,
        1073479681,
        1125899902124033,
        2251799807131649,
        1152921504606584833,
        2305843009211596801,
        4611686018425815041,
    ];

    fn moduli(primes: &[u64]) -> Vec<Modulus> {
        primes.iter().map(|&p| Modulus::new(p)).collect()
    }

    /// Returns residues that reach p - 1.
    fn residues(n: usize, p: u64, seed: u64) -> Vec<u64> {
        (0..n as u64)
            .map(|k| if k % 3 == 0 { p - 1 } else { mul_mod(k + seed, p / (k + 2) + 1, p) })
            .collect()
    }

    #[test]
    fn arithmetic_agrees_with_remainders_for_moduli_of_every_size() {
        for p in [2, 3, 257, 1 << 32, (1 << 50) - 27, (1 << 61) - 1, (1 << 62) - 57, (1 << 62) - 1] {
            let edges = [0, 1, 2 % p, p / 2, p - 1];
            let modulus = Modulus::new(p);
            for (x, y) in edges.into_iter().flat_map(|x| edges.map(|y| (x, y))) {
                assert_eq!(modulus.multiply(x, y), mul_mod(x, y, p));
                assert_eq!(modulus.add(x, y), (x + y) % p);
                assert_eq!(modulus.subtract(x, y), (x + p - y) % p);
            }
            let square = p as u128 * p as u128;
            for x in [u128::MAX, u128::MAX - 1, u128::MAX / 2 + 1, square, square - 1] {
                assert_eq!(modulus.reduce(x) as u128, x % p as u128);
            }
        }
    }

    #[test]
    fn transformed_products_are_schoolbook_products_in_full_residues() {
        for (n, p) in [16, 32, 128].into_iter().flat_map(|n| PRIMES.map(|p| (n, p))) {
            let (plans, modulus) = ([plan(n, p).unwrap()], moduli(&[p]));
            let (mut x, mut y) = (residues(n, p, 1), residues(n, p, 5));
            let mut wanted = vec![0; n];
            schoolbook(&mut wanted, &x, &y, p);
            forward(&plans, &mut x);
            forward(&plans, &mut y);
            assert!(x.iter().chain(&y).all(|&v| v < p));
            let mut out = vec![0; n];
            pairwise(&modulus, &x, &y, &mut out, Modulus::multiply);
            inverse(&plans, &mut out);
            assert_eq!(out, wanted);
        }
    }

    #[test]
    fn the_largest_transform_returns_what_it_was_given() {
        let n = 1 << 17;
        for p in PRIMES {
            let (plans, x) = ([plan(n, p).unwrap()], residues(n, p, 3));
            let mut y = x.clone();
            forward(&plans, &mut y);
            inverse(&plans, &mut y);
            assert_eq!(x, y);
        }
    }

    #[test]
    fn sums_of_many_of_the_largest_products_do_not_overflow() {
        let p = (1 << 62) - 57;
        let (x, mut out) = (vec![p - 1; 2], vec![0; 2]);
        for terms in [1, 7, 8, 9, 100] {
            inner_product(&moduli(&[p, p]), &vec![&x[..]; terms], &vec![&x[..]; terms], &mut out);
            assert_eq!(out, [terms as u64; 2]);
        }
    }

    #[test]
    fn integers_are_put_together_from_their_residues_and_taken_apart_again() {
        let primes = [PRIMES[1], PRIMES[5]]; // Q has 91 bits
        let q = primes[0] as u128 * primes[1] as u128;
        let words = |x: u128| vec![x as u64, (x >> 64) as u64];
        let cofactors = [words(primes[1] as u128), words(primes[0] as u128), words(q)];
        for (x, centred) in [0, 1, q / 2, q / 2 + 1, q - 1].into_iter().flat_map(|x| [(x, false), (x, true)])
        {
            let part = |i: usize| {
                let (p, other) = (primes[i], primes[1 - i]);
                mul_mod((x % p as u128) as u64, invert(other % p, p), p)
            };
            let mut out = vec![0; 2];
            reconstruct(&primes, &[part(0), part(1)], &cofactors, centred, &mut out);
            let wanted = if centred && x > q / 2 { x.wrapping_sub(q) } else { x };
            assert_eq!(out, words(wanted));
        }
    }

    #[test]
    fn a_conversion_is_a_product_with_a_matrix() {
        let (x, matrix) = ([1, 2, 10, 20, 100, 200], [1, 2, 3, 4, 5, 6]); // three limbs to two, n = 2
        let mut out = [0; 4];
        convert(&moduli(&[257, 1009]), &x, &matrix, &mut out);
        assert_eq!(out, [321 % 257, 642 % 257, 654, (2 * 654) % 1009]);
    }
}
