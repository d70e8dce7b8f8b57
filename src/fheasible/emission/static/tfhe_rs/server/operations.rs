//! What the evaluation needs: sums of products with plain integers, and table look-ups, of whole vectors.

#![allow(dead_code)] // an application need not use every operation

use common::{Ciphertext, Set, Value};
use rayon::prelude::*;
use tfhe::core_crypto::prelude::*;

use crate::engine::{polynomial_of, Engine, Keys, Table};

pub struct Server<'a> {
    p: &'a Set,
    keys: &'a Keys,
    tables: Vec<Table>,
    engine: Engine<'a>,
    threads: usize,
}

impl<'a> Server<'a> {
    pub fn new(p: &'a Set, keys: &'a Keys, tables: &[&[u64]], threads: usize) -> Server<'a> {
        let tables = tables.iter().map(|entries| polynomial_of(p, entries)).collect();
        Server { p, keys, tables, engine: Engine::new(p, keys, threads), threads }
    }

    fn encoded(&self, number: i64) -> Plaintext<u64> {
        Plaintext((number as u64).wrapping_mul(self.p.delta()))
    }

    /// Plain numbers as ciphertexts without noise.
    pub fn trivial(&self, numbers: &[i64]) -> Value {
        let (size, modulus) = (self.p.between().to_lwe_size(), self.p.modulus());
        let one =
            |x: &i64| allocate_and_trivially_encrypt_new_lwe_ciphertext(size, self.encoded(*x), modulus);
        numbers.iter().map(one).collect()
    }

    /// The sum of products of values with plain integers, and of a plain vector; a single element stands for each.
    pub fn sum(&self, terms: &[(&Value, i64)], plain: &[i64], length: usize) -> Value {
        (0..length).map(|i| self.element(terms, plain, i)).collect()
    }

    fn element(&self, terms: &[(&Value, i64)], plain: &[i64], i: usize) -> Ciphertext {
        let mut total: Option<Ciphertext> = None;
        for (value, weight) in terms {
            let x = one(value, i);
            match &mut total {
                None => total = Some(product(x.clone(), *weight)),
                Some(t) if *weight == 1 => lwe_ciphertext_add_assign(t, x),
                Some(t) if *weight == -1 => lwe_ciphertext_sub_assign(t, x),
                Some(t) => lwe_ciphertext_add_assign(t, &product(x.clone(), *weight)),
            }
        }
        let mut total = total.unwrap_or_else(|| self.trivial(&[0]).remove(0));
        if !plain.is_empty() {
            lwe_ciphertext_plaintext_add_assign(&mut total, self.encoded(*one(plain, i)));
        }
        total
    }

    /// The entries of a table at the elements. With several threads, elements are shared out among them; those of
    /// a multi-bit bootstrap work on one.
    pub fn look_up(&mut self, x: &Value, table: usize) -> Value {
        let table = &self.tables[table];
        if self.threads == 1 || self.p.grouping > 1 {
            return x.iter().map(|each| self.engine.look_up(each, table)).collect();
        }
        let fresh = || Engine::new(self.p, self.keys, 1);
        x.par_iter().map_init(fresh, |engine, each| engine.look_up(each, table)).collect()
    }
}

/// The elements at these places.
pub fn pick(x: &Value, places: &[i64]) -> Value {
    places.iter().map(|i| x[*i as usize].clone()).collect()
}

/// All elements, one value after the other.
pub fn join(values: &[&Value]) -> Value {
    values.iter().flat_map(|value| value.iter().cloned()).collect()
}

/// The sums of `group` neighbours each.
pub fn fold(x: &Value, group: usize) -> Value {
    let sum = |parts: &[Ciphertext]| {
        let mut total = parts[0].clone();
        parts[1..].iter().for_each(|each| lwe_ciphertext_add_assign(&mut total, each));
        total
    };
    x.chunks(group).map(sum).collect()
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
