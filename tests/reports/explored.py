"""A stored exploration made by hand: five sets, of which two lie at one place."""

from copy import deepcopy
from typing import Any

from fheasible.exploration.judging.columns import NAMES, WHOLE, WORDS
from fheasible.store.kept_rows import packed_rows
from fheasible.store.rows import Entry, Explored, StoredExploration, StoredMeasurement

Json = dict[str, Any]
MIB = 2**20
MACHINE = {
    "machine": "f83c2388b75de23a", "cpu": "Some CPU", "cores": 4, "memory_bytes": 8 * 2**30, "os": "Linux",
    "kernel": "6.1", "commit": "0123456789abcdef",
}  # fmt: skip
PROFILE = {
    "machine": "f83c2388b75de23a", "version": "6.1.1", "threads": 1,
    "created": "2026-01-02T03:04:05.000+00:00",
    "build": "lattigo 6.1.1", "origin": "", "error_band": 0.05, "composition": 1.0,
    "nanoseconds": {"forward": 1.5, "reads": 0.25, "calls": 900.0},
}  # fmt: skip


def row(library: str, seconds: float, mib: int, **given: Any) -> Json:
    usual: Json = {name: 0 if name in WHOLE else "" if name in WORDS else None for name in NAMES}
    own = {
        "library": library, "scheme": "ckks", "ring_dimension": 2**14, "slots": 2**13, "limbs": 12,
        "special_limbs": 3, "digits": 4, "log_qp": 429.0, "scale_bits": 27.0, "first_bits": 33.0,
        "cpu_seconds": seconds, "peak_bytes": mib * MIB, "ciphertext_bytes": 3 * MIB, "key_bytes": 200 * MIB,
        "request_bytes": 24 * MIB, "precision_bits": 19.0, "security_bits": 128.4, "pareto": True,
        "confirmed": True, "as_written": False,
    }  # fmt: skip
    return usual | own | given


ROWS = (
    row("lattigo", 1.0, 400),
    row("lattigo", 1.0, 400, scale_bits=28.0, log_qp=444.0, precision_bits=20.0),  # at the place of the first
    row("seal", 1.5, 800, precision_bits=22.0, special_limbs=1, digits=12),
    row("openfhe", 2.0, 200, scheme="bfv", precision_bits=None, scale_bits=None, first_bits=None),
    row("openfhe", 3.0, 500, technique="flexibleauto", precision_bits=25.0, pareto=False),
)


def candidate(library: str, scheme: str, seconds: float, mib: int, technique: str | None = None) -> Json:
    return {
        "library": library,
        "scheme": scheme,
        "request": {"depth": 11, "security": 128} | ({"scale_bits": 27} if scheme == "ckks" else {}),
        "parameters": {
            "ring_dimension": 2**14, "log_q": 330.0, "log_p": 99.0, "log_qp": 429.0, "limbs": 12,
            "special_limbs": 3, "digits": 4, "technique": technique,
        },
        "estimate": {
            "cpu_seconds": {"keygen": 0.5, "encrypt": 0.2, "evaluate": seconds - 0.3, "decrypt": 0.1,
                            "total": seconds},
            "peak_bytes": mib * MIB, "ciphertext_bytes": 3 * MIB, "public_key_bytes": 4 * MIB,
            "evaluation_key_bytes": 196 * MIB, "precision_bits": 19.0 if scheme == "ckks" else None,
            "security_bits": 128.4, "error_band": 0.05,
        },
        "pareto": True,
    }  # fmt: skip


