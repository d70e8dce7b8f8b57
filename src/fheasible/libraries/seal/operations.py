"""How SEAL 4.4.0 does the operations of a program: the shared algorithms in its variants, and corrections.

The facts are from native/src/seal/{evaluator, encryptor, decryptor, keygenerator, batchencoder}.cpp, ckks.h,
dynarray.h and util/{rlwe, rns}.cpp [SEAL], and from our worker, which calls SEAL through a Python binding.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.seal import buffers, corrections
from fheasible.libraries.seal.case import SealCase
from fheasible.program.types import LACKING
from fheasible.rings.rns.counting import CountingRnsRing
from fheasible.rings.rns.element import Conversion, Domain
from fheasible.rings.rns.modulus import Rounding
from fheasible.schemes.rns.arithmetic import ResidueArithmetic
from fheasible.schemes.rns.bfv import BFV
from fheasible.schemes.rns.bgv import BGV
from fheasible.schemes.rns.ciphertext import RnsKeys, RnsSpec
from fheasible.schemes.rns.ckks import CKKS
from fheasible.schemes.rns.variant import Automorphism, Mask, Multiplication, ScalarForm, Variant

_BEHZ_SINGLE: Final = 4  # m_sk, m~, gamma and t: auxiliary primes beside B

_HALF: Final = Rounding(Conversion.FLOOR, half=True)  # divide_and_round_q_last(_ntt)_inplace
_DOWN: Final = Rounding(Conversion.FLOOR)  # mod_t_and_divide_q_last_ntt_inplace

_SCHEMES: Final[dict[str, Callable[..., ResidueArithmetic]]] = {"ckks": CKKS, "bgv": BGV, "bfv": BFV}
_VARIANTS: Final = {
    "ckks": Variant(
        mod_down=_HALF,
        rescale=_HALF,
        automorphism=Automorphism.FIRST,
        hoisting=False,
        mask=Mask.NEXT,
        scalar_sum=ScalarForm.FILLED,
        scalar_product=ScalarForm.FILLED,
    ),
    "bgv": Variant(
        mod_down=_DOWN,
        rescale=_DOWN,
        through_plain=True,
        automorphism=Automorphism.FIRST,
        hoisting=False,
        mask=Mask.NEXT,
        top_first=True,
        scalar_sum=ScalarForm.TRANSFORMED,
        scalar_product=ScalarForm.TRANSFORMED,
    ),
    "bfv": Variant(
        mod_down=_HALF,
        automorphism=Automorphism.FIRST,
        hoisting=False,
        mask=Mask.NEXT,
        mask_domain=Domain.COEFFICIENT,
        rest=Domain.COEFFICIENT,
        centred_number=False,  # multiply_plain_normal of a constant, where every prime exceeds t
        multiplication=Multiplication.BEHZ,
    ),
}

# CKKS: mod_switch_drop_to_next copies limbs. BFV: a constant is added to one coefficient.
_COPIES_ALONE: Final = {("ckks", "drop"), ("bfv", "add_scalar")}
_ROTATION: Final = 1

Run = Callable[[ResidueArithmetic, SealCase], object]


def variant(p: Parameters) -> Variant:
    """The algorithms of the scheme: hybrid key switching with digits of one limb, one special prime, no
    hoisting."""
    return _VARIANTS[p.scheme]


def perform(
    p: Parameters, action: str, level: int, polys: int, dropped: int = 0, depth: int = 0
) -> Counter[str]:
    """The kernel counts of one operation in limbs of n coefficients, with `peak_limbs` and `operand_limbs`.

    `action` is a program's action, "decrypt" or "keygen". It works on level + 1 limbs (BFV: on all; a drop
    ends there). `polys` is the number of polynomials of the result, for "decrypt" of the operand, and for
    "keygen" the number of switching keys. `depth` does not matter. UnsupportedOperation for what SEAL does
    not have.
    """
    run = _run(p, action)
    case = SealCase.of(p, level, polys, dropped)
    ring = CountingRnsRing(p.limbs, len(p.p), _auxiliary(p, case))
    run(_SCHEMES[p.scheme](ring, RnsSpec(), variant(p)), case)
    tally = ring.tally
    tally["allocations"] = 0  # a new limb comes from SEAL's own pool, and was used before
    tally["calls"] = corrections.calls(action, case)
    tally.update(corrections.added(action, case))
    tally["peak_limbs"] = buffers.buffers(action, case).peak
    tally["operand_limbs"] = max(ring.operand_limbs, buffers.operands(action, case))
    return tally


def _auxiliary(p: Parameters, case: SealCase) -> int:
    """The number of auxiliary primes of the ring; `schemes.rns.auxiliary` says in which order."""
    return {"ckks": 0, "bgv": 1, "bfv": case.extended - 1 + _BEHZ_SINGLE}[p.scheme]


def _run(p: Parameters, action: str) -> Run:
    """The function that runs an action. UnsupportedOperation for an action that SEAL does not have."""
    run = _RUNS.get(action)
    if run is None or (p.scheme, action) in LACKING:
        raise UnsupportedOperation(f"SEAL has no {action} in {p.scheme}", "lower the program for its style")
    return corrections.nothing if (p.scheme, action) in _COPIES_ALONE else run


@dataclass(frozen=True, slots=True)
class _Unary:
    """The run of a scheme's method that takes one ciphertext and nothing else."""

    name: str

    def __call__(self, scheme: ResidueArithmetic, c: SealCase) -> object:
        return getattr(scheme, self.name)(scheme.operand(c.level, c.source_polys(self.name)))


def _sum(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.add(scheme.operand(c.level, c.polys), scheme.operand(c.level, c.polys))


def _product(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.mul(scheme.operand(c.level), scheme.operand(c.level))


def _drop(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.drop(scheme.operand(c.level, c.polys), c.level - c.dropped)


def _encrypt(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.encrypt(_keys(scheme), level=c.level)


def _decrypt(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.decrypt(_keys(scheme), scheme.operand(c.level, c.polys))


def _relinearize(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.relinearize(_keys(scheme), scheme.operand(c.level, 3))


def _rotate(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.rotate(_keys(scheme), scheme.operand(c.level), _ROTATION)


def _keygen(scheme: ResidueArithmetic, c: SealCase) -> object:
    return scheme.keygen(relinearize=c.polys > 0, rotations=range(1, c.polys))


def _keys(scheme: ResidueArithmetic) -> RnsKeys:
    return scheme.given_keys(rotations=(_ROTATION,), swap_rows=False)


_RUNS: Final[dict[str, Run]] = {
    "encrypt": _encrypt,
    "add": _sum,
    "sub": _sum,
    "neg": _Unary("neg"),
    "mul": _product,
    "square": _Unary("square"),
    "relinearize": _relinearize,
    "rescale": _Unary("rescale"),
    "drop": _drop,
    "add_plain": _Unary("add_plain"),
    "mul_plain": _Unary("mul_plain"),
    "add_scalar": _Unary("add_scalar"),
    "mul_scalar": _Unary("mul_scalar"),
    "rotate": _rotate,
    "swap_rows": _rotate,
    "decrypt": _decrypt,
    "keygen": _keygen,
}
