//! Arrays in files of NumPy's format, version 1: int64 and float64, little-endian, in C order.

use std::fs;
use std::path::Path;

use crate::protocol::{bad_request, Refusal};

const MAGIC: &[u8] = b"\x93NUMPY";

/// An array of int64: its shape and its numbers.
pub fn read_ints(path: &str) -> Result<(Vec<usize>, Vec<i64>), Refusal> {
    let bytes = fs::read(path).map_err(|e| bad_request(format!("{path}: {e}")))?;
    parse(&bytes).ok_or_else(|| bad_request(format!("{path} is no array of int64 in C order")))
}

fn parse(bytes: &[u8]) -> Option<(Vec<usize>, Vec<i64>)> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (length, start) = match rest.first()? {
        1 => (u16::from_le_bytes(rest.get(2..4)?.try_into().ok()?) as usize, 4),
        _ => (u32::from_le_bytes(rest.get(2..6)?.try_into().ok()?) as usize, 6),
    };
    let header = std::str::from_utf8(rest.get(start..start + length)?).ok()?;
    let data = rest.get(start + length..)?;
    if !header.contains("'<i8'") || !header.contains("'fortran_order': False") {
        return None;
    }
    let shape = header.split_once("'shape': (")?.1.split_once(')')?.0;
    let shape: Vec<usize> = shape.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    let numbers: Vec<i64> =
        data.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().expect("8"))).collect();
    (numbers.len() == shape.iter().product::<usize>()).then_some((shape, numbers))
}

pub fn write_ints(path: &Path, shape: &[usize], numbers: &[i64]) -> Result<(), Refusal> {
    write(path, "<i8", shape, numbers.iter().flat_map(|x| x.to_le_bytes()))
}

pub fn write_floats(path: &Path, shape: &[usize], numbers: &[f64]) -> Result<(), Refusal> {
    write(path, "<f8", shape, numbers.iter().flat_map(|x| x.to_le_bytes()))
}

fn write(path: &Path, kind: &str, shape: &[usize], data: impl Iterator<Item = u8>) -> Result<(), Refusal> {
    let sides: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sides}), }}");
    while !(MAGIC.len() + 4 + header.len() + 1).is_multiple_of(64) {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes(), header.as_bytes()].concat();
    bytes.extend(data);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| bad_request(format!("{}: {e}", folder.display())))?;
    }
    fs::write(path, bytes).map_err(|e| bad_request(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let path = std::env::temp_dir().join(format!("fheasible-{}.npy", std::process::id()));
        write_ints(&path, &[2, 3], &[1, -2, 3, 4, 5, i64::MAX]).unwrap();
        let (shape, numbers) = read_ints(path.to_str().unwrap()).unwrap();
        fs::remove_file(path).unwrap();
        assert_eq!((shape, numbers), (vec![2, 3], vec![1, -2, 3, 4, 5, i64::MAX]));
    }
}
