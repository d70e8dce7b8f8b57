"""Bytes of serialized objects, exactly: 8 bytes a residue, and the header that the library writes.

The formats stand in libraries/*/sizes.py, each with the keys that a program needs and no others.
"""

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from fheasible.libraries.block import Sets
from fheasible.libraries.catalogue import library
from fheasible.libraries.steps import outputs
from fheasible.program.types import Action, Program, Scheme

WORD: Final = 8


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes; of a block each is an array, a value for each set."""

    ciphertext_bytes: int  # one fresh ciphertext, the first that the program encrypts
    public_key_bytes: int
    secret_key_bytes: int
    evaluation_key_bytes: int  # relinearisation and every rotation key that the program uses
    evaluation_keys: int  # how many those are
    upload_bytes: int = 0  # all fresh ciphertexts
    download_bytes: int = 0  # all results, at the levels that they are decrypted at
    seeded_upload_bytes: int | None = None  # with seeds for what is random, where the library has that
    seeded_key_bytes: int | None = None  # likewise, of the public key and the evaluation keys

    @property
    def key_bytes(self) -> int:
        """What whoever evaluates is sent once: the public key and the evaluation keys."""
        return self.public_key_bytes + self.evaluation_key_bytes


def sizes(program: Program, p: Sets) -> Sizes:
    """The sizes of what this program needs at these parameters."""
    written, keys, turns = library(p.library).files, _keys(program), rotation_key_count(program, p)
    fresh = _fresh(program, p)
    relinearization = written.relinearization_key(p) if keys.relinearization else 0
    seeded = [written.seeded_ciphertext(p, limbs) for limbs, _ in fresh]
    return Sizes(
        written.ciphertext(p, fresh[0][0] if fresh else p.limbs),
        written.public_key(p),
        written.secret_key(p),
        relinearization + (written.rotation_keys(p, turns) if turns else 0),
        keys.relinearization + turns,
        sum(count * written.ciphertext(p, limbs) for limbs, count in fresh),
        sum(
            n * written.ciphertext(p, o.limbs, o.parts) for o, n in Counter(outputs(program, p.limbs)).items()
        ),
        _sum_of(seeded, [count for _, count in fresh]),
        written.seeded_keys(p, bool(keys.relinearization), turns),
    )


def _sum_of(each: list[int | None], counts: list[int]) -> int | None:
    """None where any is."""
    known = [x for x in each if x is not None]
    return sum(n * x for n, x in zip(counts, known, strict=True)) if len(known) == len(each) else None


@lru_cache(maxsize=1024)
def _fresh_levels(program: Program) -> tuple[tuple[int, int], ...]:
    """(level, how many) of fresh values, that of the first one first."""
    return tuple(Counter(o.level for o in program.operations if o.action is Action.ENCRYPT).items())


def _fresh(program: Program, p: Sets) -> list[tuple[int, int]]:
    """(limbs, how many), likewise."""
    bfv = program.scheme is Scheme.BFV
    return [(p.limbs if bfv else level + 1, count) for level, count in _fresh_levels(program)]


class Keys(NamedTuple):
    """Which switching keys a program needs: for relinearisation, for how many rotations."""

    relinearization: int
    rotations: frozenset[int]
    swap_rows: int
    sums_slots: bool


@lru_cache(maxsize=1024)
def _keys(program: Program) -> Keys:
    steps = frozenset(program.rotations)
    return Keys(int(program.relinearizes), steps, int(program.swaps_rows), program.sums_slots)


def evaluation_key_count(program: Program, p: Sets) -> int:
    """Switching keys: one to relinearise, and those of automorphisms."""
    return _keys(program).relinearization + rotation_key_count(program, p)


def rotation_key_count(program: Program, p: Sets) -> int:
    """Automorphism keys: one for each rotation step, one for the exchange of rows, and those that a
    library's own sum takes, where they are not among the rotations."""
    keys = _keys(program)
    steps = keys.rotations | set(library(p.library).sum_steps(p)) if keys.sums_slots else keys.rotations
    return len(steps) + keys.swap_rows
