"""The largest log2(QP) that published tables allow for a ring dimension, a secret and a level of security.

The tables are data: the one that we judge by (GUIDELINES_2024), the standard whose ternary rows SEAL enforces
(STANDARD_2018, SEAL), and the one that OpenFHE enforces (OPENFHE: the rows of 2018 up to 2^15, newer ones
above). A secret that a table does not treat has no limit in it, so the table never calls it secure; OpenFHE
alone treats a sparse secret like a ternary one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

Key = tuple[str, bool, int]  # secret, quantum, security
Limits = tuple[int | None, ...]  # for n = 2^10, 2^11, ...

LEVELS = (128, 192, 256)
STANDARD = 128  # bits below which a ring is called too small
SIGMA = 3.19  # width of the errors, and of a Gaussian secret, that the tables assume [Bossuat24]
USUAL_SIGMA = 3.2  # the width of SEAL and Lattigo, which is the same; for wider errors a limit is too strict
_FIRST_LOG_N = 10
_SECRETS = {
    "ternary": "ternary",
    "uniform_ternary": "ternary",
    "gaussian": "gaussian",
    "uniform": "uniform",
    "sparse_ternary": "sparse",
    "sparse_encapsulated": "sparse",
}


@dataclass(frozen=True, slots=True, eq=False)
class SecurityTable:
    """Limits on log2(QP) by secret, attacker and level, one for each n = 2^10, 2^11, ..."""

    name: str
    source: str
    limits: Mapping[Key, Limits]


def _by_level(rows: Mapping[tuple[str, bool], tuple[Limits, Limits, Limits]]) -> Mapping[Key, Limits]:
    return MappingProxyType(
        {(*key, level): row for key, three in rows.items() for level, row in zip(LEVELS, three, strict=True)}
    )


_STANDARD: dict[tuple[str, bool], tuple[Limits, Limits, Limits]] = {
    ("ternary", False): (
        (27, 54, 109, 218, 438, 881),
        (19, 37, 75, 152, 305, 611),
        (14, 29, 58, 118, 237, 476),
    ),
    ("gaussian", False): (
        (29, 56, 111, 220, 440, 883),
        (21, 39, 77, 154, 307, 613),
        (16, 31, 60, 120, 239, 478),
    ),
    ("uniform", False): (
        (29, 56, 111, 220, 440, 880),
        (21, 39, 77, 154, 307, 612),
        (16, 31, 60, 120, 239, 478),
    ),
    ("ternary", True): (
        (25, 51, 101, 202, 411, 827),
        (17, 35, 70, 141, 284, 571),
        (13, 27, 54, 109, 220, 443),
    ),
    ("gaussian", True): (
        (27, 53, 103, 206, 413, 829),
        (19, 37, 72, 143, 286, 573),
        (15, 29, 56, 111, 222, 445),
    ),
    ("uniform", True): (
        (27, 53, 103, 206, 413, 829),
        (19, 37, 72, 143, 286, 573),
        (15, 29, 56, 111, 222, 445),
    ),
}

STANDARD_2018 = SecurityTable(
    name="Homomorphic Encryption Standard 2018",
    source="[HES18] Tables 1 and 2, from [OpenFHE] stdlatticeparms.cpp; ternary rows also in [SEAL]",
    limits=_by_level(_STANDARD),
)

# The rows that OpenFHE adds above n = 2^15: classical ones equal the Guidelines', quantum ones are its own.
_OPENFHE_ABOVE: dict[tuple[str, bool], tuple[Limits, Limits, Limits]] = {
    ("ternary", False): ((1747, 3523), (1199, 2411), (929, 1866)),
    ("gaussian", False): ((1749, 3525), (1201, 2413), (931, 1868)),
    ("ternary", True): ((1663, 3348), (1145, 2301), (888, 1784)),
    ("gaussian", True): ((1665, 3351), (1147, 2304), (890, 1786)),
}


def _openfhe() -> Mapping[Key, Limits]:
    rows: dict[tuple[str, bool], tuple[Limits, Limits, Limits]] = {}
    for (secret, quantum), above in _OPENFHE_ABOVE.items():
        first, second, third = _STANDARD[secret, quantum]
        rows[secret, quantum] = (first + above[0], second + above[1], third + above[2])
    rows["sparse", False], rows["sparse", True] = rows["ternary", False], rows["ternary", True]
    return _by_level(rows)


OPENFHE = SecurityTable(
    name="OpenFHE 1.6.1",
    source="[OpenFHE] core/lib/lattice/stdlatticeparms.cpp, and every row asked of the live library",
    limits=_openfhe(),
)

# The paper has no row for n = 2^10 at 192 and 256 bits, and none for a sparse secret. For a Gaussian secret
# at n = 2^13 and 256 bits, its companion code has 119 in one list and 116 in the other; the smaller one
# continues the column.
GUIDELINES_2024 = SecurityTable(
    name="Security Guidelines 2024",
    source="[Bossuat24] Table 5.2, from its companion code; quantum: computed with its script [SparseLWEkit]",
    limits=_by_level(
        {
            ("ternary", False): (
                (26, 53, 106, 214, 430, 868, 1747, 3523),
                (None, 36, 73, 147, 297, 597, 1199, 2411),
                (None, 27, 56, 114, 230, 462, 929, 1866),
            ),
            ("gaussian", False): (
                (28, 55, 108, 216, 432, 870, 1749, 3525),
                (None, 38, 75, 149, 299, 599, 1201, 2413),
                (None, 30, 58, 116, 232, 464, 931, 1868),
            ),
            ("ternary", True): (
                (20, 40, 80, 161, 322, 644, 1289, 2578),
                (None, 29, 59, 119, 239, 479, 959, 1920),
                (None, 22, 47, 95, 192, 385, 773, None),
            ),
            ("gaussian", True): (
                (22, 42, 83, 163, 324, 646, 1291, 2580),
                (None, 31, 61, 122, 242, 482, 962, 1922),
                (None, 25, 49, 98, 195, 388, 775, None),
            ),
        }
    ),
)


# The limits that libraries themselves enforce. Lattigo and TFHE-rs leave that to the user.
# SEAL knows only ternary secrets and classical attackers: `sec_level_type` has tc128, tc192 and tc256.
SEAL = SecurityTable(
    name="SEAL 4.4",
    source="[SEAL] native/src/seal/util/hestdparms.h, which has the ternary rows of [HES18]",
    limits=_by_level({("ternary", False): _STANDARD["ternary", False]}),
)

ENFORCED: Mapping[str, SecurityTable] = MappingProxyType({"openfhe": OPENFHE, "seal": SEAL})


def max_log_q(
    table: SecurityTable, n: int, secret: str, security: int, quantum: bool = False
) -> float | None:
    """The largest log2(QP) with `security` bits at ring dimension n; None where the table is silent."""
    row = table.limits.get((_secret(secret), quantum, security), ())
    index = n.bit_length() - 1 - _FIRST_LOG_N
    if n & (n - 1) or not 0 <= index < len(row):
        return None
    return row[index]


def min_ring_dimension(
    table: SecurityTable, log_q: float, secret: str, security: int, quantum: bool = False
) -> int | None:
    """The smallest n whose limit is not exceeded by log_q; None where no row of the table suffices."""
    row = table.limits.get((_secret(secret), quantum, security), ())
    fits = (log_n for log_n, limit in enumerate(row, _FIRST_LOG_N) if limit is not None and log_q <= limit)
    return next((1 << log_n for log_n in fits), None)


def standard_bits(
    n: int, log_q: float, secret: str, table: SecurityTable = GUIDELINES_2024, quantum: bool = False
) -> int | None:
    """The highest of 128, 192, 256 whose limit log_q does not exceed at n; None below 128 or if unknown."""
    limits = ((level, max_log_q(table, n, secret, level, quantum)) for level in reversed(LEVELS))
    return next((level for level, limit in limits if limit is not None and log_q <= limit), None)


def _secret(name: str) -> str:
    """The tables' word for a secret; "sparse:h" is a sparse one."""
    return "sparse" if name.startswith("sparse:") else _SECRETS.get(name, name)
