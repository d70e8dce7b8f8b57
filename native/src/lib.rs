//! Kernels for Z[X]/(X^n + 1) with multi-precision coefficients; this file is their Python surface.
//! Those for residues modulo many primes have theirs in `rns_surface.rs`.
//!
//! An array is uint64, C-contiguous, (rows, columns, n, limbs), little-endian 64-bit limbs in the last axis.
//! What each function returns is said once, in `fheasible_native.pyi`.

#![cfg_attr(not(feature = "python"), allow(dead_code))] // the surface is not there to call it all

mod crt;
mod digits;
mod division;
mod integers;
mod modular;
mod ntt;
mod primes;
mod product;
mod residues;
mod rns;
mod signed;

#[cfg(test)]
mod counting;

#[cfg(feature = "python")]
mod arrays;

#[cfg(feature = "python")]
mod rns_surface;

#[cfg(feature = "python")]
#[pyo3::pymodule]
mod fheasible_native {
    use crate::arrays::{at_least, filled, limbs, refuse, Array, Constant, Given, Matrix};
    use crate::integers::{add_signed, bit_length, sub_signed};
    use crate::product::{Pattern, Product};
    use crate::residues::Coefficients;
    use crate::{digits, modular, ntt, primes, product as products, signed};
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::rns_surface::{
        rns_add, rns_convert, rns_forward, rns_inner_product, rns_inverse, rns_offset, rns_reconstruct,
        rns_scale, rns_sub,
    };

