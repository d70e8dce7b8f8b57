//! Division of magnitudes by a fixed divisor: Knuth's algorithm D with a reciprocal found once.
//!
//! The divisor is shifted left until its top bit is set and it has two limbs at least, which leaves quotients as
//! they are and shifts remainders; the quotient's limbs come from the 3-by-2 division of Moeller and Granlund,
//! "Improved division by invariant integers" (2011).

use crate::integers::{
    add_assign, bit_length, by_length, compare, magnitude, multiply, negate_if, shift_left,
};
use crate::integers::{shift_right, sign, significant, sub_mul, widen};
use std::cmp::Ordering;

pub struct Divisor {
    limbs: Vec<u64>,
    shift: usize,
    reciprocal: u64,
}

impl Divisor {
    /// Prepares a divisor > 0; leading zero limbs are allowed.
    pub fn new(divisor: &[u64]) -> Self {
        let divisor = significant(divisor);
        assert!(!divisor.is_empty(), "division by zero");
        let length = divisor.len().max(2);
        let shift = 64 * length - bit_length(divisor);
        let mut limbs = vec![0; length];
        shift_left(divisor, shift, &mut limbs);
        let reciprocal = reciprocal(limbs[length - 1], limbs[length - 2]);
        Self { limbs, shift, reciprocal }
    }

    /// Returns the number of limbs of the shifted divisor, and of every shifted remainder.
    pub fn len(&self) -> usize {
        self.limbs.len()
    }

    /// Returns by how many bits the divisor, and with it every dividend and remainder, is shifted.
    pub fn shift(&self) -> usize {
        self.shift
    }

    /// Turns every shifted dividend, of `stride` limbs, into its shifted remainder (`len` limbs) and above it the quotient.
    ///
    /// Their top limbs must lie below 2^63, so that the quotients fit.
    pub fn divide(&self, dividends: &mut [u64], stride: usize) {
        by_length!(self.len(), self.divide_with(dividends, stride))
    }

    /// Finds the same quotient limb of all dividends before the next, so that the processor works on several at once.
    #[inline(always)]
    fn divide_with(&self, dividends: &mut [u64], stride: usize, length: usize) {
        for low in (0..stride - length).rev() {
            for x in dividends.chunks_exact_mut(stride) {
                let (window, top) = x[low..low + length + 1].split_at_mut(length);
                top[0] = self.step(window, top[0], &self.limbs[..length]);
            }
        }
    }

    /// Returns the next quotient limb of `(top, x)`, whose remainder replaces `x`.
    #[inline(always)]
    fn step(&self, x: &mut [u64], top: u64, limbs: &[u64]) -> u64 {
        let length = limbs.len();
        if top == 0 && x[length - 1] < limbs[length - 1] {
            return 0;
        }
        let mut quotient =
            self.estimate((top, x[length - 1], x[length - 2]), (limbs[length - 1], limbs[length - 2]));
        if sub_mul(x, limbs, quotient) > top {
            quotient -= 1;
            add_assign(x, limbs);
        }
        quotient
    }

    /// Returns the quotient limb that the three leading limbs suggest: right, or one too large.
    #[inline(always)]
    fn estimate(&self, (u2, u1, u0): (u64, u64, u64), (d1, d0): (u64, u64)) -> u64 {
        if u2 == d1 && u1 >= d0 {
            return u64::MAX;
        }
        let divisor = (d1 as u128) << 64 | d0 as u128;
        let wide = (self.reciprocal as u128 * u2 as u128).wrapping_add((u2 as u128) << 64 | u1 as u128);
        let (mut quotient, fraction) = ((wide >> 64) as u64, wide as u64);
        let high = u1.wrapping_sub(quotient.wrapping_mul(d1));
        let mut rest = ((high as u128) << 64 | u0 as u128)
            .wrapping_sub(d0 as u128 * quotient as u128)
            .wrapping_sub(divisor);
        let back = (rest >> 64) as u64 >= fraction; // as likely as not: no branch
        quotient = quotient.wrapping_add(1 - back as u64);
        rest = rest.wrapping_add(divisor & (back as u128).wrapping_neg());
        quotient.wrapping_add((rest >= divisor) as u64)
    }
}

