"""The rows of the table: what sets of one program and layout take of a machine and cost their user."""

from collections.abc import Hashable, Mapping
from math import nan
from typing import Any

import numpy as np

from fheasible.aliases import Array
from fheasible.estimation.batch import model_of, sizes, times, unweighted
from fheasible.estimation.profile import Profile
from fheasible.estimation.swapping import SwapSpace, swapping
from fheasible.exploration.judging.candidate import Candidate, requests_at_once, uses, values_of
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.rank import contenders
from fheasible.exploration.judging.sieve import Sieve
from fheasible.exploration.judging.threads import in_threads
from fheasible.exploration.problem.wish import Wish
from fheasible.libraries.block import Block
from fheasible.libraries.catalogue import library
from fheasible.libraries.work import counts_key, layouts_of
from fheasible.program.phases import PHASES
from fheasible.program.types import Program
from fheasible.security.lookup import security_bits

Taken = dict[str, Array]


def taken(program: Program, block: Block, profile: Profile | None, wish: Wish) -> Taken:
    """What each set takes of the machine: seconds of each phase, threads, and bytes of memory and files;
    where it may swap, also the seconds that this adds."""
    _, first, each = np.unique(_paces(block), return_index=True, return_inverse=True)
    paces = block.take(first), each.ravel()
    by_pace = {name: column[paces[1]] for name, column in _timed(program, paces[0], profile).items()}
    threaded = in_threads(program, block, profile, wish, paces).columns
    found = by_pace | threaded | written(program, block)
    return found | waited(program, block, found["peak_bytes"], profile, wish.swap)


def waited(
    program: Program, block: Block, peak_bytes: Array, profile: Profile | None, space: SwapSpace | None
) -> Taken:
    """The seconds that swapping adds to a run of each set; no column where sets may not swap."""
    if space is None:
        return {}
    beyond = np.asarray(peak_bytes > space.limit_bytes)
    seconds = np.zeros(len(peak_bytes))
    if beyond.any():
        one = block.take(np.flatnonzero(beyond)[:1]) if len(block) == len(beyond) else block
        seconds[beyond] = swapping(program, one, model_of(profile, one), space).repeated_seconds
    return {"swap_seconds": seconds}


def of_paces(program: Program, block: Block, profile: Profile | None, wish: Wish) -> Taken:
    """The times and peaks of a few sets that all differ in pace, without the bytes of their files."""
    return _timed(program, block, profile) | in_threads(program, block, profile, wish).columns


def _timed(program: Program, block: Block, profile: Profile | None) -> Taken:
    """The seconds of each phase for each set, and the unweighted work where there is no profile."""
    seconds = times(program, block, profile) if profile else np.full((len(block), len(PHASES)), nan)
    work = [nan if profile else unweighted(program, block.ring_dimension, x) for x in layouts_of(block)]
    phases = dict(zip(PHASES, seconds.T, strict=True))
    return {
        **{f"{phase}_seconds": column for phase, column in phases.items()},
        "cpu_seconds": phases["encrypt"] + phases["evaluate"] + phases["decrypt"],
        "work": np.array(work),
    }


def written(program: Program, block: Block) -> Taken:
    """The bytes of ciphertexts and keys in files, for each set. OpenFHE's depend on the words of its moduli,
    too."""
    found: Any = sizes(program, block)
    return {
        "ciphertext_bytes": found.ciphertext_bytes,
        "key_bytes": found.public_key_bytes + found.evaluation_key_bytes,
        "upload_bytes": found.upload_bytes,
        "download_bytes": found.download_bytes,
        "seeded_upload_bytes": _or_nan(found.seeded_upload_bytes, len(block)),
        "seeded_key_bytes": _or_nan(found.seeded_key_bytes, len(block)),
    }


def _each(figure: Any, length: int) -> Array:
    """The figure as a column, also where it is one number for all sets."""
    return figure if np.ndim(figure) else np.full(length, figure)


def _or_nan(column: Array | None, length: int) -> Array:
    """The column, or NaN for each set where a library writes no such thing."""
    return np.full(length, nan) if column is None else column


def _paces(block: Block) -> Array:
    """A number for each set; sets with the same number take the same time. The size of P's primes may decide
    how often sums are reduced, and in BFV the sizes of all primes decide how many primes a product is
    computed over."""
    if block.scheme == "bfv":
        numbers: dict[Hashable, int] = {}
        return np.array([numbers.setdefault(counts_key(x), len(numbers)) for x in layouts_of(block)])
    lib = library(block.library)
    if lib.reduces_by_special and block.p:
        return lib.deciding_special_bits(np.max(block.p, axis=0), block.limbs, len(block.p))
    return np.zeros(len(block))


def tabled(
    program: Program,
    shape: Mapping[str, Any],
    left: Sieve,
    wish: Wish,
    band: float | None,
    contending: bool = False,
) -> Columns:
    """The rows that are left as `Columns`; with `contending`, only those that may be kept. `shape` holds the
    values that all rows have in common, by column."""
    n = shape["ring_dimension"]
    left["log_qp"] = left["log_q"] + left["log_p"]
    left["security_bits"] = security_bits(n, left["log_qp"], shape["secret"], shape["sigma"], wish.quantum)
    found = uses(left.columns, wish, requests_at_once(program, n), values_of(program))
    left.columns.update({name: _each(column, len(left)) for name, column in found.items()})
    if contending:
        left.take(contenders(left.columns))
    given = {
        **{k: v for k, v in shape.items() if k not in ("secret", "sigma")},
        **left.columns,
        "slots": program.slots,
        "spare_levels": program.spare_levels,
        "ciphertexts": sum(len(packed.values) for packed in program.inputs),
        "error_band": band,
    }
    return Columns.of(len(left), np.full(len(left), left.place), given)


def row(c: Candidate, place: int) -> Columns:
    """A candidate as a row."""
    p, r, e = c.parameters, c.request, c.estimate
    special = r.special_bits[0] if r.special_bits else None
    given = {
        "library": c.library, "scheme": c.scheme, "technique": p.technique, "slots": c.program.slots,
        "ring_dimension": p.ring_dimension,
        "ciphertexts": sum(len(packed.values) for packed in c.program.inputs),
        "log_q": p.log_q, "log_p": p.log_p, "log_qp": p.log_qp, "limbs": p.limbs, "special_limbs": len(p.p),
        "digits": p.digits, "scale_bits": r.scale_bits, "special_bits": special, "depth": r.depth,
        "spare_levels": c.program.spare_levels, "as_written": c.as_written, "layout": c.layout.value,
        "first_bits": r.prime_bits[0] if r.prime_bits else r.first_bits,
        "level_bits": r.prime_bits[-1] if r.prime_bits else None,
        "plain_modulus": None if p.scheme == "ckks" else p.plain_modulus,
        "degree": ",".join(map(str, c.degrees)), "error_band": e.error_band,
        "ciphertext_bytes": e.sizes.ciphertext_bytes, "precision_bits": e.precision_bits,
        "security_bits": e.security_bits, "threads": e.threads,
        **{f"{phase}_seconds": (e.cpu_seconds or {}).get(phase) for phase in PHASES},
        **c.figures,
    }  # fmt: skip
    return Columns.of(1, np.array([place]), given)
