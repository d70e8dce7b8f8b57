"""The paper's numbers agree with each other, as far as they were rounded."""

import pytest

from fheasible.studies.panthers.printed import PUBLISHED, value

SCHEMES = ("fv", "yashe", "shield", "fntru")


@pytest.mark.parametrize("name", [*SCHEMES, "all"])
def test_a_published_speedup_is_the_ratio_of_the_published_times(name: str) -> None:
    ratio = value(f"table2.{name}.execution") / value(f"table2.{name}.calibration")
    assert ratio == pytest.approx(value(f"table2.{name}.speedup"), abs=0.051)


@pytest.mark.parametrize(("part", "slack"), [("calibration", 0.5), ("execution", 0)])
def test_the_times_of_all_schemes_add_up(part: str, slack: float) -> None:
    total = sum(value(f"table2.{name}.{part}") for name in SCHEMES)
    assert abs(total - value(f"table2.all.{part}")) <= slack


@pytest.mark.parametrize("number", PUBLISHED.values(), ids=lambda n: n.key)
def test_every_number_has_its_place(number: object) -> None:
    assert number.where.startswith(("Table", "Section"))  # type: ignore[attr-defined]
    assert number.text  # type: ignore[attr-defined]
