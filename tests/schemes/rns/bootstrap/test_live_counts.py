"""The transforms of a whole bootstrap, counted, are those that the libraries perform.

The live figures are of single runs on small rings. OpenFHE 1.6.1's were counted by breakpoints on its
transforms of 64-bit residues during EvalBootstrap (3 large digits), Lattigo 6.1.1's by counters added to
ring/ntt.go, during Evaluator.Evaluate.
"""

from dataclasses import dataclass, replace

import pytest

from cases import case
from fheasible.libraries.lattigo.operations import NEAREST
from fheasible.rings.rns.element import Conversion
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.bootstrap.counting import Bases, counted
from fheasible.schemes.rns.bootstrap.method import EVEN, LATE, Alignment, Method
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Wave
from fheasible.schemes.rns.bootstrap.tables import levels
from fheasible.schemes.rns.variant import Automorphism, Variant

UNIFORM, SPARSE, ENCAPSULATED = Reduction(648, 104, 6), Reduction(28, 48, 3), Reduction(16, 36, 3)
FIXED_AUTO, FIXED_MANUAL = (replace(LATE, alignment=a) for a in (Alignment.DROPPED, Alignment.AT_ONCE))


@dataclass(frozen=True)
class Live:
    """A bootstrap that a library has run: its bases, the operand's level, and its transforms."""

    p: Procedure
    n: int
    bases: Bases
    digit: int
    level: int
    forward: int
    inverse: int
    method: Method = LATE


def of(slots: int, encode: tuple[int, ...], decode: tuple[int, ...], r: Reduction) -> Procedure:
    return Procedure(slots, encode, decode, r, 10, 32 if r is ENCAPSULATED else None)


OPENFHE = (
    Live(of(512, (5, 4), (5, 4), UNIFORM), 1024, Bases(22, 7), 8, 3, 13609, 2365),
    Live(of(512, (9,), (9,), SPARSE), 1024, Bases(16, 6), 6, 3, 5777, 1347),
    Live(of(64, (6,), (6,), UNIFORM), 1024, Bases(20, 7), 7, 3, 6539, 1199),
    Live(of(256, (3, 3, 2), (3, 3, 2), SPARSE), 2048, Bases(20, 7), 7, 3, 4048, 994),
    Live(of(32, (3, 2), (5,), ENCAPSULATED), 1024, Bases(17, 6, 2), 6, 3, 2997, 788),
    Live(of(512, (5, 4), (5, 4), SPARSE), 1024, Bases(18, 7), 7, 4, 6251, 1453),  # FLEXIBLEAUTOEXT
    Live(of(512, (5, 4), (5, 4), SPARSE), 1024, Bases(18, 6), 6, 3, 5651, 1308, FIXED_AUTO),
    Live(of(512, (5, 4), (5, 4), SPARSE), 1024, Bases(18, 6), 6, 3, 3554, 1138, FIXED_MANUAL),
)


def even(
    log_slots: int, encode: tuple[int, ...], decode: tuple[int, ...], weight: int | None, inverse: int = 0
) -> Procedure:
    return Procedure(1 << log_slots, encode, decode, Reduction(16, 30, 3, inverse, Wave.COSINE), 8, weight)


LATTIGO = (
    Live(even(9, (3, 2, 2, 2), (3, 3, 3), 32), 1024, Bases(18, 5), 5, 0, 4108, 1112, EVEN),
    Live(even(9, (5, 4), (4, 5), 32), 1024, Bases(15, 3), 3, 0, 4088, 890, EVEN),
    Live(even(9, (5, 4), (4, 5), None), 1024, Bases(15, 3), 3, 0, 3799, 881, EVEN),
    Live(even(8, (4, 4), (4, 4), 32, inverse=7), 1024, Bases(18, 3), 3, 0, 4271, 768, EVEN),
    Live(even(9, (5, 4), (4, 5), 32), 1024, Bases(15, 1), 1, 0, 8601, 714, EVEN),
)


@pytest.mark.long
def test_transforms_are_those_of_openfhe() -> None:
    """Its result is a product that is not yet rescaled, ours has been."""
    for live in OPENFHE:
        variant = Variant(
            limbs_per_digit=live.digit,
            lazy=False,
            copy_own=True,
            mod_down=Rounding(Conversion.FAST),
            automorphism=Automorphism.EXTENDED,
            square_products=4,
        )
        with case(live):
            tally = counted(live.p, live.n, live.method, variant, live.bases, live.level)
            result = levels(live.p, live.method, live.bases.chain - 1).result
            assert tally["forward"] - 2 * (result + 1) == live.forward
            assert tally["inverse"] - 2 == live.inverse


@pytest.mark.long
def test_transforms_are_those_of_lattigo() -> None:
    for live in LATTIGO:
        several = live.digit > 1
        variant = Variant(
            limbs_per_digit=live.digit,
            reuse_ntt=several,
            copy_own=several,
            mod_up=Conversion.EXACT,
            mod_down=NEAREST,
            montgomery=True,
            rescale=NEAREST,
        )
        with case(live):
            tally = counted(live.p, live.n, live.method, variant, live.bases, live.level)
            assert (tally["forward"], tally["inverse"]) == (live.forward, live.inverse)
