//! Integers in little-endian 64-bit limbs: two's complement where signed, else plain magnitudes.

use std::cmp::Ordering;

/// Returns (low, high) of `x * y + z + carry`, which never overflows 128 bits.
#[inline(always)]
pub fn mul_add(x: u64, y: u64, z: u64, carry: u64) -> (u64, u64) {
    let wide = x as u128 * y as u128 + z as u128 + carry as u128;
    (wide as u64, (wide >> 64) as u64)
}

/// Adds `x + carry` to `acc` in place and returns the carry out.
#[inline(always)]
fn add_limb(acc: &mut u64, x: u64, carry: bool) -> bool {
    let (sum, first) = acc.overflowing_add(x);
    let (sum, second) = sum.overflowing_add(carry as u64);
    *acc = sum;
    first | second
}

/// Subtracts `x + borrow` from `acc` in place and returns the borrow out.
#[inline(always)]
fn sub_limb(acc: &mut u64, x: u64, borrow: bool) -> bool {
    let (difference, first) = acc.overflowing_sub(x);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    *acc = difference;
    first | second
}

/// Returns the magnitude without its leading zero limbs (empty for zero).
pub fn significant(x: &[u64]) -> &[u64] {
    let used = x.iter().rposition(|&limb| limb != 0).map_or(0, |top| top + 1);
    &x[..used]
}

/// Returns the length of a magnitude in bits; 0 for zero.
pub fn bit_length(x: &[u64]) -> usize {
    let x = significant(x);
    x.last().map_or(0, |top| 64 * x.len() - top.leading_zeros() as usize)
}

/// Returns the limb that continues a two's complement integer upwards: 0 or all ones.
#[inline(always)]
pub fn sign(x: &[u64]) -> u64 {
    ((x[x.len() - 1] as i64) >> 63) as u64
}

/// Writes a two's complement integer sign-extended, or cut, to the length of `out`.
#[inline(always)]
pub fn extend(x: &[u64], out: &mut [u64]) {
    let common = x.len().min(out.len());
    out[..common].copy_from_slice(&x[..common]);
    out[common..].fill(sign(x));
}

/// Writes a magnitude followed by zeros; what does not fit is cut.
#[inline(always)]
pub fn widen(x: &[u64], out: &mut [u64]) {
    let common = x.len().min(out.len());
    out[..common].copy_from_slice(&x[..common]);
    out[common..].fill(0);
}

/// Adds `y` (no longer than `acc`) in place and returns the carry out of `acc`.
#[inline(always)]
pub fn add_assign(acc: &mut [u64], y: &[u64]) -> bool {
    let (low, high) = acc.split_at_mut(y.len());
    let carry = low.iter_mut().zip(y).fold(false, |carry, (acc, &y)| add_limb(acc, y, carry));
    high.iter_mut().fold(carry, |carry, acc| add_limb(acc, 0, carry))
}

/// Subtracts `y` (no longer than `acc`) in place and returns the borrow out of `acc`.
#[inline(always)]
pub fn sub_assign(acc: &mut [u64], y: &[u64]) -> bool {
    let (low, high) = acc.split_at_mut(y.len());
    let borrow = low.iter_mut().zip(y).fold(false, |borrow, (acc, &y)| sub_limb(acc, y, borrow));
    high.iter_mut().fold(borrow, |borrow, acc| sub_limb(acc, 0, borrow))
}

/// Adds the two's complement `y`, sign-extended or cut, modulo 2^(64 * acc.len()).
#[inline(always)]
pub fn add_signed(acc: &mut [u64], y: &[u64]) {
    let fill = sign(y);
    let limbs = y.iter().copied().chain(std::iter::repeat(fill));
    acc.iter_mut().zip(limbs).fold(false, |carry, (acc, y)| add_limb(acc, y, carry));
}

/// Subtracts the two's complement `y`, sign-extended or cut, modulo 2^(64 * acc.len()).
#[inline(always)]
pub fn sub_signed(acc: &mut [u64], y: &[u64]) {
    let fill = sign(y);
    let limbs = y.iter().copied().chain(std::iter::repeat(fill));
    acc.iter_mut().zip(limbs).fold(false, |borrow, (acc, y)| sub_limb(acc, y, borrow));
}

/// Replaces `x` by `-x` modulo 2^(64 * x.len()) where `negative` holds.
#[inline(always)]
pub fn negate_if(negative: bool, x: &mut [u64]) {
    let mask = (negative as u64).wrapping_neg();
    x.iter_mut().fold(negative, |carry, limb| {
        *limb ^= mask;
        add_limb(limb, 0, carry)
    });
}

/// Writes |x| of a two's complement `x` (2^(64 L - 1) included: it is unsigned) and returns whether x < 0.
#[inline(always)]
pub fn magnitude(x: &[u64], out: &mut [u64]) -> bool {
    let negative = sign(x) != 0;
    out.copy_from_slice(x);
    negate_if(negative, out);
    negative
}

/// Adds `x * y` to the first `x.len()` limbs of `acc` and returns the limb that carries out of them.
#[inline(always)]
pub fn add_mul(acc: &mut [u64], x: &[u64], y: u64) -> u64 {
    acc.iter_mut().zip(x).fold(0, |carry, (acc, &x)| {
        let (low, high) = mul_add(x, y, *acc, carry);
        *acc = low;
        high
    })
}

/// Subtracts `x * y` from the first `x.len()` limbs of `acc` and returns the limb borrowed from above.
#[inline(always)]
pub fn sub_mul(acc: &mut [u64], x: &[u64], y: u64) -> u64 {
    acc.iter_mut().zip(x).fold(0, |borrow, (acc, &x)| {
        let (low, high) = mul_add(x, y, 0, borrow);
        let (difference, below) = acc.overflowing_sub(low);
        *acc = difference;
        high + below as u64
    })
}