/// Returns floor((2^192 - 1) / (d1, d0)) - 2^64 for d1 >= 2^63.
fn reciprocal(d1: u64, d0: u64) -> u64 {
    let mut v = (((!d1 as u128) << 64 | u64::MAX as u128) / d1 as u128) as u64;
    let mut p = d1.wrapping_mul(v).wrapping_add(d0);
    if p < d0 {
        v -= 1;
        if p >= d1 {
            v -= 1;
            p = p.wrapping_sub(d1);
        }
        p = p.wrapping_sub(d1);
    }
    let wide = v as u128 * d0 as u128;
    p = p.wrapping_add((wide >> 64) as u64);
    if p < (wide >> 64) as u64 {
        v -= 1;
        if (p as u128) << 64 | wide as u64 as u128 >= (d1 as u128) << 64 | d0 as u128 {
            v -= 1;
        }
    }
    v
}

/// How many coefficients are divided side by side.
pub const BATCH: usize = 8;

/// Residues of integers of a fixed number of limbs modulo q.
pub struct Remainder {
    divisor: Divisor,
    modulus: Vec<u64>,
    limbs: usize,
    stride: usize,
    magnitude: Vec<u64>,
    dividends: Vec<u64>,
}

impl Remainder {
    /// Prepares x mod q in `q.len()` limbs, for x of `limbs` limbs.
    pub fn new(q: &[u64], limbs: usize) -> Self {
        let divisor = Divisor::new(q);
        let stride = divisor.len().max(limbs + divisor.shift() / 64 + 1);
        let dividends = vec![0; BATCH * stride];
        Self { divisor, modulus: q.to_vec(), limbs, stride, magnitude: vec![0; limbs], dividends }
    }

    /// Writes x mod q, in [0, q), of integers in two's complement.
    pub fn signed(&mut self, x: &[u64], out: &mut [u64]) {
        let length = self.modulus.len();
        for (x, out) in x.chunks(BATCH * self.limbs).zip(out.chunks_mut(BATCH * length)) {
            for (x, dividend) in x.chunks_exact(self.limbs).zip(self.dividends.chunks_exact_mut(self.stride))
            {
                magnitude(x, &mut self.magnitude);
                shift_left(&self.magnitude, self.divisor.shift(), dividend);
            }
            self.finish(out);
            for (x, out) in x.chunks_exact(self.limbs).zip(out.chunks_exact_mut(length)) {
                if sign(x) != 0 {
                    reflect(&self.modulus, out);
                }
            }
        }
    }

    /// Writes x mod q, in [0, q), of magnitudes.
    pub fn unsigned(&mut self, x: &[u64], out: &mut [u64]) {
        for (x, out) in x.chunks(BATCH * self.limbs).zip(out.chunks_mut(BATCH * self.modulus.len())) {
            for (x, dividend) in x.chunks_exact(self.limbs).zip(self.dividends.chunks_exact_mut(self.stride))
            {
                shift_left(x, self.divisor.shift(), dividend);
            }
            self.finish(out);
        }
    }

    /// Divides as many dividends as `out` has places for and writes their remainders.
    fn finish(&mut self, out: &mut [u64]) {
        let length = self.modulus.len();
        let dividends = &mut self.dividends[..out.len() / length * self.stride];
        self.divisor.divide(dividends, self.stride);
        for (dividend, out) in dividends.chunks_exact(self.stride).zip(out.chunks_exact_mut(length)) {
            shift_right(&dividend[..self.divisor.len()], self.divisor.shift(), out);
        }
    }
}

/// Replaces the residue x by -x mod q.
#[inline(always)]
pub fn reflect(q: &[u64], x: &mut [u64]) {
    if x.iter().all(|&limb| limb == 0) {
        return;
    }
    negate_if(true, x);
    add_assign(x, q);
}

