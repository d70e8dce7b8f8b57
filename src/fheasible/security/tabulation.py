"""Makes the table that `lookup.py` reads out of the estimator's figures, which takes half an hour or more.

    python -m fheasible.security.tabulation

It writes `data/security.json` beside this file. Run it whenever an attack or a cost model changes: a test
remakes a part of the table and compares it.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from fheasible.aliases import Floats
from fheasible.security.attacks.reduction import DEFAULT, DEFAULT_QUANTUM
from fheasible.security.lookup import FLAT, NTRU, RINGS, RLWE, BitsByModulus, LookupCase, estimated

PLACE = Path(__file__).parent / "data" / "security.json"
SECRETS = {RLWE: ("ternary", "gaussian"), NTRU: ("ternary",)}
WEIGHTS = (32, 40, 48, 64, 80, 96, 128, 160, 192, 256, 384, 512, 640, 768, 1024, 2048)  # and n / 2
ATTACKERS = (False, True)  # classical, quantum
CASES = tuple(
    LookupCase(problem, secret, quantum)
    for problem, secrets in SECRETS.items()
    for secret in secrets
    for quantum in ATTACKERS
)
MOST_BITS = 300.0  # nobody asks for more than 256
_KNOTS, _PARTS = 128, 24  # of a line; of a piece, and each part's end is compared with the estimator
_SPARSE_KNOTS, _SPARSE_PARTS = 64, 5  # hybrid attacks take a hundred times longer, and rise in smaller steps
_WIDE = np.exp2(np.arange(4, 4 * 15) / 4)  # values of log2 q among which the span of interest is found
_LEAST_LOG_Q = 8.0  # of lines of sparse secrets, which may have fewer than 300 bits at any modulus
_MARGIN = 0.05  # bits, for what lies between the places that were looked at
_ROUNDING = 100.0  # bits are rounded down to a hundredth


def line(case: LookupCase, n: int) -> BitsByModulus:
    """A ring's line, which falls with log2 q.

    It lies nowhere above the estimator's figures among the places that were looked at.
    """
    first, last = _span(case, n)
    count, parts = (_SPARSE_KNOTS, _SPARSE_PARTS) if case.secret.startswith("sparse") else (_KNOTS, _PARTS)
    log_q = np.geomspace(first, last, count)
    fine = _refined(log_q, parts)
    exact = _falling(_figures(case, n, fine))
    knots = exact[::parts]
    excess = np.maximum(BitsByModulus(log_q, knots).at(fine) - exact, 0.0)
    pieces = np.max(np.nan_to_num(excess[1:]).reshape(-1, parts), axis=1)
    lowered = _falling(knots - np.maximum(np.append(pieces, 0.0), np.append(0.0, pieces)))
    return BitsByModulus(log_q, np.floor((lowered - _MARGIN) * _ROUNDING) / _ROUNDING)


def cases() -> Iterator[tuple[LookupCase, int]]:
    """Every line of the table: what it is for, and its ring."""
    for case in CASES:
        yield from ((case, n) for n in RINGS)
    for n in RINGS:
        for weight in sorted({*(weight for weight in WEIGHTS if weight < n // 2), n // 2}):
            yield from ((LookupCase(RLWE, f"sparse:{weight}", quantum), n) for quantum in ATTACKERS)


def table() -> Mapping[str, object]:
    """The whole table, with the names of the cost models that it was made by."""
    lines: dict[str, dict[str, list[object]]] = {}
    for case, n in cases():
        lines.setdefault(case.name, {})[str(n)] = _row(line(case, n))
    return {"models": {"classical": DEFAULT, "quantum": DEFAULT_QUANTUM}, "lines": lines}


def _row(found: BitsByModulus) -> list[object]:
    return [float(found.log_q[0]), float(found.log_q[-1]), found.bits.tolist()]


def _span(case: LookupCase, n: int) -> tuple[float, float]:
    """The values of log2 q between which bits fall from `MOST_BITS` to where they fall no further."""
    bits = _falling(_figures(case, n, _WIDE))
    first = max(int(np.sum(bits >= MOST_BITS)) - 1, 0)
    if case.secret.startswith("sparse"):
        first = max(first, int(np.searchsorted(_WIDE, _LEAST_LOG_Q)))
    last = int(np.sum(bits > bits[-1] + FLAT))
    return float(_WIDE[first]), float(_WIDE[max(last, first + 1)])


def _figures(case: LookupCase, n: int, log_q: Floats) -> Floats:
    return np.minimum(estimated(case, np.full_like(log_q, n), log_q), 2 * MOST_BITS)


def _falling(bits: Floats) -> Floats:
    """The bits with every rise taken back: it is only what estimates gain by rounding."""
    return np.minimum.accumulate(bits)


def _refined(log_q: Floats, parts: int) -> Floats:
    """Values of log2 q that divide each piece into so many equal parts of 1 / log2 q."""
    places = np.arange((len(log_q) - 1) * parts + 1) / parts
    return np.asarray(1 / np.interp(places, np.arange(len(log_q)), 1 / log_q))


def main() -> None:
    PLACE.parent.mkdir(exist_ok=True)
    PLACE.write_text(json.dumps(table(), separators=(",", ":")).replace('"rlwe', '\n"rlwe') + "\n")


if __name__ == "__main__":
    main()