/// Writes the product of two magnitudes, modulo 2^(64 * out.len()).
#[inline(always)]
pub fn multiply(x: &[u64], y: &[u64], out: &mut [u64]) {
    out.fill(0);
    for (i, &limb) in y.iter().enumerate().take(out.len()) {
        let fits = x.len().min(out.len() - i);
        let carry = add_mul(&mut out[i..], &x[..fits], limb);
        if i + fits < out.len() {
            out[i + fits] = carry;
        }
    }
}

/// Returns how two magnitudes of one length compare.
#[inline(always)]
pub fn compare(x: &[u64], y: &[u64]) -> Ordering {
    x.iter().rev().cmp(y.iter().rev())
}

/// Writes `x << shift` over all of `out`; what does not fit is cut.
#[inline(always)]
pub fn shift_left(x: &[u64], shift: usize, out: &mut [u64]) {
    let (words, bits) = (shift / 64, shift % 64);
    out[..words].fill(0);
    let mut below = 0;
    for (j, out) in out[words..].iter_mut().enumerate() {
        let limb = x.get(j).copied().unwrap_or(0);
        *out = if bits == 0 { limb } else { limb << bits | below >> (64 - bits) };
        below = limb;
    }
}

/// Writes `x >> shift` of a magnitude over all of `out`; what does not fit is cut.
#[inline(always)]
pub fn shift_right(x: &[u64], shift: usize, out: &mut [u64]) {
    let (words, bits) = (shift / 64, shift % 64);
    let limb = |j: usize| x.get(j).copied().unwrap_or(0);
    for (j, out) in out.iter_mut().enumerate() {
        let low = limb(j + words);
        *out = if bits == 0 { low } else { low >> bits | limb(j + words + 1) << (64 - bits) };
    }
}

/// Divides a magnitude in place by one word and returns the remainder.
#[inline(always)]
pub fn divide_by_word(x: &mut [u64], divisor: u64) -> u64 {
    x.iter_mut().rev().fold(0, |rest, limb| {
        let wide = (rest as u128) << 64 | *limb as u128;
        let low = *limb;
        *limb = (wide / divisor as u128) as u64;
        low.wrapping_sub(limb.wrapping_mul(divisor))
    })
}

/// Calls `$object.$method(arguments, length)` with a length that is a constant where it is at most 20 (1280 bits).
///
/// The method must be `inline(always)`: every length gets a copy whose loops over limbs are unrolled.
macro_rules! by_length {
    ($length:expr, $object:ident.$method:ident($($argument:expr),*)) => {
        by_length!(@ $length, $object, $method, ($($argument),*), 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
    };
    (@ $length:expr, $object:ident, $method:ident, $arguments:tt, $($constant:literal)*) => {
        match $length {
            $($constant => by_length!(@call $object, $method, $arguments, $constant),)*
            length => by_length!(@call $object, $method, $arguments, length),
        }
    };
    (@call $object:ident, $method:ident, ($($argument:expr),*), $length:expr) => {
        $object.$method($($argument,)* $length)
    };
}
pub(crate) use by_length;

#[cfg(test)]
mod tests {
    use super::*;

    const EDGES: [u128; 7] = [0, 1, u64::MAX as u128, 1 << 64, 1 << 127, u128::MAX - 1, u128::MAX];

    fn limbs(x: u128) -> [u64; 2] {
        [x as u64, (x >> 64) as u64]
    }

    fn value(x: &[u64]) -> u128 {
        x[0] as u128 | (x[1] as u128) << 64
    }

    #[test]
    fn sums_differences_and_products_wrap_as_128_bits_do() {
        for (x, y) in EDGES.iter().flat_map(|&x| EDGES.map(|y| (x, y))) {
            let mut sum = limbs(x);
            assert_eq!(
                (add_assign(&mut sum, &limbs(y)), value(&sum)),
                (x.checked_add(y).is_none(), x.wrapping_add(y))
            );
            let mut difference = limbs(x);
            assert_eq!(
                (sub_assign(&mut difference, &limbs(y)), value(&difference)),
                (x < y, x.wrapping_sub(y))
            );
            let mut product = [7; 2];
            multiply(&limbs(x), &limbs(y), &mut product);
            assert_eq!(value(&product), x.wrapping_mul(y));
            assert_eq!(compare(&limbs(x), &limbs(y)), x.cmp(&y));
        }
    }

    #[test]
    fn shifts_by_every_distance_agree_with_128_bits() {
        for (x, shift) in EDGES.iter().flat_map(|&x| (0..128).map(move |shift| (x, shift))) {
            let mut out = [7; 2];
            shift_left(&limbs(x), shift, &mut out);
            assert_eq!(value(&out), x << shift);
            shift_right(&limbs(x), shift, &mut out);
            assert_eq!(value(&out), x >> shift);
        }
    }

    #[test]
    fn the_least_integer_has_its_magnitude() {
        let mut out = [0; 2];
        assert!(magnitude(&limbs(1 << 127), &mut out));
        assert_eq!(value(&out), 1 << 127);
    }

    #[test]
    fn signs_are_extended_and_lengths_in_bits_counted() {
        let mut out = [0; 3];
        extend(&[5, 1 << 63], &mut out);
        assert_eq!(out, [5, 1 << 63, u64::MAX]);
        assert_eq!(
            [bit_length(&[]), bit_length(&[0, 0]), bit_length(&[0, 1]), bit_length(&[u64::MAX])],
            [0, 0, 65, 64]
        );
    }
}
