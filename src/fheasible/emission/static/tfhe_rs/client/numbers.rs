//! Numbers as digits and back, and as text files with one number on each line.

use std::fs::{create_dir_all, read_to_string, write};
use std::path::Path;

use common::Digits;

/// The digits of each number, least first: one vector for each digit.
pub fn digits_of(texts: &[String], d: &Digits) -> Vec<Vec<i128>> {
    if texts.len() != d.length {
        panic!("{} has {} elements; it takes {}", d.name, texts.len(), d.length);
    }
    let mut rest: Vec<i128> = texts.iter().map(|text| whole(text, d) - d.low).collect();
    if let Some(modulus) = d.modulus {
        rest.iter_mut().for_each(|x| *x = x.rem_euclid(modulus));
    }
    let mut found = Vec::new();
    for _ in 0..d.digits {
        found.push(rest.iter().map(|x| x.rem_euclid(d.base)).collect());
        rest.iter_mut().for_each(|x| *x = x.div_euclid(d.base));
    }
    found
}

/// A number as an integer: a real number is rounded to a multiple of 2^-fraction.
fn whole(text: &str, d: &Digits) -> i128 {
    let wrong = |e: &dyn std::fmt::Display| -> ! { panic!("{}: {text}: {e}", d.name) };
    match d.fraction {
        None => text.parse().unwrap_or_else(|e| wrong(&e)),
        Some(bits) => {
            let value: f64 = text.parse().unwrap_or_else(|e| wrong(&e));
            (value * 2f64.powi(bits)).round_ties_even() as i128
        }
    }
}

/// The numbers, of digits that may exceed the base: carries are added up.
pub fn numbers_of(columns: &[Vec<i128>], d: &Digits) -> Vec<String> {
    let number = |i: usize| {
        let digit = |column: &Vec<i128>| column[if column.len() == 1 { 0 } else { i }];
        let total = columns.iter().rev().fold(0, |sum: i128, column| sum * d.base + digit(column)) + d.low;
        let total = d.modulus.map_or(total, |modulus| residue(total, modulus));
        match d.fraction {
            None => total.to_string(),
            Some(bits) => format!("{:?}", total as f64 * 2f64.powi(-bits)),
        }
    };
    (0..d.length).map(number).collect()
}

/// The residue in (-modulus/2, modulus/2], or as a signed word of 64 bits.
fn residue(number: i128, modulus: i128) -> i128 {
    let found = number.rem_euclid(modulus);
    let most = (modulus / 2).min(i64::MAX as i128);
    if found > most { found - modulus } else { found }
}

pub fn read(path: &Path) -> Vec<String> {
    let text = read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.split_whitespace().map(str::to_string).collect()
}

pub fn write_all(path: &Path, texts: &[String]) {
    create_dir_all(path.parent().expect("a folder")).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    write(path, texts.join("\n") + "\n").unwrap_or_else(|e| panic!("{}: {e}", path.display()));
}

/// The largest difference from the numbers of a file; None where it is not there, or has other numbers.
pub fn largest_difference(found: &[String], expected: &Path) -> Option<f64> {
    let truth: Vec<String> = read_to_string(expected).ok()?.split_whitespace().map(str::to_string).collect();
    let float = |text: &String| text.parse::<f64>().ok();
    let differences =
        found.iter().zip(&truth).map(|(a, b)| Some(if a == b { 0.0 } else { (float(a)? - float(b)?).abs() }));
    (truth.len() == found.len())
        .then(|| differences.collect::<Option<Vec<f64>>>())??
        .into_iter()
        .reduce(f64::max)
}
