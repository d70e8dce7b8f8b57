//! Negacyclic transforms modulo one prime, kept for as long as the process lives.

use crate::primes::{invert, mul_mod};
use std::sync::{Arc, Mutex};
use tfhe_ntt::prime64::Plan;

/// The least n that tfhe-ntt transforms; below it polynomials are multiplied as they are.
const LEAST: usize = 16;

/// Largest log2 n; the primes have 2^16-th roots of unity and no more.
pub const MOST_LOG_N: usize = 15;

/// What the entries of a matrix become modulo p before they are multiplied.
pub struct Transform {
    p: u64,
    plan: Option<Plan>,
    /// By what the inverse of sums of products must still be multiplied modulo p.
    pub normalisation: u64,
}

/// Per log2 n the transforms made so far, in the order of the primes.
static CACHE: [Mutex<Vec<Arc<Transform>>>; MOST_LOG_N + 1] =
    [const { Mutex::new(Vec::new()) }; MOST_LOG_N + 1];

/// Returns the transforms of size n modulo each of the primes, which are the first of the list in `primes.rs`.
pub fn transforms(n: usize, primes: &[u64]) -> Vec<Arc<Transform>> {
    let cache = &CACHE[n.trailing_zeros() as usize];
    let mut known = cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for &p in &primes[known.len().min(primes.len())..] {
        known.push(Arc::new(Transform::new(n, p)));
    }
    known[..primes.len()].to_vec()
}

/// Returns the bytes that the transforms of size n modulo `count` primes keep.
pub fn table_bytes(n: usize, count: usize) -> usize {
    if n < LEAST {
        0
    } else {
        4 * 8 * n * count
    }
}

impl Transform {
    fn new(n: usize, p: u64) -> Self {
        if n < LEAST {
            return Self { p, plan: None, normalisation: 1 };
        }
        let plan = Some(Plan::try_new(n, p).expect("every prime is 1 modulo 2n"));
        Self { p, plan, normalisation: invert(n as u64, p) }
    }

    /// Transforms residues below p in place.
    pub fn forward(&self, x: &mut [u64]) {
        if let Some(plan) = &self.plan {
            plan.fwd(x);
        }
    }

    /// Transforms sums of products back in place, up to the factor `normalisation`.
    pub fn inverse(&self, x: &mut [u64]) {
        if let Some(plan) = &self.plan {
            plan.inv(x);
        }
    }

    /// Adds the product of two transformed polynomials to `sum`, modulo p.
    pub fn accumulate(&self, sum: &mut [u64], x: &[u64], y: &[u64]) {
        match &self.plan {
            Some(plan) => plan.mul_accumulate(sum, x, y),
            None => schoolbook(sum, x, y, self.p),
        }
    }

    /// Multiplies transformed residues by `scale` < p in place.
    pub fn scale(&self, x: &mut [u64], scale: u64) {
        let factor = (((scale as u128) << 64) / self.p as u128) as u64;
        for x in x {
            let quotient = ((*x as u128 * factor as u128) >> 64) as u64;
            let rest = x.wrapping_mul(scale).wrapping_sub(quotient.wrapping_mul(self.p));
            *x = rest.min(rest.wrapping_sub(self.p));
        }
    }
}

/// Adds x y modulo X^n + 1 and p to `sum`: n^2 steps, for n below `LEAST` only.
pub fn schoolbook(sum: &mut [u64], x: &[u64], y: &[u64], p: u64) {
    for (i, &x) in x.iter().enumerate() {
        for (j, &y) in y.iter().enumerate() {
            let term = mul_mod(x, y, p);
            let (wraps, n) = (i + j >= sum.len(), sum.len());
            let place = &mut sum[(i + j) % n];
            *place = (*place + if wraps && term != 0 { p - term } else { term }) % p;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::primes::primes;

    #[test]
    fn transformed_products_are_schoolbook_products() {
        for (n, p) in [8, 16, 64, 256].into_iter().flat_map(|n| primes(3).into_iter().map(move |p| (n, p))) {
            let transform = Transform::new(n, p);
            let x: Vec<u64> = (0..n as u64).map(|k| p - 1 - k * k).collect();
            let y: Vec<u64> = (0..n as u64).map(|k| if k % 3 == 0 { p - 1 } else { p / (k + 1) }).collect();
            let (mut wanted, mut sum) = (vec![0; n], vec![0; n]);
            schoolbook(&mut wanted, &x, &y, p);
            let (mut x, mut y) = (x, y);
            transform.forward(&mut x);
            transform.forward(&mut y);
            transform.accumulate(&mut sum, &x, &y);
            transform.scale(&mut sum, transform.normalisation);
            transform.inverse(&mut sum);
            assert_eq!(sum, wanted);
        }
    }
}
