//! What the evaluation needs: sums of products with plain integers, and table look-ups, of whole vectors.

#![allow(dead_code)] // an application need not use every operation

use common::{Ciphertext, Set, Value};
use rayon::prelude::*;
use tfhe::core_crypto::prelude::*;

use crate::engine::{polynomial_of, Engine, Keys, Table};
use crate::Inputs;

/// A vector of ciphertexts that the server keeps: its number. Numbers need no clean-up, without which the compiler
/// takes seconds for thousands of lines.
#[derive(Clone, Copy)]
pub struct Kept(usize);

pub struct Server<'a> {
    p: &'a Set,
    keys: &'a Keys,
    inputs: Inputs,
    values: Vec<Value>, // empty where nothing needs them any more
    tables: Vec<Table>,
    engine: Engine<'a>,
    threads: usize,
}

impl<'a> Server<'a> {
    pub fn new(p: &'a Set, keys: &'a Keys, inputs: Inputs, tables: &[&[u64]], threads: usize) -> Server<'a> {
        let tables = tables.iter().map(|entries| polynomial_of(p, entries)).collect();
        Server { p, keys, inputs, values: Vec::new(), tables, engine: Engine::new(p, keys, threads), threads }
    }

    fn keep(&mut self, value: Value) -> Kept {
        self.values.push(value);
        Kept(self.values.len() - 1)
    }

    fn at(&self, x: Kept) -> &Value {
        &self.values[x.0]
    }

    /// The digits of an input, least first.
    pub fn input<const N: usize>(&mut self, name: &str) -> [Kept; N] {
        let found = self.inputs.remove(name).unwrap_or_default();
        let kept: Vec<Kept> = found.into_iter().map(|digit| self.keep(digit)).collect();
        kept.try_into().unwrap_or_else(|_| panic!("{name} does not have {N} digits"))
    }

    /// The digits of an output.
    pub fn output(&self, digits: &[Kept]) -> Vec<Value> {
        digits.iter().map(|x| self.at(*x).clone()).collect()
    }

    /// Frees values that nothing needs any more.
    pub fn free(&mut self, values: &[Kept]) {
        values.iter().for_each(|x| self.values[x.0] = Vec::new());
    }

    fn encoded(&self, number: i64) -> Plaintext<u64> {
        Plaintext((number as u64).wrapping_mul(self.p.delta()))
    }

    /// Plain numbers as ciphertexts without noise.
    pub fn trivial(&mut self, numbers: &[i64]) -> Kept {
        let made = self.without_noise(numbers);
        self.keep(made)
    }

    fn without_noise(&self, numbers: &[i64]) -> Value {
        let (size, modulus) = (self.p.between().to_lwe_size(), self.p.modulus());
        let one =
            |x: &i64| allocate_and_trivially_encrypt_new_lwe_ciphertext(size, self.encoded(*x), modulus);
        numbers.iter().map(one).collect()
    }

    /// The sum of products of values with plain integers, and of a plain vector; a single element stands for each.
    pub fn sum(&mut self, terms: &[(Kept, i64)], plain: &[i64], length: usize) -> Kept {
        let made = (0..length).map(|i| self.element(terms, plain, i)).collect();
        self.keep(made)
    }

    fn element(&self, terms: &[(Kept, i64)], plain: &[i64], i: usize) -> Ciphertext {
        let mut total: Option<Ciphertext> = None;
        for (value, weight) in terms {
            let x = one(self.at(*value), i);
            match &mut total {
                None => total = Some(product(x.clone(), *weight)),
                Some(t) if *weight == 1 => lwe_ciphertext_add_assign(t, x),
                Some(t) if *weight == -1 => lwe_ciphertext_sub_assign(t, x),
                Some(t) => lwe_ciphertext_add_assign(t, &product(x.clone(), *weight)),
            }
        }
        let mut total = total.unwrap_or_else(|| self.without_noise(&[0]).remove(0));
        if !plain.is_empty() {
            lwe_ciphertext_plaintext_add_assign(&mut total, self.encoded(*one(plain, i)));
        }
        total
    }

    /// The entries of a table at the elements. With several threads, elements are shared out among them; those of
    /// a multi-bit bootstrap work on one.
    pub fn look_up(&mut self, x: Kept, table: usize) -> Kept {
        let (x, table) = (&self.values[x.0], &self.tables[table]);
        let made = if self.threads == 1 || self.p.grouping > 1 {
            x.iter().map(|each| self.engine.look_up(each, table)).collect()
        } else {
            let fresh = || Engine::new(self.p, self.keys, 1);
            x.par_iter().map_init(fresh, |engine, each| engine.look_up(each, table)).collect()
        };
        self.keep(made)
    }

    /// The elements at these places.
    pub fn pick(&mut self, x: Kept, places: &[i64]) -> Kept {
        let made = places.iter().map(|i| self.at(x)[*i as usize].clone()).collect();
        self.keep(made)
    }

    /// All elements, one value after the other.
    pub fn join(&mut self, values: &[Kept]) -> Kept {
        let made = values.iter().flat_map(|x| self.at(*x).iter().cloned()).collect();
        self.keep(made)
    }

    /// The sums of `group` neighbours each.
    pub fn fold(&mut self, x: Kept, group: usize) -> Kept {
        let sum = |parts: &[Ciphertext]| {
            let mut total = parts[0].clone();
            parts[1..].iter().for_each(|each| lwe_ciphertext_add_assign(&mut total, each));
            total
        };
        let made = self.at(x).chunks(group).map(sum).collect();
        self.keep(made)
    }
}

/// Element i; the only one stands for each.
fn one<T>(elements: &[T], i: usize) -> &T {
    &elements[if elements.len() == 1 { 0 } else { i }]
}

fn product(mut x: Ciphertext, weight: i64) -> Ciphertext {
    if weight != 1 {
        lwe_ciphertext_cleartext_mul_assign(&mut x, Cleartext(weight as u64));
    }
    x
}
