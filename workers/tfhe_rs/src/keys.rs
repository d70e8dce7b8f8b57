//! The keys of a run.

use tfhe::core_crypto::commons::math::random::DefaultRandomGenerator;
use tfhe::core_crypto::prelude::*;

use crate::parameters::Parameters;
use crate::protocol::Order;

pub type Encryption = EncryptionRandomGenerator<DefaultRandomGenerator>;

/// The key of the blind rotation, in the Fourier domain, of one bit of the small key each or of several.
pub enum BootstrapKey {
    Classic(FourierLweBootstrapKeyOwned),
    MultiBit(FourierLweMultiBitBootstrapKeyOwned),
}

/// The secret keys: `small` of LWE, `glwe`, and `large`, which is `glwe` as an LWE key.
pub struct Secrets {
    pub small: LweSecretKeyOwned<u64>,
    pub glwe: GlweSecretKeyOwned<u64>,
    pub large: LweSecretKeyOwned<u64>,
}

pub struct Keys {
    pub secrets: Secrets,
    pub bootstrap: BootstrapKey,
    pub switch: LweKeyswitchKeyOwned<u64>,
}

impl Secrets {
    pub fn new(p: &Parameters) -> Secrets {
        let mut seeder = new_seeder();
        let mut random = SecretRandomGenerator::<DefaultRandomGenerator>::new(seeder.seed());
        let small = allocate_and_generate_new_binary_lwe_secret_key(p.lwe, &mut random);
        let glwe = allocate_and_generate_new_binary_glwe_secret_key(p.glwe, p.polynomial, &mut random);
        let large = glwe.clone().into_lwe_secret_key();
        Secrets { small, glwe, large }
    }

    /// The key that ciphertexts have between look-ups.
    pub fn between(&self, order: Order) -> &LweSecretKeyOwned<u64> {
        match order {
            Order::KsPbs => &self.large,
            Order::PbsKs => &self.small,
        }
    }
}

impl Keys {
    pub fn new(p: &Parameters) -> Keys {
        let (secrets, mut random) = (Secrets::new(p), encryption());
        let bootstrap = bootstrap_key(p, &secrets, &mut random);
        let switch = switch_key(p, &secrets, &mut random);
        Keys { secrets, bootstrap, switch }
    }
}

pub fn encryption() -> Encryption {
    let mut seeder = new_seeder();
    let seed = seeder.seed();
    EncryptionRandomGenerator::new(seed, &mut *seeder)
}

pub fn switch_key(p: &Parameters, secrets: &Secrets, random: &mut Encryption) -> LweKeyswitchKeyOwned<u64> {
    allocate_and_generate_new_lwe_keyswitch_key(
        &secrets.large,
        &secrets.small,
        p.ks.0,
        p.ks.1,
        p.lwe_errors,
        p.modulus(),
        random,
    )
}

/// It is made in the standard domain, then transformed: both exist at the same time meanwhile.
pub fn bootstrap_key(p: &Parameters, secrets: &Secrets, random: &mut Encryption) -> BootstrapKey {
    if p.grouping > 1 {
        BootstrapKey::MultiBit(multi_bit_key(p, secrets, random))
    } else {
        BootstrapKey::Classic(classic_key(p, secrets, random))
    }
}

fn classic_key(p: &Parameters, secrets: &Secrets, random: &mut Encryption) -> FourierLweBootstrapKeyOwned {
    let standard = standard_key(p, secrets, random);
    let mut fourier =
        FourierLweBootstrapKey::new(p.lwe, p.glwe.to_glwe_size(), p.polynomial, p.pbs.0, p.pbs.1);
    par_convert_standard_lwe_bootstrap_key_to_fourier(&standard, &mut fourier);
    fourier
}

pub fn standard_key(p: &Parameters, secrets: &Secrets, random: &mut Encryption) -> LweBootstrapKeyOwned<u64> {
    par_allocate_and_generate_new_lwe_bootstrap_key(
        &secrets.small,
        &secrets.glwe,
        p.pbs.0,
        p.pbs.1,
        p.glwe_errors,
        p.modulus(),
        random,
    )
}

fn multi_bit_key(
    p: &Parameters,
    secrets: &Secrets,
    random: &mut Encryption,
) -> FourierLweMultiBitBootstrapKeyOwned {
    let group = LweBskGroupingFactor(p.grouping);
    let standard = par_allocate_and_generate_new_lwe_multi_bit_bootstrap_key(
        &secrets.small,
        &secrets.glwe,
        p.pbs.0,
        p.pbs.1,
        group,
        p.glwe_errors,
        p.modulus(),
        random,
    );
    let mut fourier = FourierLweMultiBitBootstrapKey::new(
        p.lwe,
        p.glwe.to_glwe_size(),
        p.polynomial,
        p.pbs.0,
        p.pbs.1,
        group,
    );
    par_convert_standard_lwe_multi_bit_bootstrap_key_to_fourier(&standard, &mut fourier);
    fourier
}
