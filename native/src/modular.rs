//! Coefficientwise operations on residues in [0, q): every slice holds whole coefficients of `q.len()` limbs.

use crate::division::{above_half, reflect, Remainder, BATCH};
use crate::integers::{add_assign, compare, multiply, shift_right, sub_assign, sub_signed, widen};
use std::cmp::Ordering;

/// Writes x + y mod q. The sum may carry out of the limbs of q, whose top bit may be set.
pub fn add_mod(x: &[u64], y: &[u64], q: &[u64], out: &mut [u64]) {
    out.copy_from_slice(x);
    for (out, y) in out.chunks_exact_mut(q.len()).zip(y.chunks_exact(q.len())) {
        let carry = add_assign(out, y);
        if carry || compare(out, q) != Ordering::Less {
            sub_assign(out, q);
        }
    }
}

/// Writes x - y mod q.
pub fn sub_mod(x: &[u64], y: &[u64], q: &[u64], out: &mut [u64]) {
    out.copy_from_slice(x);
    for (out, y) in out.chunks_exact_mut(q.len()).zip(y.chunks_exact(q.len())) {
        if sub_assign(out, y) {
            add_assign(out, q);
        }
    }
}

/// Writes -x mod q.
pub fn neg_mod(x: &[u64], q: &[u64], out: &mut [u64]) {
    out.copy_from_slice(x);
    out.chunks_exact_mut(q.len()).for_each(|out| reflect(q, out));
}

/// Writes x c mod q for one residue c.
pub fn times_mod(x: &[u64], c: &[u64], q: &[u64], out: &mut [u64]) {
    let mut wide = vec![0; 2 * q.len() * BATCH];
    let mut remainder = Remainder::new(q, 2 * q.len());
    for (x, out) in x.chunks(BATCH * q.len()).zip(out.chunks_mut(BATCH * q.len())) {
        for (x, wide) in x.chunks_exact(q.len()).zip(wide.chunks_exact_mut(2 * q.len())) {
            multiply(x, c, wide);
        }
        remainder.unsigned(&wide[..2 * x.len()], out);
    }
}

/// Writes x mod q of signed integers of `limbs` limbs.
pub fn reduce(x: &[u64], limbs: usize, q: &[u64], out: &mut [u64]) {
    Remainder::new(q, limbs).signed(x, out);
}

/// Writes the representatives in (-q/2, q/2] as signed integers of `limbs_out` limbs.
pub fn centre(x: &[u64], q: &[u64], limbs_out: usize, out: &mut [u64]) {
    let mut half = vec![0; q.len()];
    shift_right(q, 1, &mut half);
    let mut modulus = vec![0; q.len() + 1];
    widen(q, &mut modulus);
    for (x, out) in x.chunks_exact(q.len()).zip(out.chunks_exact_mut(limbs_out)) {
        widen(x, out);
        if above_half(x, &half) {
            sub_signed(out, &modulus);
        }
    }
}
