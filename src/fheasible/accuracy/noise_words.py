"""A judgement of noise in words, the same on a terminal and on a page."""

from fheasible.accuracy.noise_compare import ABSOLUTE, NoiseRow
from fheasible.accuracy.noise_verdict import (
    CKKS_BITS,
    EXACT_BITS,
    MET,
    MISSED,
    OPTIMISTIC_BITS,
    UNDECIDED,
    NoiseGroup,
    NoiseJudgement,
    verdict,
)
from fheasible.accuracy.words import NOTHING, runs, title
from fheasible.measurement.encryptions import PER_KEYS
from fheasible.units import ABSENT, power_of_two

GROUP_COLUMNS = ("setting", "sets", "mean", "highest", "lowest", "variance", "met / undecided / missed")
ROW_COLUMNS = ("application", "setting", "N", "scale", "predicted", "measured", "off", "variance", "target")
OVER_RANGE = "*"  # marks bits of the absolute error over what the outputs may be


def target() -> str:
    return (
        f"The target is to predict the mean over the encryptions within {CKKS_BITS:g} bit in CKKS and within "
        f"{EXACT_BITS:g} bits of noise budget in BFV and BGV, and never more than {OPTIMISTIC_BITS:g} bits "
        f"too high. It is {MET} if the whole 95 % confidence interval is inside, {MISSED} if all of it is "
        f"outside, and {UNDECIDED} otherwise."
    )


def sentence(found: NoiseJudgement) -> str:
    """How many sets meet the target: '318 programs and parameter sets: the target is met by 290, missed by 4
    and undecided for 24'."""
    counts = {told: found.count(told) for told in (MET, MISSED, UNDECIDED)}
    return (
        f"{len(found.rows)} programs and parameter sets: the target is met by {counts[MET]}, missed by "
        f"{counts[MISSED]} and undecided for {counts[UNDECIDED]}"
    )


def footer(found: NoiseJudgement) -> str:
    """Where, when and how the cases were measured."""
    if found.circumstances is None:
        return NOTHING
    return f"{runs(found.circumstances)} {PER_KEYS} encryptions in each run, each run under its own keys."


def group_cells(g: NoiseGroup) -> tuple[str, ...]:
    """The cells of a group for GROUP_COLUMNS."""
    return (
        title(g.library, g.scheme, g.technique),
        f"{g.count}",
        _signed(g.mean),
        _signed(g.optimistic),
        _signed(g.pessimistic),
        ABSENT if g.variance_ratio is None else f"{g.variance_ratio:.2f} ×÷ {g.variance_spread:.2f}",
        f"{g.met} / {g.undecided} / {g.missed}",
    )


def row_cells(row: NoiseRow) -> tuple[str, ...]:
    """The cells of a row for ROW_COLUMNS."""
    return (
        row.application,
        setting(row),
        power_of_two(row.n),
        "" if row.scale_bits is None else f"{row.scale_bits}",
        f"{row.predicted:.1f}{OVER_RANGE if row.figure == ABSOLUTE else ''}",
        f"{row.measured:.1f}",
        off(row),
        f"{'' if row.all_noise else '≥ '}{row.variance_ratio:.2f}",
        verdict(row),
    )


def off(row: NoiseRow) -> str:
    """The number of bits by which the prediction is too high, with its interval: '+0.31 ± 0.12'."""
    return f"{_signed(row.difference)} ± {row.interval:.2f}"


def setting(row: NoiseRow) -> str:
    """The row's setting: 'OpenFHE BGV fixedauto bv'. Hybrid key switching is left out, as the usual kind."""
    own = title(row.library, row.scheme, row.technique)
    return own if row.key_switching in ("", "hybrid") else f"{own} {row.key_switching}"


def _signed(bits: float) -> str:
    """A number of bits with its sign: '+0.12' where the prediction is too high."""
    return f"{round(bits, 2) + 0.0:+.2f}"  # + 0.0 turns a negative zero into zero