/// Returns whether 2x > q, for a residue x below q and floor(q / 2) in `half`.
#[inline(always)]
pub fn above_half(x: &[u64], half: &[u64]) -> bool {
    compare(x, half) == Ordering::Greater
}

/// Rounded quotients round(t x / q) of signed integers; ties go away from zero.
pub struct Scaling {
    divisor: Divisor,
    factor: Vec<u64>,
    half: Vec<u64>,
    limbs: usize,
    stride: usize,
    magnitude: Vec<u64>,
    dividends: Vec<u64>,
}

impl Scaling {
    /// Prepares t > 0 and q > 0 for x of `limbs` limbs.
    pub fn new(t: &[u64], q: &[u64], limbs: usize) -> Self {
        let divisor = Divisor::new(q);
        let mut factor = vec![0; (bit_length(t) + divisor.shift()).div_ceil(64)];
        shift_left(t, divisor.shift(), &mut factor);
        let (mut floor, mut half) = (vec![0; q.len()], vec![0; divisor.len()]);
        shift_right(q, 1, &mut floor);
        shift_left(significant(&floor), divisor.shift(), &mut half);
        let stride = (limbs + factor.len()).max(divisor.len()) + 1;
        let dividends = vec![0; BATCH * stride];
        Self { divisor, factor, half, limbs, stride, magnitude: vec![0; limbs], dividends }
    }

    /// Writes round(t x / q) in `limbs_out` limbs, as floor((t |x| + floor(q/2)) / q) with the sign of x.
    pub fn round(&mut self, x: &[u64], limbs_out: usize, out: &mut [u64]) {
        for (x, out) in x.chunks(BATCH * self.limbs).zip(out.chunks_mut(BATCH * limbs_out)) {
            let dividends = &mut self.dividends[..x.len() / self.limbs * self.stride];
            for (x, dividend) in x.chunks_exact(self.limbs).zip(dividends.chunks_exact_mut(self.stride)) {
                magnitude(x, &mut self.magnitude);
                multiply(&self.magnitude, &self.factor, dividend);
                add_assign(dividend, &self.half);
            }
            self.divisor.divide(dividends, self.stride);
            let quotients =
                dividends.chunks_exact(self.stride).map(|dividend| &dividend[self.divisor.len()..]);
            let signs = x.chunks_exact(self.limbs).map(sign);
            for ((quotient, sign), out) in quotients.zip(signs).zip(out.chunks_exact_mut(limbs_out)) {
                widen(quotient, out);
                negate_if(sign != 0, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integers::sub_assign;

    const EDGES: [u64; 5] = [0, 1, (1 << 63) - 1, 1 << 63, u64::MAX];

    /// Returns every sequence of `length` of those limbs.
    fn sequences(length: usize) -> Vec<Vec<u64>> {
        let one_more = |head: Vec<u64>| EDGES.map(|limb| [head.clone(), vec![limb]].concat());
        (0..length).fold(vec![vec![]], |all, _| all.into_iter().flat_map(one_more).collect())
    }

    #[test]
    fn quotient_times_divisor_plus_remainder_is_the_dividend() {
        for q in (1..=3).flat_map(sequences).filter(|q| bit_length(q) > 0) {
            let mut scaling = Scaling::new(&[1], &q, 5);
            let mut remainder = Remainder::new(&q, 4);
            for x in sequences(4) {
                let (mut rest, mut back) = (vec![0; q.len()], vec![0; 5]);
                remainder.unsigned(&x, &mut rest);
                assert_eq!(compare(&rest, &q), Ordering::Less);
                let mut wide = [x.clone(), vec![0]].concat();
                sub_assign(&mut wide, &rest);
                let mut quotient = vec![0; 5];
                scaling.round(&wide, 5, &mut quotient); // exact, so that nothing is rounded
                multiply(&quotient, &q, &mut back);
                assert_eq!(back, wide, "{x:x?} / {q:x?}");
            }
        }
    }
}
