//! Look-ups by TFHE-rs's own `shortint`, with the same parameters: what the worker's are compared with.

use tfhe::core_crypto::prelude::*;
use tfhe::shortint::parameters::{
    CarryModulus, EncryptionKeyChoice, MaxNoiseLevel, MessageModulus, ModulusSwitchType,
    MultiBitPBSParameters,
};
use tfhe::shortint::server_key::LookupTableOwned;
use tfhe::shortint::{Ciphertext, ClassicPBSParameters, ClientKey, PBSParameters, ServerKey};

use crate::parameters::Parameters;
use crate::protocol::{ModulusSwitch, Order};

pub struct OwnLoop {
    server: ServerKey,
    table: LookupTableOwned,
    operand: Ciphertext,
}

impl OwnLoop {
    pub fn new(p: &Parameters) -> OwnLoop {
        let client = ClientKey::new(parameters(p));
        let server = ServerKey::new(&client);
        let modulus = p.plaintext_modulus;
        let table = server.generate_lookup_table(|x| (x + 1) % modulus);
        OwnLoop { server, table, operand: client.encrypt(1) }
    }

    pub fn look_up(&self) -> Ciphertext {
        self.server.apply_lookup_table(&self.operand, &self.table)
    }
}

fn parameters(p: &Parameters) -> PBSParameters {
    if p.grouping > 1 {
        PBSParameters::MultiBitPBS(multi_bit(p))
    } else {
        PBSParameters::PBS(classic(p))
    }
}

/// A set of the crate's type: the fields that both types have, and its own.
macro_rules! with_own {
    ($kind:ident, $p:expr, $($own:tt)*) => {
        $kind {
            lwe_dimension: $p.lwe,
            glwe_dimension: $p.glwe,
            polynomial_size: $p.polynomial,
            lwe_noise_distribution: $p.lwe_errors,
            glwe_noise_distribution: $p.glwe_errors,
            pbs_base_log: $p.pbs.0,
            pbs_level: $p.pbs.1,
            ks_base_log: $p.ks.0,
            ks_level: $p.ks.1,
            message_modulus: MessageModulus($p.asked.message_modulus),
            carry_modulus: CarryModulus($p.asked.carry_modulus),
            max_noise_level: MaxNoiseLevel::new($p.plaintext_modulus),
            log2_p_fail: 0.0,
            ciphertext_modulus: $p.modulus(),
            encryption_key_choice: key_choice($p),
            $($own)*
        }
    };
}

fn classic(p: &Parameters) -> ClassicPBSParameters {
    with_own!(
        ClassicPBSParameters,
        p,
        modulus_switch_noise_reduction_params: match p.modulus_switch {
            ModulusSwitch::Standard => ModulusSwitchType::Standard,
            ModulusSwitch::Centered => ModulusSwitchType::CenteredMeanNoiseReduction,
        },
    )
}

fn multi_bit(p: &Parameters) -> MultiBitPBSParameters {
    with_own!(
        MultiBitPBSParameters,
        p,
        grouping_factor: LweBskGroupingFactor(p.grouping),
        deterministic_execution: false,
    )
}

fn key_choice(p: &Parameters) -> EncryptionKeyChoice {
    match p.order {
        Order::KsPbs => EncryptionKeyChoice::Big,
        Order::PbsKs => EncryptionKeyChoice::Small,
    }
}
