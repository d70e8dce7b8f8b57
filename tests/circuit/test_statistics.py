"""Statistics of encrypted vectors against numpy's, in the clear and as programs on slots."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fheasible as fh
from fheasible.api.asking import application_of
from fheasible.circuit.node import Op
from fheasible.errors import CircuitError
from fheasible.lowering.lower import lower
from fheasible.program.simulate import simulate
from fheasible.program.style import Style
from fheasible.program.types import Scheme

from .alike import alike

fh_untyped: Any = fh
CKKS, BFV = Style(Scheme.CKKS), Style(Scheme.BFV)
numbers = st.lists(st.floats(-3, 3, width=32), min_size=2, max_size=40)


def reals(f: Callable[[fh.Vector], Any], n: int = 10) -> fh.App:
    return fh.app(x=fh.reals(n, low=-3, high=3))(lambda x: f(x))


@given(values=numbers)
def test_statistics_are_those_of_numpy(values: list[float]) -> None:
    app = reals(
        lambda x: {
            "sum": x.sum(), "mean": x.mean(), "of all": fh.sum(x) / len(x), "var": fh.var(x),
            "sample": fh.var(x, ddof=1), "std": fh.std(x),
        }
    )  # fmt: skip
    x = np.array(values)
    expected = {
        "sum": x.sum(), "mean": x.mean(), "of all": x.mean(), "var": x.var(), "sample": x.var(ddof=1),
        "std": x.std(),
    }  # fmt: skip
    for name, found in app(x=values).items():
        np.testing.assert_allclose(found, [expected[name]], rtol=1e-6, atol=1e-6, err_msg=name)


@given(values=numbers, labels=st.lists(st.sampled_from("abcde"), min_size=40, max_size=40))
def test_grouped_sums(values: list[float], labels: list[str]) -> None:
    own = labels[: len(values)]
    sums = {label: sum(v for v, l in zip(values, own, strict=True) if l == label) for label in own}
    app = reals(lambda x: fh.sum_by(x, own))
    expected = [total for _, total in sorted(sums.items())]
    np.testing.assert_allclose(app(x=values), expected, atol=1e-9)
    program = lower(app.trace({"x": len(values)}), CKKS, 16)
    found = simulate(program, {"x": np.array(values)})["result"]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_grouped_sums_of_integers_are_exact() -> None:
    app = fh.app(x=fh.integers(5, low=0, high=9))(lambda x: fh.sum_by(x, [2020, 2019, 2020, 2019, 2021]))
    assert app(x=[1, 2, 3, 4, 9]).tolist() == [6, 4, 9]
    program = lower(app.trace(), BFV, 8)
    assert simulate(program, {"x": np.array([1, 2, 3, 4, 9])}, 65537)["result"].tolist() == [6, 4, 9]


def test_the_standard_deviation_is_the_one_of_the_second_example() -> None:
    written = application_of("examples/2_std_dev.py").trace({"x": 100})
    ours = fh.app(x=fh.reals(100, low=0, high=1))(lambda x: fh.std(x, degree=247)).trace()
    assert alike(ours, written)


@pytest.mark.parametrize(
    ("ddof", "given", "interval"),
    [
        (0, {}, (0, 9)),  # [-3, 3]: half the values at either end
        (1, {}, (0, 10)),
        (0, {"low": 0.5}, (0.5, 9)),
        (0, {"high": 2}, (0, 2)),
    ],
)
def test_the_interval_of_the_variance(ddof: int, given: dict[str, float], interval: tuple[int, int]) -> None:
    ends = {"low": given.get("low"), "high": given.get("high")}
    circuit = reals(lambda x: fh.std(x, ddof, **ends)).trace()
    series = [n.attribute for n in circuit.nodes() if n.op is Op.CHEBYSHEV]
    assert [(s.low, s.high) for s in series] == [pytest.approx(interval)]


REFUSED: dict[str, list[Callable[[Any], Any]]] = {
    "divides by n - ddof, with a whole ddof from 0 to 9, not": [
        lambda x: fh.var(x, ddof=10),
        lambda x: fh.var(x, ddof=-1),
        lambda x: fh_untyped.std(x, ddof=True),
    ],
    "one element is always 0": [lambda x: fh.var(x[0]), lambda x: fh.std(fh.sum(x))],
    "fh.var takes an encrypted vector, not list; Write": [lambda x: fh_untyped.var([1, 2])],
    "fh.std takes an encrypted vector": [lambda x: fh_untyped.std(3)],
    "needs the interval": [lambda x: fh.std(x, low=9), lambda x: fh_untyped.std(x, high="a")],
    "2 groups for a vector of 10 elements; Give a label": [lambda x: fh.sum_by(x, ["ab"] * 2)],
    "one row of labels": [
        lambda x: fh.sum_by(x, "north"),
        lambda x: fh.sum_by(x, [[1] * 10]),
        lambda x: fh.sum_by(x, [[1], [1, 2]]),
        lambda x: fh.sum_by(x, [None, "a"] * 5),
        lambda x: fh.sum_by(x, []),
        lambda x: fh_untyped.sum_by(x, lambda v: v),
    ],
    "given NaN or a missing date as a group": [
        lambda x: fh.sum_by(x, [1.0, float("nan")] * 5),
        lambda x: fh.sum_by(x, np.array(["2020-01-01", "NaT"] * 5, "datetime64[ns]")),
        lambda x: fh.sum_by(x, np.array(["2020-01", "NaT"] * 5, "datetime64[M]")),
        lambda x: fh.sum_by(x, np.array([1, float("nan")] * 5, object)),
    ],
    "the given ones are encrypted": [lambda x: fh_untyped.sum_by(x, x)],
}


@pytest.mark.parametrize(("message", "f"), [(m, f) for m, each in REFUSED.items() for f in each])
def test_what_has_no_statistics_is_told(message: str, f: Callable[[Any], Any]) -> None:
    with pytest.raises(CircuitError) as caught:
        reals(f).trace()
    assert message in f"{caught.value.message}; {caught.value.remedy}"
    assert "test_statistics.py:" in caught.value.message


@pytest.mark.parametrize("f", [fh.mean, fh.var, fh.std, lambda x: x.mean()])
def test_integers_have_sums_alone(f: Callable[[Any], Any]) -> None:
    with pytest.raises(CircuitError, match="of integers is not an integer") as caught:
        fh.app(x=fh.integers(10, low=0, high=9))(lambda x: f(x)).trace()
    assert "fh.sum" in caught.value.remedy
