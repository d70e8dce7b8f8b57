"""The paper's claims about the times of its ten functions [BabGS20, Sec. 4.1]."""

from fheasible.studies.ckks_vs_bfv import causes, library_2020, printed, times
from fheasible.studies.ckks_vs_bfv.experiments import OF_PAPER, SAME_CHAIN
from fheasible.studies.ckks_vs_bfv.printed import FUNCTIONS, title
from fheasible.studies.ckks_vs_bfv.sets import NUMBERS, TITLES
from fheasible.studies.claim import Claim, ClaimFinding
from fheasible.studies.results import Results

PAIR = tuple(e.name for e in OF_PAPER.values())
WITH_CAUSE = (*PAIR, SAME_CHAIN.name)

MUCH = 3.0  # "takes much less time": at least that many times less
SAME = 1.5  # "approximately the same performance": at most that many times apart
FLAT = 1.5  # "does not significantly depend on the length": at most that many times from 128 to 2048 numbers
DEPENDS = 1.25  # and from here on it depends on it


def claims() -> tuple[Claim, ...]:
    return (*_faster(), *_lengths(), *_growth(), _no_winner())


def _faster() -> tuple[Claim, ...]:
    return (
        _compared(
            "Encoding is faster in BFV", "encode", "BFV is faster at every set",
            lambda r: min(r) > times.SLOWER, "Section 4.1.1",
        ),
        _compared(
            "Decoding is fastest in BFV, but its advantage is negligible", "decode",
            f"BFV is faster at every set, at sets 3 and 4 by less than {SAME} times",
            lambda r: min(r) > times.SLOWER and max(r[2:]) < SAME, "Section 4.1.2",
        ),
        _compared(
            "With the secret key, both schemes encrypt equally fast at sets 1 to 3", "encrypt_secret",
            f"the times differ by less than {SAME} times at sets 1 to 3",
            lambda r: all(1 / SAME < x < SAME for x in r[:3]), "Section 4.1.3",
        ),
        _compared(
            "With the secret key, BFV is slower at set 4", "encrypt_secret", "BFV is slower at set 4",
            lambda r: r[3] < times.FASTER, "Section 4.1.3",
        ),
        _compared(
            "With the public key, both schemes encrypt equally fast at sets 1 to 3", "encrypt",
            f"the times differ by less than {SAME} times at sets 1 to 3",
            lambda r: all(1 / SAME < x < SAME for x in r[:3]), "Section 4.1.3",
        ),
        _compared(
            "With the public key, CKKS is slower at set 4", "encrypt", "CKKS is slower at set 4",
            lambda r: r[3] > times.SLOWER, "Section 4.1.3",
        ),
        _compared(
            "Decryption takes much less time in CKKS", "decrypt",
            f"CKKS is at least {MUCH:g} times as fast at every set", lambda r: max(r) < 1 / MUCH,
            "Section 4.1.4",
        ),
        _compared(
            "Addition is faster in CKKS", "add", "CKKS is faster at three sets or more",
            lambda r: sum(x < times.FASTER for x in r) >= 3, "Section 4.1.5",
        ),
        _compared(
            "The product by a scalar is faster in BFV", "mul_scalar", "BFV is faster at sets 2 to 4 or more",
            lambda r: min(r[1:]) > times.SLOWER, "Section 4.1.6",
        ),
        _compared(
            "The product of two ciphertexts is much faster in CKKS", "mul",
            f"CKKS is at least {MUCH:g} times as fast at every set", lambda r: max(r) < 1 / MUCH,
            "Section 4.1.6",
        ),
        _compared(
            "Relinearisation is faster in BFV at sets 2 to 4, and in CKKS at set 1", "relinearize",
            "ours are by more than 5 %", lambda r: r[0] < times.FASTER and min(r[1:]) > times.SLOWER,
            "Section 4.1.7",
        ),
        _compared(
            "Key switching is faster in CKKS", "key_switch", "CKKS is faster at three sets or more",
            lambda r: sum(x < times.FASTER for x in r) >= 3, "Section 4.1.8",
        ),
    )  # fmt: skip


def _compared(claim: str, function: str, criterion: str, holds: causes.Holds, where: str) -> Claim:
    """A claim about CKKS's times over BFV's at the four sets."""

    def judge(results: Results) -> ClaimFinding:
        found = times.ratios(results, function)
        evidence = f"CKKS over BFV at sets 1 to 4, medians over the lengths; {causes.library(function)}"
        cause = "" if holds(found) else causes.of_ratio(results, function, holds)
        return ClaimFinding(times.said(found), holds(found), evidence, cause)

    published = f"{times.said(times.published(function))} ({where}, {printed.place(function)})"
    return Claim(claim, published, criterion, judge, WITH_CAUSE)


