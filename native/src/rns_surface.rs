//! The Python surface of `rns.rs`: arrays (limbs, n) of residues, one modulus below 2^62 for each limb.

use crate::arrays::{contiguous, filled as filled_matrix, limbs, refuse, Array, Constant};
use crate::rns::{self, Modulus, MOST_BITS};
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;
use tfhe_ntt::prime64::Plan;

type Limbs<'py> = Bound<'py, PyArray2<u64>>;
type Given<'py> = PyReadonlyArray2<'py, u64>;

#[pyfunction]
pub fn rns_forward<'py>(py: Python<'py>, x: Given<'py>, moduli: Constant<'py>) -> PyResult<Limbs<'py>> {
    transformed(py, &x, &moduli, rns::forward)
}

#[pyfunction]
pub fn rns_inverse<'py>(py: Python<'py>, x: Given<'py>, moduli: Constant<'py>) -> PyResult<Limbs<'py>> {
    transformed(py, &x, &moduli, rns::inverse)
}

fn transformed<'py>(
    py: Python<'py>,
    x: &Given<'py>,
    moduli: &Constant<'py>,
    transform: fn(&[Arc<Plan>], &mut [u64]),
) -> PyResult<Limbs<'py>> {
    let (x, n) = residues("x", x, moduli)?;
    let mut plans = Vec::new();
    for &p in limbs("moduli", moduli)? {
        match rns::plan(n, p) {
            Some(plan) => plans.push(plan),
            None => {
                return refuse(format!("no transform of n = {n} modulo {p}: it must be a prime 1 modulo 2n"))
            }
        }
    }
    filled(py, plans.len(), n, |out| {
        out.copy_from_slice(x);
        transform(&plans, out);
    })
}

#[pyfunction]
pub fn rns_add<'py>(
    py: Python<'py>,
    x: Given<'py>,
    y: Given<'py>,
    moduli: Constant<'py>,
) -> PyResult<Limbs<'py>> {
    let (p, (x, n), (y, _)) = (read(&moduli)?, residues("x", &x, &moduli)?, residues("y", &y, &moduli)?);
    agree(x, y)?;
    filled(py, p.len(), n, |out| rns::pairwise(&p, x, y, out, Modulus::add))
}

#[pyfunction]
pub fn rns_sub<'py>(
    py: Python<'py>,
    x: Given<'py>,
    y: Given<'py>,
    moduli: Constant<'py>,
) -> PyResult<Limbs<'py>> {
    let (p, (x, n), (y, _)) = (read(&moduli)?, residues("x", &x, &moduli)?, residues("y", &y, &moduli)?);
    agree(x, y)?;
    filled(py, p.len(), n, |out| rns::pairwise(&p, x, y, out, Modulus::subtract))
}

#[pyfunction]
pub fn rns_scale<'py>(
    py: Python<'py>,
    x: Given<'py>,
    constants: Constant<'py>,
    moduli: Constant<'py>,
) -> PyResult<Limbs<'py>> {
    let (p, (x, n), c) = (read(&moduli)?, residues("x", &x, &moduli)?, limbs("constants", &constants)?);
    count("constants", c, p.len())?;
    filled(py, p.len(), n, |out| rns::by_constants(&p, x, c, out, Modulus::multiply))
}

#[pyfunction]
pub fn rns_offset<'py>(
    py: Python<'py>,
    x: Given<'py>,
    constants: Constant<'py>,
    moduli: Constant<'py>,
) -> PyResult<Limbs<'py>> {
    let (p, (x, n), c) = (read(&moduli)?, residues("x", &x, &moduli)?, limbs("constants", &constants)?);
    count("constants", c, p.len())?;
    filled(py, p.len(), n, |out| rns::by_constants(&p, x, c, out, Modulus::add))
}

#[pyfunction]
pub fn rns_inner_product<'py>(
    py: Python<'py>,
    xs: Vec<Given<'py>>,
    ys: Vec<Given<'py>>,
    moduli: Constant<'py>,
) -> PyResult<Limbs<'py>> {
    let p = read(&moduli)?;
    let (left, right) = (factors("xs", &xs, &moduli)?, factors("ys", &ys, &moduli)?);
    if left.is_empty() || left.len() != right.len() {
        return refuse(format!("xs and ys: {} and {} factors", left.len(), right.len()));
    }
    left.iter().chain(&right).try_for_each(|x| agree(left[0], x))?;
    filled(py, p.len(), left[0].len() / p.len(), |out| rns::inner_product(&p, &left, &right, out))
}

