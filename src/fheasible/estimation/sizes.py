"""The exact bytes of serialized objects: 8 bytes for each residue, and the headers that the library writes.

The formats are in libraries/*/sizes.py. Only the keys that a program needs are counted.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from fheasible.libraries.block import Sets
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.steps import outputs
from fheasible.program.types import Action, Program, Scheme

WORD: Final = 8


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of what a program sends. For a block, a field is an array over the sets or one number for all."""

    ciphertext_bytes: int  # one fresh ciphertext, the first that the program encrypts
    public_key_bytes: int
    secret_key_bytes: int
    evaluation_key_bytes: int  # relinearisation and every rotation key that the program uses
    evaluation_keys: int  # the number of these keys
    upload_bytes: int = 0  # all fresh ciphertexts
    download_bytes: int = 0  # all results, at the levels that they are decrypted at
    seeded_upload_bytes: int | None = None  # with seeds in place of random polynomials; None: not possible
    seeded_key_bytes: int | None = None  # the public key and the evaluation keys, with such seeds

    @property
    def key_bytes(self) -> int:
        """Bytes that the evaluating side receives once: the public key and the evaluation keys."""
        return self.public_key_bytes + self.evaluation_key_bytes


def sizes(program: Program, p: Sets) -> Sizes:
    """The sizes of what this program needs at these parameters."""
    written, keys, turns = library(p.library).files, _keys(program), rotation_key_count(program, p)
    fresh = _fresh(program, p)
    relinearization = written.relinearization_key(p) if keys.relinearization else 0
    own = steps_with_keys(program, p)
    turned = written.rotation_keys(p, len(own) + keys.swap_rows) if own or keys.swap_rows else 0
    if program.bootstraps:
        assert isinstance(p, Parameters)
        turned += written.bootstrap_keys(p, own, bool(keys.relinearization))
    seeded = [written.seeded_ciphertext(p, limbs) for limbs, _ in fresh]
    return Sizes(
        written.ciphertext(p, fresh[0][0] if fresh else p.limbs),
        written.public_key(p),
        written.secret_key(p),
        relinearization + turned,
        keys.relinearization + turns,
        sum(count * written.ciphertext(p, limbs) for limbs, count in fresh),
        sum(
            n * written.ciphertext(p, o.limbs, o.parts) for o, n in Counter(outputs(program, p.limbs)).items()
        ),
        _sum_of(seeded, [count for _, count in fresh]),
        written.seeded_keys(p, bool(keys.relinearization), turns),
    )


def _sum_of(each: list[int | None], counts: list[int]) -> int | None:
    """The sum of `counts` times `each`, or None where any of `each` is None."""
    known = [x for x in each if x is not None]
    return sum(n * x for n, x in zip(counts, known, strict=True)) if len(known) == len(each) else None


@lru_cache(maxsize=1024)
def _fresh_levels(program: Program) -> tuple[tuple[int, int], ...]:
    """(level, number of fresh values at it), beginning with the level of the first fresh value."""
    return tuple(Counter(o.level for o in program.operations if o.action is Action.ENCRYPT).items())


def _fresh(program: Program, p: Sets) -> list[tuple[int, int]]:
    """(limbs, number of fresh values with so many limbs), in the order of `_fresh_levels`."""
    bfv = program.scheme is Scheme.BFV
    return [(p.limbs if bfv else level + 1, count) for level, count in _fresh_levels(program)]


class SwitchingKeys(NamedTuple):
    """The switching keys that a program needs: to relinearise, for each rotation step, to exchange the rows,
    and for the library's own sum of slots."""

    relinearization: int
    rotations: frozenset[int]
    swap_rows: int
    sums_slots: bool


@lru_cache(maxsize=1024)
def _keys(program: Program) -> SwitchingKeys:
    steps = frozenset(program.rotations)
    return SwitchingKeys(int(program.relinearizes), steps, int(program.swaps_rows), program.sums_slots)


def evaluation_key_count(program: Program, p: Sets) -> int:
    """The number of switching keys: one where the program relinearises, and one for each automorphism."""
    return _keys(program).relinearization + rotation_key_count(program, p)


def rotation_key_count(program: Program, p: Sets) -> int:
    """The number of automorphism keys.

    There is one for each rotation step, one for the exchange of rows, and one for each further step of the
    library's own sum of slots or of its bootstrap, where the program uses these.
    """
    own = steps_with_keys(program, p)
    added = 0
    if program.bootstraps:
        assert isinstance(p, Parameters)
        added = library(p.library).files.bootstrap_key_count(p, own)
    return len(own) + _keys(program).swap_rows + added


def steps_with_keys(program: Program, p: Sets) -> frozenset[int]:
    """The rotation steps that the program itself has keys for, those of the library's own sum included."""
    keys = _keys(program)
    return keys.rotations | set(library(p.library).sum_steps(p)) if keys.sums_slots else keys.rotations
