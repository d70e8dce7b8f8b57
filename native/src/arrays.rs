//! NumPy arrays seen as matrices of polynomials: shapes are checked here and nowhere else.

use crate::integers::bit_length;
use crate::ntt::MOST_LOG_N;
use numpy::{PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray4, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub type Array<'py> = Bound<'py, PyArray4<u64>>;
pub type Given<'py> = PyReadonlyArray4<'py, u64>;
pub type Constant<'py> = PyReadonlyArray1<'py, u64>;

/// A matrix of polynomials with `limbs` limbs per coefficient.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    pub rows: usize,
    pub columns: usize,
    pub n: usize,
    pub limbs: usize,
    pub data: &'a [u64],
}

impl<'a> Matrix<'a> {
    pub fn new(name: &str, array: &'a Given) -> PyResult<Self> {
        let &[rows, columns, n, limbs] = array.shape() else { unreachable!("the type has four axes") };
        if rows * columns * n * limbs == 0 {
            return refuse(format!("{name}: no axis of {:?} may be empty", array.shape()));
        }
        if !n.is_power_of_two() || n > 1 << MOST_LOG_N {
            return refuse(format!("{name}: n must be a power of two up to 2^{MOST_LOG_N}, not {n}"));
        }
        let data = contiguous(name, array.is_c_contiguous(), array.as_slice().ok())?;
        Ok(Self { rows, columns, n, limbs, data })
    }

    /// Returns the matrix, whose coefficients must have the limbs of q.
    pub fn residues(name: &str, array: &'a Given, q: &[u64]) -> PyResult<Self> {
        let matrix = Self::new(name, array)?;
        if matrix.limbs != q.len() {
            let (given, wanted) = (matrix.limbs, q.len());
            return refuse(format!("{name}: residues have the {wanted} limbs of q, not {given}"));
        }
        Ok(matrix)
    }

    /// Returns an error unless `other` has the same rows, columns and n.
    pub fn agree(&self, other: &Self) -> PyResult<()> {
        let (x, y) = ([self.rows, self.columns, self.n], [other.rows, other.columns, other.n]);
        if x == y {
            Ok(())
        } else {
            refuse(format!("x and y: (rows, columns, n) differ, {x:?} and {y:?}"))
        }
    }

    /// Returns a new array of this shape but `limbs` limbs, filled by `fill` without the interpreter's lock.
    pub fn map<'py>(
        &self,
        py: Python<'py>,
        limbs: usize,
        fill: impl FnOnce(&mut [u64]) + Send,
    ) -> PyResult<Array<'py>> {
        filled(py, [self.rows, self.columns, self.n, limbs], fill)
    }
}

/// Returns a new array of that shape, filled by `fill` (from zeros) without the interpreter's lock.
pub fn filled<'py>(
    py: Python<'py>,
    shape: [usize; 4],
    fill: impl FnOnce(&mut [u64]) + Send,
) -> PyResult<Array<'py>> {
    if shape[3] == 0 {
        return refuse("limbs_out must be positive".to_string());
    }
    let array = PyArray4::zeros(py, shape, false);
    {
        let mut guard = array.readwrite();
        let out = guard.as_slice_mut().expect("a new array is contiguous");
        py.detach(|| fill(out));
    }
    Ok(array)
}

/// Returns the limbs of a constant.
pub fn limbs<'a>(name: &str, constant: &'a Constant) -> PyResult<&'a [u64]> {
    if constant.is_empty() {
        return refuse(format!("{name}: an integer has at least one limb"));
    }
    contiguous(name, constant.is_c_contiguous(), constant.as_slice().ok())
}

/// Returns the limbs of an unsigned constant that is at least `least`, 1 or 2.
pub fn at_least<'a>(least: u64, name: &str, constant: &'a Constant) -> PyResult<&'a [u64]> {
    let limbs = limbs(name, constant)?;
    if bit_length(limbs) < least as usize {
        return refuse(format!("{name} must be at least {least}"));
    }
    Ok(limbs)
}

/// Returns the data of an array whose memory `holds` it in order.
pub fn contiguous<'a>(name: &str, holds: bool, slice: Option<&'a [u64]>) -> PyResult<&'a [u64]> {
    match slice {
        Some(slice) if holds => Ok(slice),
        _ => refuse(format!("{name} must be C-contiguous; pass numpy.ascontiguousarray({name})")),
    }
}

pub fn refuse<T>(message: String) -> PyResult<T> {
    Err(PyValueError::new_err(message))
}
