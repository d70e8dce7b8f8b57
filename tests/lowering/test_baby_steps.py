"""The number of baby steps that is chosen is the best of all, and a sketch counts what would be built."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.libraries.catalogue import CATALOGUE
from fheasible.lowering.arithmetic import Arithmetic
from fheasible.lowering.builder import ProgramBuilder
from fheasible.lowering.polynomial import _best_baby, _relinearisations, _Series, _Sketch
from fheasible.program.style import Style
from fheasible.program.types import Action

STYLES = {
    style: None
    for library in CATALOGUE.values()
    for scheme in ("ckks", "bgv", "bfv")
    for technique in (library.techniques if scheme == "ckks" else (None,))
    for style in [library.style(scheme, technique or None)]
}


def built(style: Style, coefficients: tuple[float, ...], baby: int, chebyshev: bool) -> int:
    """Relinearisations of the series itself."""
    build = ProgramBuilder(style, 1, False)
    x = build.emit(Action.ENCRYPT, [], depth=0, source="x")
    _Series(Arithmetic(build), x, baby, chebyshev).at(coefficients, (len(coefficients) - 1).bit_length() - 1)
    return sum(action == "relinearize" for action, _ in build.trace())


@given(
    style=st.sampled_from(list(STYLES)), degree=st.integers(2, 119), most=st.sampled_from((2, 9, 40_000)),
    zeros=st.sampled_from((0.0, 0.5)),
)  # fmt: skip
@settings(max_examples=50)
def test_no_other_number_of_baby_steps_takes_fewer_relinearisations(
    style: Style, degree: int, most: int, zeros: float
) -> None:
    """Equal coefficients make equal parts, which are built once; others count only by whether they are 0."""
    draw = np.random.default_rng(degree)
    numbers = draw.integers(-most, most, degree + 1) if style.exact else draw.normal(size=degree + 1)
    numbers[draw.random(degree + 1) < zeros] = 0
    numbers[-1] = 1
    coefficients, chebyshev = tuple(numbers.tolist()), not style.exact
    choices = [1 << b for b in range(1, len(coefficients).bit_length() + 1)]
    counts = [built(style, coefficients, baby, chebyshev) for baby in choices]
    assert counts == [_relinearisations(style, coefficients, b, chebyshev, _Sketch.NO_LIMIT) for b in choices]
    assert _best_baby(style, coefficients, chebyshev) == choices[counts.index(min(counts))]
