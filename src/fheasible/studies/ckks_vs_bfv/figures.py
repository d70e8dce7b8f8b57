"""Figures 1 to 10: each function's time by the parameter set, and Figure 2's dependence on the length."""

from collections.abc import Iterator

from fheasible.reports.figures import Figure, FigureStyle, Series
from fheasible.studies.ckks_vs_bfv import printed, redundancy
from fheasible.studies.ckks_vs_bfv.experiments import OF_PAPER
from fheasible.studies.ckks_vs_bfv.printed import FUNCTIONS
from fheasible.studies.ckks_vs_bfv.sets import LENGTHS, NUMBERS, SCHEMES, TITLES
from fheasible.studies.curves import Curves
from fheasible.studies.results import Beside, Results

_NUMBERS = {function: number for number, function in enumerate(FUNCTIONS, start=1)}
_NAMES = {experiment.name: TITLES[scheme] for scheme, experiment in OF_PAPER.items()}


def functions(results: Results) -> dict[str, Figure]:
    """The figure of each function."""
    made = {function: _times(function).figure(results) for function in FUNCTIONS}
    return {function: figure for function, figure in made.items() if figure is not None}


def _times(function: str) -> Curves:
    return Curves(
        title=f"Figure {_NUMBERS[function]}: {printed.title(function).lower()}",
        experiments=tuple(OF_PAPER.values()),
        x="set",
        y=f"{function}_seconds",
        x_label="parameter set",
        y_label="ms",
        where=_longest,
        unit=1e-3,
        log_y=True,
        note="2048 numbers; the paper's machine is another one",
        names=_NAMES,
        published={TITLES[s]: tuple(_papers(function, s)) for s in SCHEMES},
    )


def _longest(b: Beside) -> bool:
    return b.has(slots=LENGTHS[-1])


def _papers(function: str, scheme: str) -> Iterator[tuple[float, float]]:
    for number in NUMBERS:
        yield float(number), 1e3 * printed.value(function, scheme, number, LENGTHS[-1])


def decoding(results: Results) -> Figure | None:
    """The time of decoding by the vector's length, at set 1."""
    return Curves(
        title="Decoding by the vector's length, set 1",
        experiments=tuple(OF_PAPER.values()),
        x="slots",
        y="decode_seconds",
        x_label="numbers",
        y_label="ms",
        where=lambda b: b.has(set="1"),
        unit=1e-3,
        log_x=True,
        names=_NAMES,
        published={
            TITLES[s]: tuple((float(n), 1e3 * printed.value("decode", s, 1, n)) for n in LENGTHS)
            for s in SCHEMES
        },
    ).figure(results)


def ratios() -> Iterator[Figure]:
    """Figures 11 and 12: the paper's values, and what its sets have."""
    for number, name in ((11, "plaintext_over_data"), (12, "ciphertext_over_plaintext")):
        series = []
        for scheme in SCHEMES:
            own = TITLES[scheme]
            x = tuple(map(float, NUMBERS))
            theirs = tuple(printed.value(name, scheme, k, LENGTHS[-1]) for k in NUMBERS)
            ours = tuple(_at_set(name, scheme, k) for k in NUMBERS)
            series.append(Series(f"{own}, by its primes", x, ours, FigureStyle.LINE, own))
            series.append(Series(f"{own}, the paper", x, theirs, FigureStyle.DASHED, own))
        title = f"Figure {number}: {printed.title(name).lower()}, significant bits"
        yield Figure(title, "parameter set", "ratio", tuple(series), log_y=True, note="2048 numbers")


def _at_set(name: str, scheme: str, number: int) -> float:
    if name == "plaintext_over_data":
        return redundancy.over_data(scheme, number, LENGTHS[-1])
    return redundancy.over_plaintext(scheme, number)
