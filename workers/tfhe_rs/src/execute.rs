//! Executes a program once, step by step.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;
use tfhe::core_crypto::prelude::*;

use crate::clock::{timed, Sample};
use crate::engine::{decoded, Ciphertext, Engine, Table};
use crate::keys::{encryption, Encryption, Keys};
use crate::marks::Marks;
use crate::parameters::Parameters;
use crate::program::{Digits, Inputs, Kind, Program, Step};

type Value = Vec<Ciphertext>;

pub struct Executor<'a> {
    pub p: &'a Parameters,
    pub program: &'a Program,
    pub keys: &'a Keys,
    pub secret: &'a LweSecretKeyOwned<u64>, // decrypts
    pub tables: &'a [Table],
    pub inputs: &'a Inputs,
    pub threads: usize,
    pub keep: HashSet<usize>, // values that are decrypted after the steps
}

/// What one repetition took and gave. `outputs`: for each output, numbers of each value and their errors.
#[derive(Default)]
pub struct Repetition {
    pub steps: Vec<Sample>,
    pub encrypt: Sample,
    pub evaluate: Sample,
    pub decrypt: Sample,
    pub outputs: Vec<(Vec<i64>, Vec<f64>)>,
    pub inputs_after: Vec<(Vec<i64>, Vec<f64>)>,
}

impl Executor<'_> {
    pub fn once(&self, number: i64, marks: &mut Marks, check_inputs: bool) -> Repetition {
        let mut engine = Engine::new(self.p, self.keys, self.threads);
        let mut random = encryption();
        let mut values: HashMap<usize, Value> = HashMap::new();
        let (mut result, mut phase) = (Repetition::default(), "");
        for step in &self.program.steps {
            let belongs = if step.step == Kind::Encrypt { "encrypt" } else { "evaluate" };
            if belongs != phase {
                marks.begin(belongs, number);
                phase = belongs;
            }
            let (made, took) = timed(|| self.made(step, &values, &mut engine, &mut random));
            result.steps.push(took);
            *(if phase == "encrypt" { &mut result.encrypt } else { &mut result.evaluate }) += took;
            values.insert(step.out, made);
            for freed in step.frees.iter().filter(|freed| !self.keep.contains(freed)) {
                values.remove(freed);
            }
        }
        marks.begin("decrypt", number);
        let (outputs, took) = timed(|| self.decrypted(&self.program.outputs, &values));
        (result.outputs, result.decrypt) = (outputs, took);
        marks.begin("other", number);
        if check_inputs {
            result.inputs_after = self.decrypted(&self.program.inputs, &values);
        }
        result
    }

    fn made(
        &self,
        step: &Step,
        values: &HashMap<usize, Value>,
        engine: &mut Engine,
        random: &mut Encryption,
    ) -> Value {
        let arg = |i: usize| &values[&step.args[i]];
        match step.step {
            Kind::Encrypt => self.encrypted(&self.inputs[&step.source][step.digit], random),
            Kind::Trivial => (0..step.length).map(|i| self.trivial(*one(plain(step), i))).collect(),
            Kind::Linear => (0..step.length).map(|i| self.linear(step, values, i)).collect(),
            Kind::Pick => plain(step).iter().map(|i| arg(0)[*i as usize].clone()).collect(),
            Kind::Join => step.args.iter().flat_map(|a| values[a].iter().cloned()).collect(),
            Kind::Fold => arg(0).chunks(step.group).map(sum).collect(),
            Kind::Lookup => self.looked_up(arg(0), &self.tables[step.table], engine),
        }
    }

    fn encrypted(&self, numbers: &[i64], random: &mut Encryption) -> Value {
        let (key, errors) = (self.keys.secrets.between(self.p.order), self.p.fresh_errors());
        let encrypt = |x: &i64| {
            allocate_and_encrypt_new_lwe_ciphertext(key, self.encoded(*x), errors, self.p.modulus(), random)
        };
        numbers.iter().map(encrypt).collect()
    }

    fn encoded(&self, number: i64) -> Plaintext<u64> {
        Plaintext((number as u64).wrapping_mul(self.p.delta()))
    }

    fn trivial(&self, number: i64) -> Ciphertext {
        let size = self.p.between().to_lwe_size();
        allocate_and_trivially_encrypt_new_lwe_ciphertext(size, self.encoded(number), self.p.modulus())
    }

    /// Element i of a sum of products with plain integers.
    fn linear(&self, step: &Step, values: &HashMap<usize, Value>, i: usize) -> Ciphertext {
        let mut total: Option<Ciphertext> = None;
        for (arg, weight) in step.args.iter().zip(&step.weights) {
            let x = one(&values[arg], i);
            match &mut total {
                None => total = Some(product(x.clone(), *weight)),
                Some(t) if *weight == 1 => lwe_ciphertext_add_assign(t, x),
                Some(t) if *weight == -1 => lwe_ciphertext_sub_assign(t, x),
                Some(t) => lwe_ciphertext_add_assign(t, &product(x.clone(), *weight)),
            }
        }
        let mut total = total.unwrap_or_else(|| self.trivial(0));
        if let Some(numbers) = &step.plain {
            lwe_ciphertext_plaintext_add_assign(&mut total, self.encoded(*one(numbers, i)));
        }
        total
    }

    /// With several threads, elements are shared out among them; those of a multi-bit bootstrap work on one.
    fn looked_up(&self, x: &Value, table: &Table, engine: &mut Engine) -> Value {
        if self.threads == 1 || self.p.grouping > 1 {
            return x.iter().map(|one| engine.look_up(one, table)).collect();
        }
        let fresh = || Engine::new(self.p, self.keys, 1);
        x.par_iter().map_init(fresh, |engine, one| engine.look_up(one, table)).collect()
    }

    fn decrypted(&self, all: &[Digits], values: &HashMap<usize, Value>) -> Vec<(Vec<i64>, Vec<f64>)> {
        let number = |x: &Ciphertext| decoded(self.p, decrypt_lwe_ciphertext(self.secret, x).0);
        let elements = |d: &Digits| {
            let places = d.values.iter().flat_map(|v| (0..d.length).map(move |i| (v, i)));
            places.map(|(v, i)| number(one(&values[v], i))).unzip()
        };
        all.iter().map(elements).collect()
    }
}

/// Element i; the only one stands for each.
fn one<T>(elements: &[T], i: usize) -> &T {
    if elements.len() == 1 {
        &elements[0]
    } else {
        &elements[i]
    }
}

fn plain(step: &Step) -> &[i64] {
    step.plain.as_deref().unwrap_or_default()
}

fn product(mut x: Ciphertext, weight: i64) -> Ciphertext {
    if weight != 1 {
        lwe_ciphertext_cleartext_mul_assign(&mut x, Cleartext(weight as u64));
    }
    x
}

fn sum(parts: &[Ciphertext]) -> Ciphertext {
    let mut total = parts[0].clone();
    parts[1..].iter().for_each(|x| lwe_ciphertext_add_assign(&mut total, x));
    total
}