    #[pyfunction]
    #[allow(clippy::too_many_arguments)] // the arguments of one Python function
    fn product<'py>(
        py: Python<'py>,
        a: Given<'py>,
        a_modular: bool,
        a_bits: usize,
        b: Given<'py>,
        b_modular: bool,
        b_bits: usize,
        limbs_out: usize,
    ) -> PyResult<Array<'py>> {
        let (left, right) = (Matrix::new("a", &a)?, Matrix::new("b", &b)?);
        let job = job(matrix(&left, &right)?, (&left, a_modular, a_bits), (&right, b_modular, b_bits))?;
        filled(py, shape(&job, limbs_out), |out| job.exact(limbs_out, out))
    }

    #[pyfunction]
    #[allow(clippy::too_many_arguments)]
    fn product_mod<'py>(
        py: Python<'py>,
        a: Given<'py>,
        a_modular: bool,
        a_bits: usize,
        b: Given<'py>,
        b_modular: bool,
        b_bits: usize,
        q: Constant<'py>,
    ) -> PyResult<Array<'py>> {
        let (left, right) = (Matrix::new("a", &a)?, Matrix::new("b", &b)?);
        let q = at_least(2, "q", &q)?;
        let job = job(matrix(&left, &right)?, (&left, a_modular, a_bits), (&right, b_modular, b_bits))?;
        filled(py, shape(&job, q.len()), |out| job.modulo(q, out))
    }

    #[pyfunction]
    #[allow(clippy::too_many_arguments)]
    fn convolve<'py>(
        py: Python<'py>,
        a: Given<'py>,
        a_modular: bool,
        a_bits: usize,
        b: Given<'py>,
        b_modular: bool,
        b_bits: usize,
        limbs_out: usize,
    ) -> PyResult<Array<'py>> {
        let (left, right) = (Matrix::new("a", &a)?, Matrix::new("b", &b)?);
        if left.rows != 1 || right.rows != 1 {
            return refuse(format!("a and b must have one row, not {} and {}", left.rows, right.rows));
        }
        let pattern = Pattern::Convolution { left: left.columns, right: right.columns };
        let job = job(pattern, (&left, a_modular, a_bits), (&right, b_modular, b_bits))?;
        filled(py, shape(&job, limbs_out), |out| job.exact(limbs_out, out))
    }

    fn matrix(a: &Matrix, b: &Matrix) -> PyResult<Pattern> {
        if a.columns != b.rows {
            return refuse(format!("a has {} columns, b has {} rows: they must be equal", a.columns, b.rows));
        }
        Ok(Pattern::Matrix { rows: a.rows, inner: a.columns, columns: b.columns })
    }

    type Operand<'a> = (&'a Matrix<'a>, bool, usize);

    fn job<'a>(pattern: Pattern, a: Operand<'a>, b: Operand<'a>) -> PyResult<Product<'a>> {
        if a.0.n != b.0.n {
            return refuse(format!("a and b must have one n, not {} and {}", a.0.n, b.0.n));
        }
        let [a, b] = [a, b]
            .map(|(x, modular, bits)| (x.n, Coefficients { data: x.data, limbs: x.limbs, modular, bits }));
        let job = Product { pattern, n: a.0, a: a.1, b: b.1 };
        job.check().or_else(refuse)?;
        Ok(job)
    }

    fn shape(job: &Product, limbs: usize) -> [usize; 4] {
        let (rows, columns) = job.pattern.shape();
        [rows, columns, job.n, limbs]
    }

    #[pyfunction]
    fn reduce<'py>(py: Python<'py>, x: Given<'py>, q: Constant<'py>) -> PyResult<Array<'py>> {
        let (x, q) = (Matrix::new("x", &x)?, at_least(1, "q", &q)?);
        x.map(py, q.len(), |out| modular::reduce(x.data, x.limbs, q, out))
    }

    #[pyfunction]
    fn remainder<'py>(py: Python<'py>, x: Given<'py>, t: Constant<'py>) -> PyResult<Array<'py>> {
        reduce(py, x, t)
    }

    #[pyfunction]
    fn centre<'py>(
        py: Python<'py>,
        x: Given<'py>,
        q: Constant<'py>,
        limbs_out: usize,
    ) -> PyResult<Array<'py>> {
        let q = at_least(2, "q", &q)?;
        let x = Matrix::residues("x", &x, q)?;
        if bit_length(q) > 64 * limbs_out {
            return refuse(format!(
                "limbs_out = {limbs_out} holds no residue modulo a q of {} bits",
                bit_length(q)
            ));
        }
        x.map(py, limbs_out, |out| modular::centre(x.data, q, limbs_out, out))
    }

    #[pyfunction]
    fn add_mod<'py>(py: Python<'py>, x: Given<'py>, y: Given<'py>, q: Constant<'py>) -> PyResult<Array<'py>> {
        let q = at_least(2, "q", &q)?;
        let (x, y) = (Matrix::residues("x", &x, q)?, Matrix::residues("y", &y, q)?);
        x.agree(&y)?;
        x.map(py, q.len(), |out| modular::add_mod(x.data, y.data, q, out))
    }

    #[pyfunction]
    fn sub_mod<'py>(py: Python<'py>, x: Given<'py>, y: Given<'py>, q: Constant<'py>) -> PyResult<Array<'py>> {
        let q = at_least(2, "q", &q)?;
        let (x, y) = (Matrix::residues("x", &x, q)?, Matrix::residues("y", &y, q)?);
        x.agree(&y)?;
        x.map(py, q.len(), |out| modular::sub_mod(x.data, y.data, q, out))
    }

    #[pyfunction]
    fn neg_mod<'py>(py: Python<'py>, x: Given<'py>, q: Constant<'py>) -> PyResult<Array<'py>> {
        let q = at_least(2, "q", &q)?;
        let x = Matrix::residues("x", &x, q)?;
        x.map(py, q.len(), |out| modular::neg_mod(x.data, q, out))
    }

    #[pyfunction]
    fn times_mod<'py>(
        py: Python<'py>,
        x: Given<'py>,
        c: Constant<'py>,
        q: Constant<'py>,
    ) -> PyResult<Array<'py>> {
        let (c, q) = (limbs("c", &c)?, at_least(2, "q", &q)?);
        let x = Matrix::residues("x", &x, q)?;
        if bit_length(c) > bit_length(q) {
            return refuse("c must be a residue modulo q".to_string());
        }
        x.map(py, q.len(), |out| modular::times_mod(x.data, c, q, out))
    }

    #[pyfunction]
    fn add<'py>(py: Python<'py>, x: Given<'py>, y: Given<'py>, limbs_out: usize) -> PyResult<Array<'py>> {
        let (x, y) = (Matrix::new("x", &x)?, Matrix::new("y", &y)?);
        x.agree(&y)?;
        let limbs = (x.limbs, y.limbs, limbs_out);
        x.map(py, limbs_out, |out| signed::combine(x.data, y.data, limbs, out, add_signed))
    }

    #[pyfunction]
    fn sub<'py>(py: Python<'py>, x: Given<'py>, y: Given<'py>, limbs_out: usize) -> PyResult<Array<'py>> {
        let (x, y) = (Matrix::new("x", &x)?, Matrix::new("y", &y)?);
        x.agree(&y)?;
        let limbs = (x.limbs, y.limbs, limbs_out);
        x.map(py, limbs_out, |out| signed::combine(x.data, y.data, limbs, out, sub_signed))
    }

    #[pyfunction]
    fn neg<'py>(py: Python<'py>, x: Given<'py>, limbs_out: usize) -> PyResult<Array<'py>> {
        let x = Matrix::new("x", &x)?;
        x.map(py, limbs_out, |out| signed::neg(x.data, x.limbs, limbs_out, out))
    }

    #[pyfunction]
    fn times<'py>(
        py: Python<'py>,
        x: Given<'py>,
        c: Constant<'py>,
        limbs_out: usize,
    ) -> PyResult<Array<'py>> {
        let (x, c) = (Matrix::new("x", &x)?, limbs("c", &c)?);
        x.map(py, limbs_out, |out| signed::times(x.data, x.limbs, c, limbs_out, out))
    }

    #[pyfunction]
    fn scale_round<'py>(
        py: Python<'py>,
        x: Given<'py>,
        t: Constant<'py>,
        q: Constant<'py>,
        limbs_out: usize,
    ) -> PyResult<Array<'py>> {
        let (x, t, q) = (Matrix::new("x", &x)?, at_least(1, "t", &t)?, at_least(1, "q", &q)?);
        x.map(py, limbs_out, |out| signed::scale_round(x.data, x.limbs, t, q, limbs_out, out))
    }

    #[pyfunction]
    fn decompose<'py>(py: Python<'py>, x: Given<'py>, w_bits: usize, count: usize) -> PyResult<Array<'py>> {
        let x = Matrix::new("x", &x)?;
        if w_bits == 0 || count == 0 {
            return refuse(format!("w_bits = {w_bits} and count = {count} must be positive"));
        }
        let shape = [x.rows, x.columns * count, x.n, w_bits.div_ceil(64)];
        filled(py, shape, |out| digits::decompose(x.data, x.limbs, x.n, w_bits, count, out))
    }

    #[pyfunction]
    fn decompose_word<'py>(py: Python<'py>, x: Given<'py>, w: u64, count: usize) -> PyResult<Array<'py>> {
        let x = Matrix::new("x", &x)?;
        if w < 2 || w >> 63 != 0 || count == 0 {
            return refuse(format!("w = {w} must be in [2, 2^63) and count = {count} positive"));
        }
        let shape = [x.rows, x.columns * count, x.n, 1];
        filled(py, shape, |out| digits::decompose_word(x.data, x.limbs, x.n, w, count, out))
    }

    #[pyfunction]
    fn compose<'py>(
        py: Python<'py>,
        digits: Given<'py>,
        w: Constant<'py>,
        count: usize,
        q: Constant<'py>,
    ) -> PyResult<Array<'py>> {
        let (x, w, q) = (Matrix::new("digits", &digits)?, limbs("w", &w)?, at_least(2, "q", &q)?);
        if count == 0 || x.columns % count != 0 {
            return refuse(format!("digits: {} columns are no multiple of count = {count}", x.columns));
        }
        let shape = [x.rows, x.columns / count, x.n, q.len()];
        filled(py, shape, |out| digits::compose(x.data, x.limbs, x.n, w, count, q, out))
    }

    #[pyfunction]
    fn prime_bits() -> usize {
        primes::PRIME_BITS
    }

    #[pyfunction]
    fn prime_count(m: usize, n: usize, a_bits: usize, b_bits: usize) -> usize {
        products::prime_count(m, n, a_bits, b_bits)
    }

    #[pyfunction]
    #[pyo3(signature = (r, m, c, n, a_bits, b_bits, shared=false))]
    fn workspace_bytes(
        r: usize,
        m: usize,
        c: usize,
        n: usize,
        a_bits: usize,
        b_bits: usize,
        shared: bool,
    ) -> usize {
        let pattern = Pattern::Matrix { rows: r, inner: m, columns: c };
        products::workspace_bytes(pattern, n, a_bits, b_bits, shared)
    }

    #[pyfunction]
    #[pyo3(signature = (k, l, n, a_bits, b_bits, shared=false))]
    fn convolve_workspace_bytes(
        k: usize,
        l: usize,
        n: usize,
        a_bits: usize,
        b_bits: usize,
        shared: bool,
    ) -> usize {
        products::workspace_bytes(Pattern::Convolution { left: k, right: l }, n, a_bits, b_bits, shared)
    }

    #[pyfunction]
    fn table_bytes(n: usize, primes: usize) -> usize {
        ntt::table_bytes(n, primes)
    }
}
