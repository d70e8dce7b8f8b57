"""The buffers that each action of SEAL 4.4.0 has in use, in limbs of n coefficients.

This one description says how much memory an action works in, which decides its time (`Buffers.peak`), and
what SEAL's pool keeps of it (`Buffers.pooled`, read by `resident`). A buffer lives to the end of the function
that allocates it (native/src/seal/{evaluator, encryptor, decryptor}.cpp, ckks.h and util/rns.cpp [SEAL]). The
numbers of buffers were compared with those that the wheel takes from its pool.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from fheasible.errors import UnsupportedOperation
from fheasible.libraries.seal.case import SealCase


class Phase(NamedTuple):
    """The sizes of all buffers that are in use at the same time, beside those of the operands.

    `pooled` are those of SEAL's pool, which gives nothing back; the result's is among them once it is there.
    `others` go back to the system, or belong to the decryptor, which has a pool of its own.
    """

    pooled: tuple[int, ...]
    others: tuple[int, ...] = ()

    def beside(self, *pooled: int) -> "Phase":
        """The phase with more buffers of the pool."""
        return self._replace(pooled=pooled + self.pooled)


@dataclass(frozen=True, slots=True)
class Buffers:
    """The buffers of an action: the size of its result's, which the pool does not get back, and the phases.

    A result keeps the room that it had at its largest.
    """

    result: int
    phases: tuple[Phase, ...]

    @property
    def peak(self) -> int:
        """The most limbs in use at once, beside the operands."""
        return max(sum(phase.pooled) + sum(phase.others) for phase in self.phases)

    @property
    def pooled(self) -> Counter[int]:
        """The most buffers of the pool that are in use at once, by size."""
        return _most(phase.pooled for phase in self.phases)

    @property
    def others(self) -> Counter[int]:
        """The most other buffers that are in use at once, by size."""
        return _most(phase.others for phase in self.phases)


def buffers(action: str, c: SealCase) -> Buffers:
    """The buffers of an action. UnsupportedOperation for an action that SEAL does not have."""
    described = _BUFFERS.get(action)
    if described is None:
        raise UnsupportedOperation(f"SEAL has no {action}", "lower the program for its style")
    return described(c)


def operands(action: str, c: SealCase) -> int:
    """The limbs of the operand, all of which are copied."""
    return 0 if action in ("encrypt", "keygen") else c.source_polys(action) * c.limbs


def _most(sizes: Iterable[tuple[int, ...]]) -> Counter[int]:
    found: Counter[int] = Counter()
    for each in sizes:
        found |= Counter(each)
    return found


def _in_place(c: SealCase, *phases: Phase) -> Buffers:
    """The buffers of an action that works on a copy of its operand, its result, during all phases."""
    copy = c.polys * c.limbs
    return Buffers(copy, tuple([phase.beside(copy) for phase in phases or (Phase(()),)]))


# -- plain operands


def _plaintext(c: SealCase) -> int:
    return c.limbs if c.scheme == "ckks" else 1


def _encoding(c: SealCase) -> tuple[Phase, ...]:
    """The phase of encoding in CKKS: n complex points and the plaintext. Integers are encoded in place."""
    return (Phase((2, c.limbs)),) if c.scheme == "ckks" else ()


def _raised(c: SealCase) -> tuple[int, ...]:
    """The sizes of a copy of an integer plaintext that BGV brings to all limbs: before, if it moves, and
    after."""
    return (1, c.limbs) if c.limbs > 1 else (1,)


def _summand(c: SealCase) -> Buffers:
    """BFV adds the plaintext as it is."""
    return _with_plaintext(c, _raised(c) if c.scheme == "bgv" else ())


def _factor(c: SealCase) -> Buffers:
    """BFV brings the plaintext to all limbs in an array of its own (multiply_plain_normal)."""
    return _with_plaintext(c, {"ckks": (), "bgv": _raised(c), "bfv": (c.limbs,)}[c.scheme])


def _with_plaintext(c: SealCase, raised: tuple[int, ...]) -> Buffers:
    made = _in_place(c, Phase((_plaintext(c), *raised)))
    return Buffers(made.result, _encoding(c) + made.phases)


def _added_number(c: SealCase) -> Buffers:
    """BGV brings the number to all limbs; BFV adds it to one coefficient."""
    return _real_number(c) if c.scheme == "ckks" else _in_place(c, Phase(_number(c)))


def _multiplied_number(c: SealCase) -> Buffers:
    """BFV multiplies limb by limb, by way of a copy (negacyclic_multiply_poly_mono_coeffmod)."""
    if c.scheme == "ckks":
        return _real_number(c)
    return _in_place(c, Phase(_number(c) if c.scheme == "bgv" else (1,)))


def _number(c: SealCase) -> tuple[int, ...]:
    return (c.limbs,) if c.scheme == "bgv" else ()


def _real_number(c: SealCase) -> Buffers:
    """A number of CKKS is bytes in pieces, joined, a string, and then the plaintext."""
    made = _in_place(c, Phase((c.limbs,)))
    return Buffers(made.result, (Phase((c.limbs,), (c.limbs,) * 3), *made.phases))


# -- encryption and decryption


def _encryption(c: SealCase) -> Buffers:
    """BGV encrypts at the top; our worker then switches the fresh ciphertext down."""
    if not c.switched:
        return _encryption_at(c)
    fresh, switching = _encryption_at(c.at_top), _drop(c.from_top)
    down = tuple([phase.beside(fresh.result) for phase in switching.phases])
    return Buffers(switching.result, fresh.phases + down)


def _encryption_at(c: SealCase) -> Buffers:
    """Zero is encrypted one prime higher, where there is one, and divided (encrypt_zero_internal).

    u and the errors are in memory of their own.
    """
    held = (_plaintext(c), 2 * c.limbs)
    zero = (2 * c.masked,) if c.masked > c.limbs else ()
    phases = [*_encoding(c), Phase((*held, *zero), (c.masked,))]
    if zero:
        phases.append(Phase((*held, *zero, *_division(c))))
    if c.scheme == "bgv":
        phases.append(Phase((*held, *_raised(c))))
    return Buffers(2 * c.limbs, tuple(phases))


def _division(c: SealCase) -> tuple[int, ...]:
    """The sizes of a division's buffers: the last limb; in BGV its opposite modulo t, and the difference."""
    return (1, 1) if c.scheme == "bgv" else (1,)


