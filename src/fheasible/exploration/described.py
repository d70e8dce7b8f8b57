"""Rows of the table: what sets of one program and layout take of a machine and of their user."""

from collections.abc import Mapping
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fheasible.estimation.batch import peaks, sizes, times, unweighted
from fheasible.estimation.profile import Profile
from fheasible.estimation.tally import PHASES
from fheasible.exploration.candidate import Candidate
from fheasible.exploration.columns import Columns
from fheasible.exploration.figures import requests_at_once, uses
from fheasible.exploration.sieve import Sieve
from fheasible.exploration.wish import Wish
from fheasible.libraries.block import Block
from fheasible.libraries.work import Layout
from fheasible.program.types import Program
from fheasible.security.lookup import security_bits

Array = NDArray[Any]
Taken = dict[str, Array]


def taken(program: Program, block: Block, profile: Profile | None) -> Taken:
    """Of the machine, by each set: seconds of each phase, bytes."""
    _, first, each = np.unique(_paces(block), return_index=True, return_inverse=True)
    paces = some(block, first)
    seconds = times(program, paces, profile) if profile else np.full((len(first), len(PHASES)), nan)
    work = [nan if profile else unweighted(program, block.ring_dimension, x) for x in Layout.each(paces)]
    written = sizes(program, block)
    phases = dict(zip(PHASES, seconds[each.ravel()].T, strict=True))
    return {
        **{f"{phase}_seconds": column for phase, column in phases.items()},
        "cpu_seconds": phases["encrypt"] + phases["evaluate"] + phases["decrypt"],
        "work": np.array(work)[each.ravel()],
        "peak_bytes": peaks(program, block, profile),
        "ciphertext_bytes": written.ciphertext_bytes,
        "key_bytes": written.public_key_bytes + written.evaluation_key_bytes,
        "upload_bytes": written.upload_bytes,
        "download_bytes": written.download_bytes,
    }


def _paces(block: Block) -> Array:
    """What of the primes decides on the time: of Lattigo how many products of P's fit a word; of BFV each set
    is one of its own."""
    if block.scheme == "bfv":
        return np.arange(len(block))
    if block.library == "lattigo" and block.p:
        return np.asarray(np.floor(np.log2(np.max(block.p, axis=0))))
    return np.zeros(len(block))


def some(block: Block, places: Array) -> Block:
    """Those sets of a block."""
    return replace(
        block,
        q=tuple(q[places] for q in block.q),
        p=tuple(p[places] for p in block.p),
        scales=tuple(s[places] for s in block.scales),
        flooding=block.flooding[places],
        nominal=block.nominal[places],
        exact=tuple(block.exact[i] for i in places.tolist()) if block.exact else (),
    )


def affordable(left: Sieve, wish: Wish) -> None:
    """Leaves out what takes more than is allowed, in the order of `judge.STAGES`."""
    if wish.max_bytes is not None:
        left.keep(left["peak_bytes"] <= wish.max_bytes, "memory", left["peak_bytes"])
    if wish.max_ciphertext_bytes is not None:
        fits = left["ciphertext_bytes"] <= wish.max_ciphertext_bytes
        left.keep(fits, "size", left["ciphertext_bytes"])
    if wish.max_key_bytes is not None:
        left.keep(left["key_bytes"] <= wish.max_key_bytes, "size", left["key_bytes"])
    if wish.max_seconds is not None:
        fits = ~(left["cpu_seconds"] > wish.max_seconds)  # what is unknown may be
        left.keep(fits, "time", left["cpu_seconds"])


def tabled(
    program: Program, shape: Mapping[str, Any], left: Sieve, wish: Wish, band: float | None
) -> Columns:
    """The rows that are left as `Columns`. `shape`: what all have in common, by its names there."""
    n = shape["ring_dimension"]
    secret = shape["secret"]
    sigma = shape["sigma"]
    log_qp = left["log_q"] + left["log_p"]
    given = {
        **{k: v for k, v in shape.items() if k not in ("secret", "sigma")},
        **left.columns,
        "slots": program.slots,
        "ciphertexts": sum(len(packed.values) for packed in program.inputs),
        "log_qp": log_qp,
        "security_bits": security_bits(n, log_qp, secret, sigma, wish.quantum),
        "error_band": band,
        **uses(left.columns, wish, requests_at_once(program, n)),
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
        "first_bits": r.prime_bits[0] if r.prime_bits else r.first_bits,
        "level_bits": r.prime_bits[-1] if r.prime_bits else None, "plain_modulus": p.plain_modulus,
        "degree": ",".join(map(str, c.degrees)), "error_band": e.error_band,
        "ciphertext_bytes": e.sizes.ciphertext_bytes, "precision_bits": e.precision_bits,
        "security_bits": e.security_bits,
        **{f"{phase}_seconds": (e.cpu_seconds or {}).get(phase) for phase in PHASES},
        **c.figures,
    }  # fmt: skip
    return Columns.of(1, np.array([place]), given)
