//! Matrix products and convolutions over Z[X]/(X^n + 1), exact or modulo q.
//!
//! Modulo one 50-bit prime after the other, every entry is transformed once, the products are summed in the
//! transformed domain and every sum is transformed back; the results' residues are then put together.

use crate::crt::{Basis, Recombination};
use crate::division::{Remainder, BATCH};
use crate::integers::extend;
use crate::ntt::{transforms, Transform};
use crate::primes::{mul_mod, MOST_PRIMES, PRIME_BITS};
use crate::residues::{Coefficients, Residues};

/// Which entries of the left and the right operand are multiplied and summed to which entry of the result.
#[derive(Clone, Copy)]
pub enum Pattern {
    Matrix { rows: usize, inner: usize, columns: usize },
    Convolution { left: usize, right: usize },
}

impl Pattern {
    pub fn left(&self) -> usize {
        match *self {
            Self::Matrix { rows, inner, .. } => rows * inner,
            Self::Convolution { left, .. } => left,
        }
    }

    pub fn right(&self) -> usize {
        match *self {
            Self::Matrix { inner, columns, .. } => inner * columns,
            Self::Convolution { right, .. } => right,
        }
    }

    /// Returns (rows, columns) of the result.
    pub fn shape(&self) -> (usize, usize) {
        match *self {
            Self::Matrix { rows, columns, .. } => (rows, columns),
            Self::Convolution { left, right } => (1, left + right - 1),
        }
    }

    fn entries(&self) -> usize {
        self.shape().0 * self.shape().1
    }

    /// Returns how many products at most are summed to an entry.
    pub fn terms(&self) -> usize {
        match *self {
            Self::Matrix { inner, .. } => inner,
            Self::Convolution { left, right } => left.min(right),
        }
    }

    /// Calls `visit` with the places of the factors of every product summed to the entry.
    fn factors(&self, entry: usize, mut visit: impl FnMut(usize, usize)) {
        match *self {
            Self::Matrix { inner, columns, .. } => {
                let (row, column) = (entry / columns, entry % columns);
                (0..inner).for_each(|k| visit(row * inner + k, k * columns + column));
            }
            Self::Convolution { left, right } => {
                let first = (entry + 1).saturating_sub(right);
                (first..left.min(entry + 1)).for_each(|k| visit(k, entry - k));
            }
        }
    }
}

/// Returns how many primes hold sums of `terms` products in Z[X]/(X^n + 1) of coefficients up to 2^a_bits, 2^b_bits.
///
/// Their product is at least 4 terms n 2^(a_bits + b_bits): one bit pays for primes slightly below 2^50.
pub fn prime_count(terms: usize, n: usize, a_bits: usize, b_bits: usize) -> usize {
    let growth = (terms * n).next_power_of_two().trailing_zeros() as usize;
    a_bits.saturating_add(b_bits).saturating_add(growth + 3).div_ceil(PRIME_BITS)
}

/// Returns the bytes that a product allocates for residues, besides its result; `shared` says that b is a.
pub fn workspace_bytes(pattern: Pattern, n: usize, a_bits: usize, b_bits: usize, shared: bool) -> usize {
    let right = if shared { 0 } else { pattern.right() };
    let count = prime_count(pattern.terms(), n, a_bits, b_bits);
    8 * n * (pattern.left() + right + pattern.entries() * count)
}

/// One product to compute.
pub struct Product<'a> {
    pub pattern: Pattern,
    pub n: usize,
    pub a: Coefficients<'a>,
    pub b: Coefficients<'a>,
}

