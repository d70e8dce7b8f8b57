//! Single operations, on operands that are made before.

use tfhe::core_crypto::prelude::*;

use crate::engine::{decoded, polynomial_of, switched, Ciphertext, Engine, Table};
use crate::keys::{bootstrap_key, encryption, switch_key, Encryption, Keys, Secrets};
use crate::parameters::Parameters;
use crate::protocol::Order;
use crate::shortint::OwnLoop;

/// All operations, in the order of the protocol.
pub const OPERATIONS: [&str; 12] = [
    "encrypt",
    "decrypt",
    "add",
    "mul_scalar",
    "key_switch",
    "modulus_switch",
    "bootstrap",
    "lookup",
    "lookup_by_shortint",
    "keygen_secret",
    "keygen_switch",
    "keygen_bootstrap",
];
const SHORT: usize = 64; // a short operation is done so often for each sample
const NUMBER: u64 = 1; // what the operand holds

/// What an operation leaves: it is dropped, or decrypted, after it was timed.
pub enum Outcome {
    Nothing,
    Number(i64),
    Small(Ciphertext),
    Large(Ciphertext),
    Between(Ciphertext),
}

pub struct Bench<'a> {
    p: &'a Parameters,
    keys: &'a Keys,
    engine: Engine<'a>,
    random: Encryption,
    table: Table, // x + 1
    operand: Ciphertext,
    small: Ciphertext,
    large: Ciphertext,
    own: Option<OwnLoop>,
}

/// How often an operation is done for one sample, which is of one.
pub fn times(operation: &str) -> usize {
    match operation {
        "encrypt" | "decrypt" | "add" | "mul_scalar" | "modulus_switch" => SHORT,
        _ => 1,
    }
}

impl<'a> Bench<'a> {
    /// `own`: TFHE-rs's `shortint` with the same parameters, where that is wanted.
    pub fn new(p: &'a Parameters, keys: &'a Keys, threads: usize, own: Option<OwnLoop>) -> Bench<'a> {
        let modulus = p.plaintext_modulus;
        let table = polynomial_of(p, &(0..modulus).map(|x| (x + 1) % modulus).collect::<Vec<_>>());
        let mut random = encryption();
        let mut fresh = |key: &LweSecretKeyOwned<u64>, errors| {
            let plain = Plaintext(NUMBER * p.delta());
            allocate_and_encrypt_new_lwe_ciphertext(key, plain, errors, p.modulus(), &mut random)
        };
        let small = fresh(&keys.secrets.small, p.lwe_errors);
        let large = fresh(&keys.secrets.large, p.glwe_errors);
        let operand = if p.order == Order::KsPbs { large.clone() } else { small.clone() };
        Bench { p, keys, engine: Engine::new(p, keys, threads), random, table, operand, small, large, own }
    }

    pub fn once(&mut self, operation: &str) -> Outcome {
        let (p, key) = (self.p, self.keys.secrets.between(self.p.order));
        match operation {
            "encrypt" => Outcome::Between(allocate_and_encrypt_new_lwe_ciphertext(
                key,
                Plaintext(NUMBER * p.delta()),
                p.fresh_errors(),
                p.modulus(),
                &mut self.random,
            )),
            "decrypt" => Outcome::Number(decoded(p, decrypt_lwe_ciphertext(key, &self.operand).0).0),
            "add" => {
                let mut total = self.operand.clone();
                lwe_ciphertext_add_assign(&mut total, &self.operand);
                Outcome::Between(total)
            }
            "mul_scalar" => {
                let mut product = self.operand.clone();
                lwe_ciphertext_cleartext_mul_assign(&mut product, Cleartext(2));
                Outcome::Between(product)
            }
            "key_switch" => {
                let mut found = LweCiphertext::new(0, p.lwe.to_lwe_size(), p.modulus());
                keyswitch_lwe_ciphertext(&self.keys.switch, &self.large, &mut found);
                Outcome::Small(found)
            }
            "modulus_switch" => {
                let found = switched(p, &self.small);
                Outcome::Number(
                    std::hint::black_box(found.mask().fold(found.body(), usize::wrapping_add)) as i64
                )
            }
            "bootstrap" => {
                let mut found = LweCiphertext::new(0, p.large().to_lwe_size(), p.modulus());
                self.engine.rotation.bootstrap(&self.small, &self.table, &mut found);
                Outcome::Large(found)
            }
            "lookup" => Outcome::Between(self.engine.look_up(&self.operand, &self.table)),
            "lookup_by_shortint" => {
                drop(self.own.as_ref().expect("it was wanted").look_up());
                Outcome::Nothing
            }
            _ => self.generate(operation),
        }
    }

    fn generate(&mut self, operation: &str) -> Outcome {
        let secrets = &self.keys.secrets;
        match operation {
            "keygen_secret" => drop(Secrets::new(self.p)),
            "keygen_switch" => drop(switch_key(self.p, secrets, &mut self.random)),
            _ => drop(bootstrap_key(self.p, secrets, &mut self.random)),
        }
        Outcome::Nothing
    }

    /// The number that an outcome holds; None where it holds none.
    pub fn number(&self, operation: &str, outcome: &Outcome) -> Option<i64> {
        let secrets = &self.keys.secrets;
        let (key, found) = match outcome {
            Outcome::Nothing => return None,
            Outcome::Number(x) => return (operation == "decrypt").then_some(*x),
            Outcome::Small(found) => (&secrets.small, found),
            Outcome::Large(found) => (&secrets.large, found),
            Outcome::Between(found) => (secrets.between(self.p.order), found),
        };
        Some(decoded(self.p, decrypt_lwe_ciphertext(key, found).0).0)
    }
}
