//! The primes of the residue number system and arithmetic modulo one of them.

use std::sync::Mutex;

/// Every prime lies in (2^49, 2^50): below it tfhe-ntt runs its fused 52-bit kernels where the processor has them,
/// and sums of products of a limb and a residue stay below 2^128.
pub const PRIME_BITS: usize = 50;

/// The primes are 1 modulo 2^16, so that one list serves every n up to 2^15.
const STEP: u64 = 1 << 16;

/// Products that need more primes than these (about 12,800 bits) are refused.
pub const MOST_PRIMES: usize = 256;

static PRIMES: Mutex<Vec<u64>> = Mutex::new(Vec::new());

/// Returns the `count` largest usable primes, largest first.
pub fn primes(count: usize) -> Vec<u64> {
    let mut known = PRIMES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    while known.len() < count {
        let mut candidate = known.last().copied().unwrap_or((1 << PRIME_BITS) + 1) - STEP;
        while !tfhe_ntt::prime::is_prime64(candidate) {
            candidate -= STEP;
        }
        known.push(candidate);
    }
    known[..count].to_vec()
}

/// Returns x y mod p.
pub fn mul_mod(x: u64, y: u64, p: u64) -> u64 {
    (x as u128 * y as u128 % p as u128) as u64
}

/// Returns x^e mod p.
pub fn pow_mod(x: u64, e: u64, p: u64) -> u64 {
    let bits = (0..64 - e.leading_zeros()).rev();
    bits.fold(1, |y, bit| {
        let square = mul_mod(y, y, p);
        if e >> bit & 1 == 1 {
            mul_mod(square, x, p)
        } else {
            square
        }
    })
}

/// Returns 1/x mod p for a prime p that does not divide x.
pub fn invert(x: u64, p: u64) -> u64 {
    pow_mod(x % p, p - 2, p)
}

/// Returns the magnitude modulo p.
pub fn residue(x: &[u64], p: u64) -> u64 {
    x.iter().rev().fold(0, |rest, &limb| (((rest as u128) << 64 | limb as u128) % p as u128) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_primes_are_distinct_of_fifty_bits_and_one_modulo_two_to_the_sixteen() {
        let all = primes(MOST_PRIMES);
        assert!(all.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(all.iter().all(|p| p >> (PRIME_BITS - 1) == 1 && p % STEP == 1));
        assert!(all.iter().all(|&p| pow_mod(2, p - 1, p) == 1 && mul_mod(invert(3, p), 3, p) == 1));
    }

    #[test]
    fn the_primes_product_loses_less_than_one_bit() {
        let lost: f64 = primes(MOST_PRIMES).iter().map(|&p| PRIME_BITS as f64 - (p as f64).log2()).sum();
        assert!(lost < 1.0);
    }
}
