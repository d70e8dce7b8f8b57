//! A program of table look-ups: `fheasible/program/lookups.py`.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use crate::npy;
use crate::parameters::Parameters;
use crate::protocol::{bad_request, Refusal};

#[derive(Deserialize)]
pub struct Program {
    pub modulus: u64,
    pub steps: Vec<Step>,
    pub tables: Vec<Vec<u64>>,
    pub inputs: Vec<Digits>,
    pub outputs: Vec<Digits>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Encrypt,
    Linear,
    Pick,
    Join,
    Fold,
    Lookup,
    Trivial,
}

#[derive(Deserialize)]
pub struct Step {
    pub step: Kind,
    pub out: usize,
    pub length: usize,
    #[serde(default)]
    pub args: Vec<usize>,
    #[serde(default)]
    pub weights: Vec<i64>,
    pub plain: Option<Vec<i64>>,
    #[serde(default)]
    pub group: usize,
    #[serde(default)]
    pub table: usize,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub digit: usize,
    #[serde(default)]
    pub frees: Vec<usize>,
}

#[derive(Deserialize)]
pub struct Digits {
    pub name: String,
    pub length: usize,
    pub values: Vec<usize>,
}

/// The digits of each input, by name: rows of numbers in [0, modulus).
pub type Inputs = BTreeMap<String, Vec<Vec<i64>>>;

impl Program {
    /// Refuses a program that cannot be executed as it stands.
    pub fn check(&self, p: &Parameters) -> Result<(), Refusal> {
        if self.modulus != p.plaintext_modulus {
            let words =
                format!("the program has modulus {}, the parameters {}", self.modulus, p.plaintext_modulus);
            return Err(bad_request(words));
        }
        let wrong_table =
            |t: &Vec<u64>| t.len() as u64 != self.modulus || t.iter().any(|entry| *entry >= self.modulus);
        if let Some(place) = self.tables.iter().position(wrong_table) {
            return Err(bad_request(format!(
                "table {place} does not have {0} entries in [0, {0})",
                self.modulus
            )));
        }
        let mut lengths = HashMap::new();
        for (place, step) in self.steps.iter().enumerate() {
            self.check_step(step, &lengths).map_err(|why| bad_request(format!("step {place}: {why}")))?;
            lengths.insert(step.out, step.length);
            lengths.retain(|value, _| !step.frees.contains(value));
        }
        for output in &self.outputs {
            self.check_output(output, &lengths)?;
        }
        Ok(())
    }

    fn check_output(&self, output: &Digits, lengths: &HashMap<usize, usize>) -> Result<(), Refusal> {
        for value in &output.values {
            match lengths.get(value) {
                Some(length) if *length == output.length || *length == 1 => {}
                found => {
                    let words = format!("output {}: value {value} has length {found:?}", output.name);
                    return Err(bad_request(format!("{words}, not {} or 1", output.length)));
                }
            }
        }
        Ok(())
    }

    fn check_step(&self, step: &Step, lengths: &HashMap<usize, usize>) -> Result<(), String> {
        let known: Vec<usize> = step
            .args
            .iter()
            .map(|arg| lengths.get(arg).copied().ok_or(format!("value {arg} does not exist then")))
            .collect::<Result<_, String>>()?;
        let first = || known.first().copied().ok_or("it has no argument".to_string());
        let plain = || step.plain.as_ref().ok_or("it has no plain numbers".to_string());
        let fits = match step.step {
            Kind::Encrypt => {
                let input = self.inputs.iter().find(|input| input.name == step.source);
                input.is_some_and(|i| step.digit < i.values.len() && i.length == step.length)
            }
            Kind::Linear => {
                let summand = step.plain.as_ref().is_none_or(|n| n.len() == step.length || n.len() == 1);
                let alike = known.iter().all(|length| *length == step.length || *length == 1);
                summand && alike && step.weights.len() == step.args.len()
            }
            Kind::Pick => {
                let (length, places) = (first()?, plain()?);
                places.len() == step.length
                    && places.iter().all(|i| usize::try_from(*i).is_ok_and(|i| i < length))
            }
            Kind::Join => !known.is_empty() && known.iter().sum::<usize>() == step.length,
            Kind::Fold => step.group > 0 && first()?.div_ceil(step.group) == step.length,
            Kind::Lookup => step.table < self.tables.len() && first()? == step.length,
            Kind::Trivial => plain()?.len() == step.length || plain()?.len() == 1,
        };
        fits.then_some(()).ok_or("its operands do not fit its length and tables".to_string())
    }

    /// The inputs' digits, from their files.
    pub fn load(&self, paths: &BTreeMap<String, String>) -> Result<Inputs, Refusal> {
        self.inputs.iter().map(|input| Ok((input.name.clone(), self.digits(input, paths)?))).collect()
    }

    fn digits(&self, input: &Digits, paths: &BTreeMap<String, String>) -> Result<Vec<Vec<i64>>, Refusal> {
        let name = &input.name;
        let path = paths.get(name).ok_or_else(|| bad_request(format!("input {name} is missing")))?;
        let (shape, numbers) = npy::read_ints(path)?;
        if shape != [input.values.len(), input.length] {
            let words =
                format!("input {name} has shape {shape:?}, not [{}, {}]", input.values.len(), input.length);
            return Err(bad_request(words));
        }
        if numbers.iter().any(|x| *x < 0 || *x as u64 >= self.modulus) {
            return Err(bad_request(format!(
                "a digit of input {name} lies outside of [0, {})",
                self.modulus
            )));
        }
        Ok(numbers.chunks(input.length.max(1)).map(<[i64]>::to_vec).collect())
    }
}
