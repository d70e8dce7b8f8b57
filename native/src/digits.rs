//! Digits of residues in a base w, and residues from digits.

use crate::division::{reflect, Remainder, BATCH};
use crate::integers::{add_assign, add_mul, divide_by_word, multiply, shift_right, sign, significant, widen};

/// Where digits stand: those of entry e in the entries e * count + digit.
struct Layout {
    n: usize,
    count: usize,
    limbs: usize,
}

impl Layout {
    /// Returns where a digit of the coefficient with this index begins.
    #[inline(always)]
    fn start(&self, index: usize, digit: usize) -> usize {
        let (entry, k) = (index / self.n, index % self.n);
        ((entry * self.count + digit) * self.n + k) * self.limbs
    }
}

/// Writes the `count` lowest digits in base 2^w_bits, ceil(w_bits / 64) limbs each, least significant first.
pub fn decompose(x: &[u64], limbs: usize, n: usize, w_bits: usize, count: usize, out: &mut [u64]) {
    let length = w_bits.div_ceil(64);
    let top = u64::MAX >> (64 * length - w_bits);
    for (digit, out) in out.chunks_exact_mut(n * length).enumerate() {
        let x = &x[digit / count * n * limbs..][..n * limbs];
        for (x, out) in x.chunks_exact(limbs).zip(out.chunks_exact_mut(length)) {
            shift_right(x, digit % count * w_bits, out);
            out[length - 1] &= top;
        }
    }
}

/// Writes the `count` lowest digits in base w, 2 <= w < 2^63, one limb each, least significant first.
///
/// The long division is by the largest power of w below 2^64; its remainders are split in single limbs.
pub fn decompose_word(x: &[u64], limbs: usize, n: usize, w: u64, count: usize, out: &mut [u64]) {
    let layout = Layout { n, count, limbs: 1 };
    let (power, chunk) = largest_power(w);
    let mut rest = vec![0; limbs];
    for (index, x) in x.chunks_exact(limbs).enumerate() {
        rest.copy_from_slice(x);
        for first in (0..count).step_by(chunk) {
            let mut value = divide_by_word(&mut rest, power);
            for digit in first..count.min(first + chunk) {
                out[layout.start(index, digit)] = value % w;
                value /= w;
            }
        }
    }
}

/// Returns (w^e, e) with the largest w^e < 2^64.
fn largest_power(w: u64) -> (u64, usize) {
    let (mut power, mut exponent) = (w, 1);
    while let Some(next) = power.checked_mul(w) {
        (power, exponent) = (next, exponent + 1);
    }
    (power, exponent)
}

/// Writes sum_k digit_k w^k mod q of signed digits of `limbs` limbs; w is any signed integer.
pub fn compose(digits: &[u64], limbs: usize, n: usize, w: &[u64], count: usize, q: &[u64], out: &mut [u64]) {
    let layout = Layout { n, count, limbs };
    let table = powers(w, count, limbs, q);
    let mut sums = vec![0; (q.len() + 2) * BATCH];
    let mut remainder = Remainder::new(q, q.len() + 2);
    for (block, out) in out.chunks_mut(BATCH * q.len()).enumerate() {
        let used = out.len() / q.len() * (q.len() + 2);
        sums.fill(0);
        for (index, sum) in sums[..used].chunks_exact_mut(q.len() + 2).enumerate() {
            for (digit, row) in table.chunks_exact((limbs + 1) * q.len()).enumerate() {
                let start = layout.start(block * BATCH + index, digit);
                accumulate(&digits[start..start + limbs], row, q.len(), sum);
            }
        }
        remainder.unsigned(&sums[..used], out);
    }
}

/// Adds to `sum` what one digit is worth, given the residues of 2^(64 j) w^k and, last, that of a minus sign.
#[inline(always)]
fn accumulate(digit: &[u64], row: &[u64], length: usize, sum: &mut [u64]) {
    let (weights, minus) = row.split_at(digit.len() * length);
    for (&limb, weight) in digit.iter().zip(weights.chunks_exact(length)) {
        let carry = add_mul(sum, weight, limb);
        add_assign(&mut sum[length..], &[carry]);
    }
    if sign(digit) != 0 {
        add_assign(sum, minus);
    }
}

/// Returns per power k the residues of 2^(64 j) w^k for j < limbs, then that of -2^(64 limbs) w^k.
fn powers(w: &[u64], count: usize, limbs: usize, q: &[u64]) -> Vec<u64> {
    let mut table = vec![0; count * (limbs + 1) * q.len()];
    let (mut base, mut power) = (vec![0; q.len()], vec![0; q.len()]);
    Remainder::new(q, w.len()).signed(w, &mut base);
    Remainder::new(q, 1).unsigned(&[1], &mut power);
    for row in table.chunks_exact_mut((limbs + 1) * q.len()) {
        let mut weight = power.clone();
        for out in row.chunks_exact_mut(q.len()) {
            out.copy_from_slice(&weight);
            weight = shifted(&weight, q);
        }
        reflect(q, &mut row[limbs * q.len()..]);
        power = product(&power, &base, q);
    }
    table
}

/// Returns 2^64 x mod q.
fn shifted(x: &[u64], q: &[u64]) -> Vec<u64> {
    let mut wide = vec![0; q.len() + 1];
    widen(x, &mut wide[1..]);
    let mut out = vec![0; q.len()];
    Remainder::new(q, wide.len()).unsigned(&wide, &mut out);
    out
}

/// Returns x y mod q.
fn product(x: &[u64], y: &[u64], q: &[u64]) -> Vec<u64> {
    let mut wide = vec![0; 2 * q.len()];
    multiply(significant(x), significant(y), &mut wide);
    let mut out = vec![0; q.len()];
    Remainder::new(q, wide.len()).unsigned(&wide, &mut out);
    out
}