fn factors<'a>(name: &str, xs: &'a [Given], moduli: &Constant) -> PyResult<Vec<&'a [u64]>> {
    xs.iter().map(|x| Ok(residues(name, x, moduli)?.0)).collect()
}

#[pyfunction]
pub fn rns_convert<'py>(
    py: Python<'py>,
    x: Given<'py>,
    matrix: Given<'py>,
    moduli: Constant<'py>,
) -> PyResult<Limbs<'py>> {
    let (p, (x, limbs_in, n)) = (read(&moduli)?, shaped("x", &x)?);
    let (matrix, rows, columns) = shaped("matrix", &matrix)?;
    if [rows, columns] != [p.len(), limbs_in] {
        return refuse(format!("matrix: ({rows}, {columns}) for {limbs_in} limbs to {}", p.len()));
    }
    filled(py, p.len(), n, |out| rns::convert(&p, x, matrix, out))
}

#[pyfunction]
pub fn rns_reconstruct<'py>(
    py: Python<'py>,
    y: Given<'py>,
    cofactors: Given<'py>,
    centred: bool,
    moduli: Constant<'py>,
) -> PyResult<Array<'py>> {
    let ((y, n), p) = (residues("y", &y, &moduli)?, limbs("moduli", &moduli)?);
    let (all, rows, words) = shaped("cofactors", &cofactors)?;
    if rows != p.len() + 1 {
        return refuse(format!("cofactors: {rows} integers for {} limbs, one more is needed", p.len()));
    }
    let cofactors: Vec<Vec<u64>> = all.chunks_exact(words).map(<[u64]>::to_vec).collect();
    filled_matrix(py, [1, 1, n, words], |out| rns::reconstruct(p, y, &cofactors, centred, out))
}

fn read(moduli: &Constant) -> PyResult<Vec<Modulus>> {
    let moduli = limbs("moduli", moduli)?;
    match moduli.iter().find(|&&p| p < 2 || p >> MOST_BITS != 0) {
        Some(p) => refuse(format!("moduli: {p} is not in [2, 2^{MOST_BITS})")),
        None => Ok(moduli.iter().map(|&p| Modulus::new(p)).collect()),
    }
}

/// Returns the data of one limb for each modulus, and n.
fn residues<'a>(name: &str, array: &'a Given, moduli: &Constant) -> PyResult<(&'a [u64], usize)> {
    let (data, rows, n) = shaped(name, array)?;
    let wanted = limbs("moduli", moduli)?.len();
    if rows != wanted {
        return refuse(format!("{name}: {rows} limbs for {wanted} moduli"));
    }
    Ok((data, n))
}

/// Returns the data, the rows and the columns.
fn shaped<'a>(name: &str, array: &'a Given) -> PyResult<(&'a [u64], usize, usize)> {
    let &[rows, columns] = array.shape() else { unreachable!("the type has two axes") };
    if rows * columns == 0 {
        return refuse(format!("{name}: no axis of {:?} may be empty", array.shape()));
    }
    Ok((contiguous(name, array.is_c_contiguous(), array.as_slice().ok())?, rows, columns))
}

fn agree(x: &[u64], y: &[u64]) -> PyResult<()> {
    if x.len() == y.len() {
        Ok(())
    } else {
        refuse(format!("polynomials of {} and {} residues do not agree", x.len(), y.len()))
    }
}

fn count(name: &str, c: &[u64], wanted: usize) -> PyResult<()> {
    if c.len() == wanted {
        Ok(())
    } else {
        refuse(format!("{name}: {} for {wanted} limbs", c.len()))
    }
}

/// Returns a new array (limbs, n), filled by `fill` (from zeros) without the interpreter's lock.
fn filled<'py>(
    py: Python<'py>,
    rows: usize,
    n: usize,
    fill: impl FnOnce(&mut [u64]) + Send,
) -> PyResult<Limbs<'py>> {
    let array = PyArray2::zeros(py, [rows, n], false);
    {
        let mut guard = array.readwrite();
        let out = guard.as_slice_mut().expect("a new array is contiguous");
        py.detach(|| fill(out));
    }
    Ok(array)
}
