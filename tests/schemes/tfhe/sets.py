"""Parameter sets for tests: those of published libraries, and toys without any security."""

from dataclasses import replace

from fheasible.schemes.tfhe.parameters import Gadget, ModulusSwitch, TfheParameters, TUniform

MESSAGE_2_CARRY_2 = TfheParameters(
    lwe_dimension=918,
    glwe_dimension=1,
    polynomial_size=2048,
    lwe_errors=TUniform(45),
    glwe_errors=TUniform(17),
    pbs=Gadget(23, 1),
    ks=Gadget(4, 4),
    message_modulus=4,
    carry_modulus=4,
    modulus_switch=ModulusSwitch.CENTERED,
)
"""Its shape is that of TFHE-rs 1.8.2's `V1_7_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128`."""

GROUPED = replace(MESSAGE_2_CARRY_2, lwe_dimension=918, grouping=3, modulus_switch=ModulusSwitch.STANDARD)