def _lengths() -> tuple[Claim, ...]:
    return (
        Claim(
            "Encoding does not significantly depend on the length of the vector, in either scheme",
            f"2048 numbers over 128 take {_printed('ckks', 'encode')} (CKKS) and {_printed('bfv', 'encode')} "
            "(BFV) of the time (Section 4.1.1, Table 2)",
            f"at sets 2 to 4, 2048 numbers take less than {FLAT} times as long as 128",
            _flat,
            PAIR,
        ),
        Claim(
            "Decoding depends on the length of the vector in CKKS, and not in BFV",
            f"{_printed('ckks', 'decode')} (CKKS) and {_printed('bfv', 'decode')} (BFV) (Section 4.1.2, "
            "Table 3)",
            f"at set 1, CKKS takes more than {DEPENDS} times as long for 2048 numbers as for 128; BFV "
            "takes less than that at every set",
            _dependent,
            PAIR,
        ),
    )


def _printed(scheme: str, function: str) -> str:
    return times.said(tuple(times.printed_by_length(scheme, function)))


def _flat(results: Results) -> ClaimFinding:
    ours = {s: tuple(times.by_length(results, s, "encode")) for s in OF_PAPER}
    worst = max(max(found[1:]) for found in ours.values())
    told = f"{times.said(ours['ckks'])} (CKKS), {times.said(ours['bfv'])} (BFV)"
    evidence = "2048 numbers over 128, sets 1 to 4"
    cause = f"{causes.SPARSE}; {_grown('encode')}." if worst >= FLAT else ""
    return ClaimFinding(told, worst < FLAT, evidence, cause)


def _dependent(results: Results) -> ClaimFinding:
    ours = {s: tuple(times.by_length(results, s, "decode")) for s in OF_PAPER}
    holds = ours["ckks"][0] > DEPENDS and max(ours["bfv"]) < DEPENDS
    told = f"{times.said(ours['ckks'])} (CKKS), {times.said(ours['bfv'])} (BFV)"
    evidence = "2048 numbers over 128, sets 1 to 4; the shorter vectors of CKKS are packed sparsely"
    return ClaimFinding(told, holds, evidence, "" if holds else f"{_grown('decode')}.")


def _grown(function: str) -> str:
    """How the times of the library of 2020 grow with the length."""
    told = []
    for scheme, name in (("ckks", "CKKS"), ("bfv", "BFV")):
        found = [_ends_of_2020(function, scheme, number) for number in NUMBERS]
        told.append(f"{times.said(tuple(found))} ({name})")
    return f"{causes.VERSION_SAID} has {' and '.join(told)} for 2048 numbers over 128"


def _ends_of_2020(function: str, scheme: str, number: int) -> float:
    long, short = (library_2020.found(scheme, number, n).seconds[function] for n in (2048, 128))
    return long / short


def _growth() -> tuple[Claim, ...]:
    return (
        Claim(
            "Encoding slows down more in CKKS than in BFV as the sets grow",
            f"from set 1 to set 4 {_printed_growth('ckks', 'encode')} times in CKKS, "
            f"{_printed_growth('bfv', 'encode')} times in BFV (Section 4.1.1, Table 2)",
            "CKKS's growth is at least 1.5 times BFV's",
            lambda results: _grows(results, "encode", 1.5),
            PAIR,
        ),
        Claim(
            "The product of two ciphertexts slows down less in CKKS than in BFV as the sets grow",
            f"from set 1 to set 4 {_printed_growth('ckks', 'mul')} times in CKKS, "
            f"{_printed_growth('bfv', 'mul')} times in BFV (Section 4.1.6, Table 9)",
            "CKKS's growth is smaller than BFV's",
            lambda results: _grows(results, "mul", None),
            PAIR,
        ),
    )


def _printed_growth(scheme: str, function: str) -> str:
    return f"{printed.middle(function, scheme, 4) / printed.middle(function, scheme, 1):.0f}"


def _grows(results: Results, function: str, least: float | None) -> ClaimFinding:
    ckks, bfv = (times.growth(results, scheme, function) for scheme in ("ckks", "bfv"))
    holds = ckks < bfv if least is None else ckks >= least * bfv
    theirs = [causes.growth_of_2020(scheme, function) for scheme in ("ckks", "bfv")]
    evidence = f"set 4 over set 1; {causes.VERSION_SAID} has {theirs[0]:.0f} and {theirs[1]:.0f}"
    cause = "" if holds else causes.of_growth(results, function)
    return ClaimFinding(f"{ckks:.0f} (CKKS), {bfv:.0f} (BFV)", holds, evidence, cause)


def _no_winner() -> Claim:
    def judge(results: Results) -> ClaimFinding:
        faster: dict[str, list[str]] = {"CKKS": [], "BFV": []}
        for function in FUNCTIONS:
            if scheme := times.faster(times.ratios(results, function)):
                faster[TITLES[scheme]].append(title(function).lower())
        told = "; ".join(f"{name}: {', '.join(of) or 'none'}" for name, of in faster.items())
        ours = f"{len(faster['CKKS'])} and {len(faster['BFV'])} of {len(FUNCTIONS)}"
        holds = min(len(of) for of in faster.values()) >= 1
        cause = "" if holds else f"{causes.chain(times.same_chain(results, 'add'))} for additions."
        return ClaimFinding(ours, holds, f"faster at all four sets: {told}", cause)

    return Claim(
        "No scheme is the faster one in everything",
        "Section 5",
        "each scheme is the faster one at all four sets in one function or more",
        judge,
        PAIR,
    )
