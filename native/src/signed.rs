//! Coefficientwise operations on signed integers.

use crate::division::Scaling;
use crate::integers::{extend, magnitude, multiply, negate_if};

/// Writes x + y or x - y, as `merge` (`add_signed`, `sub_signed`) says, modulo 2^(64 limbs.2).
pub fn combine(
    x: &[u64],
    y: &[u64],
    limbs: (usize, usize, usize),
    out: &mut [u64],
    merge: fn(&mut [u64], &[u64]),
) {
    let pairs = x.chunks_exact(limbs.0).zip(y.chunks_exact(limbs.1));
    for ((x, y), out) in pairs.zip(out.chunks_exact_mut(limbs.2)) {
        extend(x, out);
        merge(out, y);
    }
}

/// Writes -x, sign-extended to `limbs_out` limbs before it is negated.
pub fn neg(x: &[u64], limbs: usize, limbs_out: usize, out: &mut [u64]) {
    for (x, out) in x.chunks_exact(limbs).zip(out.chunks_exact_mut(limbs_out)) {
        extend(x, out);
        negate_if(true, out);
    }
}

/// Writes x c for one signed integer c, modulo 2^(64 limbs_out).
pub fn times(x: &[u64], limbs: usize, c: &[u64], limbs_out: usize, out: &mut [u64]) {
    let (mut factor, mut buffer) = (vec![0; c.len()], vec![0; limbs]);
    let flip = magnitude(c, &mut factor);
    for (x, out) in x.chunks_exact(limbs).zip(out.chunks_exact_mut(limbs_out)) {
        let negative = magnitude(x, &mut buffer);
        multiply(&buffer, &factor, out);
        negate_if(negative != flip, out);
    }
}

/// Writes round(t x / q) for t, q > 0; ties go away from zero.
pub fn scale_round(x: &[u64], limbs: usize, t: &[u64], q: &[u64], limbs_out: usize, out: &mut [u64]) {
    Scaling::new(t, q, limbs).round(x, limbs_out, out);
}