def _decryption(c: SealCase) -> Buffers:
    """Decryption by the decryptor, and decoding.

    CKKS writes the phase to the plaintext, copies it, puts integers together, and makes n complex points.
    BGV and BFV hold the phase, its converted residues twice, and sums modulo t (and gamma in BFV). With three
    parts c_1 and c_2 are held once more.
    """
    k, parts = c.limbs, (2 * c.limbs,) if c.polys == 3 else ()
    if c.scheme == "ckks":
        composed = (k,) * (k > 1)
        return Buffers(k, (Phase((k,), parts), Phase((k, k, *composed)), Phase((k, k, 2))))
    modulo_t = 2 if c.scheme == "bfv" else 1
    return Buffers(1, (Phase((), (k, *parts)), Phase((1,), (k, k, k, modulo_t)), Phase((1, 1))))


# -- levels


def _rescaling(c: SealCase) -> Buffers:
    """A copy is divided, then the result is copied from it (mod_switch_scale_to_next)."""
    copy, made = c.polys * c.limbs, c.polys * (c.limbs - 1)
    return Buffers(made, (Phase((copy, *_division(c))), Phase((copy, made))))


def _drop(c: SealCase) -> Buffers:
    """One prime is removed at a time (mod_switch_to).

    CKKS copies the limbs that stay, and copies them back. BGV divides a copy of all limbs.
    """
    before = range(c.limbs, c.limbs - c.dropped, -1)
    if c.scheme == "ckks":
        return _in_place(c, *(Phase((c.polys * (limbs - 1),)) for limbs in before))
    return _in_place(c, *(Phase((c.polys * limbs, *_division(c))) for limbs in before))


# -- products and key switches


def _product(c: SealCase, factors: int = 2) -> Buffers:
    """A copy of two parts moves to an array for three, which the product is written to.

    bgv_square fills three more parts.
    """
    grown = Phase((2 * c.limbs, 3 * c.limbs))
    if c.scheme == "bfv":
        return Buffers(3 * c.limbs, (grown, *_behz(c, factors)))
    if c.scheme == "bgv" and factors == 1:
        return Buffers(3 * c.limbs, (grown, Phase((3 * c.limbs,) * 2)))
    return Buffers(3 * c.limbs, (grown,))


def _square(c: SealCase) -> Buffers:
    return _product(c, factors=1)


def _behz(c: SealCase, factors: int) -> tuple[Phase, ...]:
    """The phases of BFV's product (bfv_multiply, bfv_square), which keeps factors and product to the end.

    Each factor is extended to the auxiliary base (fastbconv_m_tilde, sm_mrq). Each part of the product is
    joined over both bases, divided (fast_floor) and converted back (fastbconv_sk).
    """
    k, b = c.limbs, c.extended
    extended = (3 * k, *(2 * k, 2 * b) * factors)
    multiplied = (*extended, 3 * k, 3 * b)
    divided = (*multiplied, k + b, b)
    return (
        Phase((*extended, b + 1, k, k)),
        Phase((*extended, b + 1, 1)),
        Phase((*multiplied, 1)),
        Phase((*divided, k)),
        Phase((*divided, b - 1, 1)),
        Phase((*divided, 1, 1)),
    )


def _relinearization(c: SealCase) -> Buffers:
    return Buffers(3 * c.limbs, tuple([phase.beside(3 * c.limbs) for phase in _switching(c)]))


def _rotation(c: SealCase) -> Buffers:
    """apply_galois_inplace has a temporary for one part."""
    return _in_place(c, *(phase.beside(c.limbs) for phase in _switching(c)))


def _switching(c: SealCase) -> tuple[Phase, ...]:
    """The phases of switch_key_inplace: the target and both sums over k + 1 limbs are there throughout.

    At first there are also accumulators of two words for two limbs, and one digit. In the division there is
    one limb, and in BGV there are three.
    """
    held = (c.limbs, 2 * (c.limbs + 1))
    divided = (1, 1, 1) if c.scheme == "bgv" else (1,)
    return Phase((*held, 4, 1)), Phase((*held, *divided))


def _keys(c: SealCase) -> Buffers:
    """The switching keys, s three times, s², and the public key twice."""
    made = 2 * c.key_limbs * c.chain * c.polys
    return Buffers(made, (Phase((made,), (c.key_limbs,) * 8),))


_BUFFERS: Final[dict[str, Callable[[SealCase], Buffers]]] = {
    "encrypt": _encryption,
    "add": _in_place,
    "sub": _in_place,
    "neg": _in_place,
    "mul": _product,
    "square": _square,
    "relinearize": _relinearization,
    "rescale": _rescaling,
    "drop": _drop,
    "add_plain": _summand,
    "mul_plain": _factor,
    "add_scalar": _added_number,
    "mul_scalar": _multiplied_number,
    "rotate": _rotation,
    "swap_rows": _rotation,
    "decrypt": _decryption,
    "keygen": _keys,
}
