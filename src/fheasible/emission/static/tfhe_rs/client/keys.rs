//! All keys.

use std::path::Path;

use common::{save, Order, Set};
use tfhe::core_crypto::commons::math::random::DefaultRandomGenerator;
use tfhe::core_crypto::prelude::*;

pub type Encryption = EncryptionRandomGenerator<DefaultRandomGenerator>;
pub type Secrets = (LweSecretKeyOwned<u64>, GlweSecretKeyOwned<u64>); // small, and the one that is large as LWE key

/// Makes all keys: the secret ones into `here`, those of the evaluation for the server.
pub fn make(p: &Set, here: &Path, to_server: &Path) {
    let mut seeder = new_seeder();
    let mut random = SecretRandomGenerator::<DefaultRandomGenerator>::new(seeder.seed());
    let small = allocate_and_generate_new_binary_lwe_secret_key(p.lwe(), &mut random);
    let glwe = allocate_and_generate_new_binary_glwe_secret_key(p.glwe(), p.polynomial(), &mut random);
    let secrets = (small, glwe);
    save(&secrets, &here.join("secret.key"));
    let mut random = encryption();
    if p.grouping > 1 {
        save(&multi_bit_key(p, &secrets, &mut random), &to_server.join("bootstrap.key"));
    } else {
        save(&classic_key(p, &secrets, &mut random), &to_server.join("bootstrap.key"));
    }
    let large = secrets.1.clone().into_lwe_secret_key();
    let (base, level) = p.ks();
    let (errors, modulus) = (p.lwe_errors.distribution(), p.modulus());
    let switch = allocate_and_generate_new_lwe_keyswitch_key(
        &large,
        &secrets.0,
        base,
        level,
        errors,
        modulus,
        &mut random,
    );
    save(&switch, &to_server.join("switch.key"));
}

pub fn encryption() -> Encryption {
    let mut seeder = new_seeder();
    let seed = seeder.seed();
    EncryptionRandomGenerator::new(seed, &mut *seeder)
}

/// The key that ciphertexts have between look-ups.
pub fn between(p: &Set, secrets: Secrets) -> LweSecretKeyOwned<u64> {
    match p.order {
        Order::KsPbs => secrets.1.into_lwe_secret_key(),
        Order::PbsKs => secrets.0,
    }
}

/// The bootstrapping key in the Fourier domain, as it is used.
fn classic_key(p: &Set, secrets: &Secrets, random: &mut Encryption) -> FourierLweBootstrapKeyOwned {
    let ((base, level), errors) = (p.pbs(), p.glwe_errors.distribution());
    let standard = par_allocate_and_generate_new_lwe_bootstrap_key(
        &secrets.0,
        &secrets.1,
        base,
        level,
        errors,
        p.modulus(),
        random,
    );
    let size = p.glwe().to_glwe_size();
    let mut fourier = FourierLweBootstrapKey::new(p.lwe(), size, p.polynomial(), base, level);
    par_convert_standard_lwe_bootstrap_key_to_fourier(&standard, &mut fourier);
    fourier
}

fn multi_bit_key(p: &Set, secrets: &Secrets, random: &mut Encryption) -> FourierLweMultiBitBootstrapKeyOwned {
    let ((base, level), errors) = (p.pbs(), p.glwe_errors.distribution());
    let group = LweBskGroupingFactor(p.grouping);
    let standard = par_allocate_and_generate_new_lwe_multi_bit_bootstrap_key(
        &secrets.0,
        &secrets.1,
        base,
        level,
        group,
        errors,
        p.modulus(),
        random,
    );
    let size = p.glwe().to_glwe_size();
    let mut fourier = FourierLweMultiBitBootstrapKey::new(p.lwe(), size, p.polynomial(), base, level, group);
    par_convert_standard_lwe_multi_bit_bootstrap_key_to_fourier(&standard, &mut fourier);
    fourier
}
