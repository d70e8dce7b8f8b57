//! The client: `client keys`, `client encrypt`, `client decrypt`. It alone has the secret key.

mod keys;
mod numbers;

use std::env::args;
use std::path::Path;
use std::process::exit;

use common::{load, save, Ciphertext, Parameters, Set, Value, TO_CLIENT, TO_SERVER};
use tfhe::core_crypto::prelude::*;

const HERE: &str = "client";

fn main() {
    let words: Vec<String> = args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["keys"] => make_keys(&Parameters::read()),
        ["encrypt"] => encrypt(&Parameters::read()),
        ["decrypt"] => decrypt(&Parameters::read()),
        _ => {
            eprintln!("usage: client keys | encrypt | decrypt");
            exit(2)
        }
    }
}

fn make_keys(p: &Parameters) {
    keys::make(&p.tfhe, Path::new(HERE), Path::new(TO_SERVER));
    println!("keys made: client/secret.key stays here; to_server/ is for the server");
}

fn secret_key(p: &Set) -> LweSecretKeyOwned<u64> {
    keys::between(p, load(&Path::new(HERE).join("secret.key")))
}

/// Encrypts client/data/*.txt into to_server/.
fn encrypt(p: &Parameters) {
    let (key, mut random) = (secret_key(&p.tfhe), keys::encryption());
    let errors = match p.tfhe.order {
        common::Order::KsPbs => p.tfhe.glwe_errors,
        common::Order::PbsKs => p.tfhe.lwe_errors,
    };
    for input in &p.inputs {
        let numbers = numbers::read(&Path::new(HERE).join("data").join(format!("{}.txt", input.file)));
        for (digits, path) in numbers::digits_of(&numbers, input).iter().zip(input.files(TO_SERVER)) {
            let one = |x: &i128| {
                let plain = Plaintext((*x as u64).wrapping_mul(p.tfhe.delta()));
                let errors = errors.distribution();
                allocate_and_encrypt_new_lwe_ciphertext(&key, plain, errors, p.tfhe.modulus(), &mut random)
            };
            let value: Value = digits.iter().map(one).collect();
            save(&value, &path);
        }
    }
    println!("encrypted: {}", p.inputs.iter().map(|i| i.name.as_str()).collect::<Vec<_>>().join(", "));
}

/// Decrypts to_client/ into client/results/*.txt, and compares with client/expected/*.txt.
fn decrypt(p: &Parameters) {
    let key = secret_key(&p.tfhe);
    for output in &p.outputs {
        let column = |path: &std::path::PathBuf| {
            load::<Value>(path).iter().map(|x| decrypted(&p.tfhe, &key, x)).collect::<Vec<i128>>()
        };
        let columns: Vec<Vec<i128>> = output.files(TO_CLIENT).iter().map(column).collect();
        let found = numbers::numbers_of(&columns, output);
        let file = format!("{}.txt", output.file);
        numbers::write_all(&Path::new(HERE).join("results").join(&file), &found);
        let said = format!("{}: {} values in client/results/", output.name, found.len());
        match numbers::largest_difference(&found, &Path::new(HERE).join("expected").join(&file)) {
            None => println!("{said}"),
            Some(d) => println!("{said}; the largest difference from the cleartext result is {d:.3e}"),
        }
    }
}

/// What a ciphertext holds, in [0, 2 * values): from `values` on, it has left its range.
fn decrypted(p: &Set, key: &LweSecretKeyOwned<u64>, x: &Ciphertext) -> i128 {
    let phase = decrypt_lwe_ciphertext(key, x).0;
    i128::from(phase.wrapping_add(p.delta() / 2) / p.delta())
}
