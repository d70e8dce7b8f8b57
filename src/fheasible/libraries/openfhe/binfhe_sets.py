"""OpenFHE's BinFHE: its sets of parameters, as the contexts of the wheel 1.6.1 say when they are serialized.

They differ from those of the public 1.5.1. Part of a blind rotation uses a larger base of the gadget.
"""

from types import MappingProxyType
from typing import Final

from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.schemes.fhew.parameters import METHODS, FhewSet

ERROR_BOUND: Final = 128  # beta: a message and its error are at most this far apart
LEAST_LOG_Q, MOST_LOG_Q = 11, 29  # of the modulus of what functions are evaluated on


_ALL = ("ginx", "ap", "lmkcdey")
_LM = ("lmkcdey",)
_27, _28, _25, _26 = 134215681, 268369921, 33550337, 67104769  # Q


def _set(name: str, n: int, ring: int, q: int, ring_modulus: int, q_ks: int, base_ks: int,
         gadget: tuple[tuple[int, int], ...], methods: tuple[str, ...] = _ALL, refresh: int = 64,
         automorphisms: int | None = None) -> FhewSet:  # fmt: skip
    keys = (40 if methods == _LM else 10) if automorphisms is None else automorphisms
    return FhewSet(name, n, ring, q, ring_modulus, q_ks, base_ks, refresh, keys, gadget, methods)


_LISTED: Final = (
    _set("TOY", 64, 512, 512, _27, _27, 25, ((512, 64),), refresh=23, automorphisms=9),
    _set("MEDIUM", 422, 1024, 1024, _28, 1 << 14, 128, ((1024, 422),), refresh=32),
    _set("STD128", 554, 1024, 2048, _27, 1 << 15, 256, ((128, 303), (512, 251))),
    _set("STD128_AP", 554, 1024, 2048, _27, 1 << 15, 256, ((128, 10), (512, 544)), ("ap",), 128),
    _set("STD128_LMKCDEY", 554, 1024, 2048, _27, 1 << 15, 256, ((512, 552), (16384, 2)), _LM),
    _set("STD192", 820, 2048, 4096, _28, 1 << 15, 256, ((128, 658), (1024, 162))),
    _set("STD256", 1077, 2048, 4096, _28, 1 << 15, 256, ((128, 931), (1024, 146))),
    _set("STD128Q", 598, 1024, 2048, _25, 1 << 15, 256, ((32, 377), (128, 221))),
    _set("STD128Q_LMKCDEY", 598, 1024, 2048, _25, 1 << 15, 256, ((128, 565), (512, 33)), _LM),
    _set("STD192Q", 889, 2048, 4096, _28, 1 << 15, 256, ((128, 732), (1024, 157))),
    _set("STD256Q", 1169, 2048, 4096, _26, 1 << 15, 256, ((32, 173), (64, 996))),
    _set("STD128_3", 592, 1024, 2048, _27, 1 << 16, 256, ((128, 575), (512, 17))),
    _set("STD128_3_LMKCDEY", 592, 1024, 2048, _27, 1 << 16, 256, ((128, 440), (512, 152)), _LM),
    _set("STD128Q_3", 639, 1024, 2048, _25, 1 << 16, 256, ((16, 287), (32, 352))),
    _set("STD128Q_3_LMKCDEY", 639, 1024, 2048, _25, 1 << 16, 256, ((32, 532), (128, 107)), _LM),
    _set("STD192Q_3", 947, 2048, 4096, _28, 1 << 16, 256, ((128, 935), (1024, 12))),
    _set("STD256Q_3", 1317, 2048, 4096, _26, 1 << 17, 64, ((16, 41), (32, 1276))),
    _set("STD128_4", 630, 1024, 2048, _27, 1 << 17, 512, ((16, 134), (32, 496))),
    _set("STD128_4_LMKCDEY", 668, 1024, 2048, _27, 1 << 18, 512, ((64, 586), (128, 82)), _LM),
    _set("STD128Q_4", 680, 2048, 4096, _28, 1 << 17, 64, ((64, 273), (128, 407))),
    _set("STD128Q_4_LMKCDEY", 680, 2048, 4096, _28, 1 << 17, 64, ((128, 642), (1024, 38)), _LM),
    _set("STD192Q_4", 1004, 2048, 4096, _28, 1 << 17, 64, ((64, 855), (128, 149))),
    _set("STD256Q_4", 1391, 2048, 4096, _26, 1 << 18, 64, ((8, 289), (16, 1102))),
)
SETS: Final = MappingProxyType({each.name: each for each in _LISTED})

_FUNCTIONAL_N: Final = {"TOY": 32, "STD128": 1305}
_FUNCTIONAL_RING, _FUNCTIONAL_MODULUS = 2048, 18014398509404161
_SMALL_MODULUS = 134176769  # for log_q = 11


def bin_set(name: str, method: str = "ginx", log_q: int | None = None, arbitrary: bool = True) -> FhewSet:
    """The set of that name for gates, or with `log_q` the one for functions.

    UnknownName, UsageError or InfeasibleParameters where the library has none.
    """
    found, way = SETS.get(name.upper()), method.lower()
    if found is None:
        raise UnknownName(f"BinFHE has no set {name!r}", f"choose among {', '.join(SETS)}")
    if way not in METHODS:
        raise UnknownName(f"BinFHE has no method {method!r}", f"choose among {', '.join(METHODS)}")
    if log_q is not None:
        return _functional(found, way, log_q, arbitrary)
    if way not in found.methods:
        raise InfeasibleParameters(
            f"{found.name} is no set for {way.upper()}", f"method={found.methods[0]}, or another set"
        )
    return found


def _functional(of: FhewSet, method: str, log_q: int, arbitrary: bool) -> FhewSet:
    if of.name not in _FUNCTIONAL_N or method != "ginx":
        raise InfeasibleParameters(
            f"functions have no set {of.name} for {method.upper()}", "set=TOY or set=STD128, method=ginx"
        )
    if not LEAST_LOG_Q < log_q <= MOST_LOG_Q:
        raise UsageError(f"log_q={log_q} is outside 12 to {MOST_LOG_Q}", "choose it in this range")
    base = 1 << (14 if log_q > 25 else 18 if log_q > 16 else 27)
    n, ring = _FUNCTIONAL_N[of.name], _FUNCTIONAL_RING
    q = ring if arbitrary else 2 * ring
    return FhewSet(
        of.name,
        n,
        ring,
        q,
        _FUNCTIONAL_MODULUS,
        1 << 35,
        32,
        23,
        10,
        ((base, n),),
        ("ginx",),
        log_q,
        arbitrary,
    )