impl Product<'_> {
    fn shared(&self) -> bool {
        let same = std::ptr::eq(self.a.data, self.b.data);
        same && self.a.limbs == self.b.limbs && self.a.modular == self.b.modular
    }

    pub fn prime_count(&self) -> usize {
        prime_count(self.pattern.terms(), self.n, self.a.bits, self.b.bits)
    }

    /// Returns an error where more primes are needed than there may be.
    pub fn check(&self) -> Result<(), String> {
        let count = self.prime_count();
        if count <= MOST_PRIMES {
            return Ok(());
        }
        let (a, b) = (self.a.bits, self.b.bits);
        Err(format!(
            "a product of {a}-bit and {b}-bit coefficients needs {count} primes; there are {MOST_PRIMES}"
        ))
    }

    /// Writes the exact product as signed integers of `limbs_out` limbs.
    pub fn exact(&self, limbs_out: usize, out: &mut [u64]) {
        let basis = Basis::of(self.prime_count());
        let length = limbs_out.min(basis.limbs());
        let recombination = Recombination::new(basis, &basis.cofactors, length);
        self.recombine(recombination, limbs_out, out, |sums, out| {
            for (sum, out) in sums.chunks_exact(length).zip(out.chunks_exact_mut(limbs_out)) {
                extend(sum, out);
            }
        });
    }

    /// Writes the product modulo q as residues of `q.len()` limbs.
    pub fn modulo(&self, q: &[u64], out: &mut [u64]) {
        let basis = Basis::of(self.prime_count());
        let recombination = Recombination::new(basis, &modular_constants(basis, q), q.len() + 1);
        let mut remainder = Remainder::new(q, q.len() + 1);
        self.recombine(recombination, q.len(), out, |sums, out| remainder.unsigned(sums, out));
    }

    /// Calls `write` with the sums of a batch of coefficients of the result and their places of `limbs` limbs each.
    fn recombine(
        &self,
        mut recombination: Recombination,
        limbs: usize,
        out: &mut [u64],
        mut write: impl FnMut(&[u64], &mut [u64]),
    ) {
        let residues = self.residues(recombination.basis);
        let length = recombination.length;
        let mut sums = vec![0; BATCH * length];
        let entries = residues.chunks_exact(residues.len() / self.pattern.entries());
        for (residues, out) in entries.zip(out.chunks_exact_mut(limbs * self.n)) {
            for (block, out) in out.chunks_mut(BATCH * limbs).enumerate() {
                let sums = &mut sums[..out.len() / limbs * length];
                recombination.combine(&residues[block * BATCH..], self.n, sums);
                write(sums, out);
            }
        }
    }

    /// Returns per entry of the result and prime the residues of its coefficients times (M / p_i)^-1.
    fn residues(&self, basis: &Basis) -> Vec<u64> {
        let count = basis.primes.len();
        let mut a = vec![0; self.n * self.pattern.left()];
        let mut b = vec![0; if self.shared() { 0 } else { self.n * self.pattern.right() }];
        let mut out = vec![0; self.n * count * self.pattern.entries()];
        for (i, transform) in transforms(self.n, &basis.primes).iter().enumerate() {
            let p = basis.primes[i];
            let scale = mul_mod(basis.inverses[i], transform.normalisation, p);
            let (first, second) = self.scales(scale);
            self.evaluate(transform, &Residues::new(p, first, &self.a), &self.a, &mut a);
            if !self.shared() {
                self.evaluate(transform, &Residues::new(p, second, &self.b), &self.b, &mut b);
            }
            let b = if self.shared() { &a } else { &b };
            for (entry, out) in out.chunks_exact_mut(count * self.n).enumerate() {
                let out = &mut out[i * self.n..(i + 1) * self.n];
                self.entry(transform, entry, &a, b, out);
                if self.shared() {
                    transform.scale(out, scale);
                }
                transform.inverse(out);
            }
        }
        out
    }

    /// Returns by what the residues of a and b are multiplied: one of them by `scale`, unless they are the same.
    fn scales(&self, scale: u64) -> (u64, u64) {
        match (self.shared(), self.a.small()) {
            (true, _) => (1, 1),
            (false, true) => (1, scale),
            (false, false) => (scale, 1),
        }
    }

    /// Writes the transforms of all entries of one operand.
    fn evaluate(&self, transform: &Transform, residues: &Residues, x: &Coefficients, out: &mut [u64]) {
        residues.fill(x, out);
        out.chunks_exact_mut(self.n).for_each(|entry| transform.forward(entry));
    }

    /// Adds one entry's products to `out`.
    fn entry(&self, transform: &Transform, entry: usize, a: &[u64], b: &[u64], out: &mut [u64]) {
        let n = self.n;
        self.pattern.factors(entry, |left, right| {
            transform.accumulate(out, &a[left * n..(left + 1) * n], &b[right * n..(right + 1) * n]);
        });
    }
}

/// Returns the cofactors modulo q, with a limb of zero above.
fn modular_constants(basis: &Basis, q: &[u64]) -> Vec<Vec<u64>> {
    let mut remainder = Remainder::new(q, basis.limbs() + 1);
    let mut wide = vec![0; basis.limbs() + 1];
    let constants = basis.cofactors.iter().enumerate().map(|(i, cofactor)| {
        wide[..basis.limbs()].copy_from_slice(cofactor);
        wide[basis.limbs()] = if i == basis.primes.len() { u64::MAX } else { 0 }; // the sign of -M
        let mut out = vec![0; q.len() + 1];
        remainder.signed(&wide, &mut out[..q.len()]);
        out
    });
    constants.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counting::peak;

    /// Constants and the batches on their way, which `workspace_bytes` leaves out.
    const BESIDES: usize = 16 << 10;

    fn check(pattern: Pattern, shared: bool) {
        let (n, bits, limbs) = (1024, 300, 5);
        let a = vec![u64::MAX; pattern.left() * n * limbs];
        let b = vec![u64::MAX; pattern.right() * n * limbs];
        let [a, b] =
            [&a, if shared { &a } else { &b }].map(|data| Coefficients { data, limbs, modular: true, bits });
        let product = Product { pattern, n, a, b };
        let (rows, columns) = pattern.shape();
        let mut out = vec![0; rows * columns * n * 10];
        product.exact(10, &mut out); // the tables are made, and stay
        let told = workspace_bytes(pattern, n, bits, bits, shared);
        let exact = peak(|| product.exact(10, &mut out));
        assert!((told..told + BESIDES).contains(&exact), "{exact} for {told}");
        let modulo = peak(|| product.modulo(&[u64::MAX; 5], &mut out[..rows * columns * n * 5]));
        assert!((told..told + BESIDES).contains(&modulo), "{modulo} for {told}");
    }

    #[test]
    fn a_product_allocates_what_was_told() {
        check(Pattern::Matrix { rows: 2, inner: 3, columns: 1 }, false);
        check(Pattern::Matrix { rows: 2, inner: 2, columns: 2 }, true);
        check(Pattern::Convolution { left: 2, right: 3 }, false);
    }
}