CONTENT: Json = {
    "app": "std_dev",
    "data": "random data (seed 0)",
    "explored": 803,
    "feasible": 449,
    "seconds": 0.5,
    "candidates": [candidate("lattigo", "ckks", 1.0, 400), candidate("openfhe", "bfv", 2.0, 200)],
    "rejected": [
        {"library": name, "scheme": "bgv", "reason": "std_dev needs real numbers", "remedy": ""}
        for name in ("seal", "lattigo")
    ],
    "warnings": [],
    "why": ["N = 2^14: 11 levels take log2 QP = 429.", "Next: OpenFHE BFV at 2.0 times the time."],
    "computes": "std_dev: 65,536 encrypted reals in [0, 1] -> 1 real",
    "code": [
        "@fh.app(x=fh.reals(65_536, low=0, high=1))", "def std_dev(x):",
        "    return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2))",
    ],
    "summary": [
        ["use", "CKKS in Lattigo, N = 2^14, scale 27 bits: 1.00 s, 400 MiB of memory"],
        ["why this", "the least time of 449 feasible sets; 11 levels take log2 QP = 429"],
        ["margin", "128 bits of security (128 asked); 19.0 bits of precision expected"],
        ["runner-up", "BFV in OpenFHE, N = 2^14, at 2.00 times the time"],
        ["next", "fheasible verify std_dev.py"],
    ],
    "command": ["fheasible run std_dev.py --library lattigo \\", "  --param scale_bits=27"],
    "asked": ["security of 128 bits or more", "precision >= 15 bits"],
    "real": True,
    "least": {"measure": "bits", "value": 15.0},
    "fheasible": "0.1.0",
    "programs": ["ab" * 8],
    "profiles": {"lattigo": PROFILE},
    "details": {
        "time": [
            {"candidate": 0, "parts": [
                ["keygen", "keygen", "forward", 0.5], ["encrypt", "encrypt", "forward", 0.2],
                ["evaluate", "rotate", "forward", 0.5], ["evaluate", "rotate", "reads", 0.1],
                ["evaluate", "mul_plain", "reads", 0.1], ["decrypt", "decrypt", "reads", 0.1],
            ]},
            {"candidate": 1, "parts": [
                ["encrypt", "encrypt", "forward", 0.2], ["evaluate", "rotate", "forward", 1.7],
                ["decrypt", "decrypt", "reads", 0.1],
            ]},
        ],
        "memory": [
            {"candidate": 0, "baseline_bytes": 20 * MIB, "context_bytes": 40 * MIB, "keys_bytes": 240 * MIB,
             "peak_bytes": 400 * MIB, "operations": [250 * MIB, 400 * MIB, 300 * MIB],
             "actions": ["encrypt", "rotate", "add"], "seconds": [0.2, 0.8, 0.9]},
        ],
        "scales": [
            {
                "candidate": 0,
                "scale_bits": [26, 27, 28, 29, 30, 31],
                "ring_dimension": [2**14, 2**14, 2**15, 2**15, 2**15, 2**15],
                "log_qp": [414.0, 429.0, 444.0, 459.0, 474.0, 489.0],
                "precision_bits": [16.4, 19.0, 20.0, 20.0, 20.0, 20.0],
                "assured_bits": [14.5, 16.0, 18.0, 18.2, 18.2, 18.2],
            },
        ],
    },
}  # fmt: skip


def timing(seconds: float) -> Json:
    return {"samples": [seconds], "min": seconds, "median": seconds, "mad": 0.0}


def run(number: int = 38, total: float = 1.25) -> StoredMeasurement:
    """A run of the recommendation, which took longer than predicted."""
    times = {"keygen": timing(0.5), "encrypt": timing(0.2), "evaluate": timing(total - 0.3)}
    times |= {"decrypt": timing(0.1), "total": timing(total), "context": timing(0.01)}
    best = CONTENT["candidates"][0]
    told = best["estimate"] | {"wall_seconds": best["estimate"]["cpu_seconds"], "secret_key_bytes": MIB}
    seen = {
        "cpu_seconds": times, "wall_seconds": times, "peak_bytes": 410 * MIB, "ciphertext_bytes": 3 * MIB,
        "public_key_bytes": 4 * MIB, "evaluation_key_bytes": 196 * MIB, "secret_key_bytes": MIB,
        "precision_bits": 19.5,
    }  # fmt: skip
    entry = Entry(
        "std_dev", "ab" * 8, "lattigo", "ckks", best["request"], best["parameters"], "measured", told, seen
    )
    return StoredMeasurement(number, "2026-01-03T00:00:00.000+00:00", entry, dict(MACHINE))


def stored(**changes: Any) -> StoredExploration:
    """As it comes from the store; `rows` and what else of the content is another."""
    rows = changes.pop("rows", ROWS)
    kept = packed_rows({name: row.get(name) for name in NAMES} for row in rows)
    content = deepcopy(CONTENT) | changes
    explored = Explored("std_dev", "cd" * 8, {"security": 128}, content, kept)
    return StoredExploration(5, "2026-01-02T10:11:12.000+00:00", explored, dict(MACHINE))


def crowded() -> StoredExploration:
    """With as many sets, and names as long, as a page ever has."""
    named = [
        (title, kind)
        for title in ("openfhe", "lattigo", "seal")
        for kind in ("flexibleautoext", "fixedmanual")
    ]
    some = [candidate(name, "ckks", 1.0 + i / 5, 400 + i, kind) for i, (name, kind) in enumerate(named)]
    some += [candidate("openfhe", "bfv", 9.0 + i, 200 + i) for i in range(2)]
    kernels = ("forward", "conversion_products", "constant_products", "gaussian_samples", "word_reductions")
    actions = (
        "relinearize",
        "rotate",
        "mul_plain",
        "mul_scalar",
        "add_plain",
        "swap_rows",
        "rescale",
        "drop",
    )
    parts = [["evaluate", a, k, 0.01 * (i + j)] for i, a in enumerate(actions) for j, k in enumerate(kernels)]
    once, curve = CONTENT["details"]["memory"][0], CONTENT["details"]["scales"][0]
    details = {
        "time": [{"candidate": i, "parts": parts} for i in range(8)],
        "memory": [once | {"candidate": i} for i in range(3)],
        "scales": [curve | {"candidate": i} for i in range(6)],
    }
    every = [
        row(name, 0.001 * 1.3**i, 20 + 7 * i, technique=kind, pareto=i % 2 == 0)
        for i in range(20)
        for name, kind in named
    ]
    return stored(candidates=some, details=details, rows=[*ROWS, *every])
