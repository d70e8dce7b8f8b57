"""Whether inputs share ciphertexts is the search's choice, which it explains, and which a pin may fix."""

from functools import cache

import pytest

import fheasible as fh
from fheasible.calibration.defaults import default_profile
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import WrittenShape, chosen
from fheasible.exploration.judging.pinning import pins_from
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish
from fheasible.exploration.reasons.choices import choice_gains
from fheasible.exploration.reasons.client import for_the_client
from fheasible.exploration.search.search import Exploration, explore
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.program.style import Layout

from .apps import problem

PROFILES = {name: profile for name in CATALOGUE if (profile := default_profile(name)) is not None}
NAMES = "abcdef"
TABLE = fh.table(40, **dict.fromkeys(NAMES, fh.reals(low=-1, high=2)))


@fh.app(t=TABLE)
def variances(t: fh.Table) -> fh.Vector:
    return fh.concatenate([fh.var(t[name]) for name in NAMES])


@fh.app(t=TABLE)
def turnover(t: fh.Table) -> fh.Vector:
    """Sums of products of pairs of columns: a by b, c by d, e by f."""
    return fh.concatenate([fh.sum(t[x] * t[y]) for x, y in zip("ace", "bdf", strict=True)])


@fh.app(x=fh.reals(40, low=0, high=1), y=fh.reals(40, low=0, high=1))
def products(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x * y * y


@fh.app(t=fh.table(40, **dict.fromkeys(NAMES, fh.integers(low=0, high=9))))
def totals(t: fh.Table) -> fh.Vector:
    return fh.concatenate([fh.sum(t[name]) for name in NAMES])


@fh.app(x=fh.reals(40, low=0, high=1), y=fh.reals(30, low=0, high=1))
def unlike(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.sum(x) * fh.sum(y)


@fh.app(t=fh.table(40, **dict.fromkeys("abcd", fh.reals(low=0.1, high=0.9))))
def chaotic(t: fh.Table) -> fh.Vector:
    """Sixty steps of the logistic map, which no ring is deep enough for."""
    columns = [t[name] for name in "abcd"]
    for _ in range(60):
        columns = [3.2 * x * (1 - x) for x in columns]
    return columns[0] + columns[1] - columns[2] - columns[3]


@cache
def on(app: fh.App) -> Problem:
    return problem(app)


@cache
def searched(
    app: fh.App, library: str, layout: str = "", every: bool = False, goal: str = "time"
) -> Exploration:
    libraries = (CATALOGUE[library],)
    pins = pins_from({"layout": layout} if layout else {}, on(app), libraries, Wish().least)
    return explore(on(app), Wish(pins=pins), libraries, PROFILES, every=every)


def best(e: Exploration) -> Candidate:
    assert e.best is not None
    return e.best


def encrypted(c: Candidate) -> int:
    return sum(len(packed.values) for packed in c.program.inputs)


@pytest.mark.parametrize("library", CATALOGUE)
@pytest.mark.parametrize("app", [variances, totals], ids=["reals", "integers"])
def test_statistics_of_every_column_share_a_ciphertext(app: fh.App, library: str) -> None:
    found, apart = best(searched(app, library)), best(searched(app, library, "by_column"))
    assert found.layout is Layout.BY_ROW
    assert encrypted(found) <= 2 < len(NAMES) <= encrypted(apart)
    assert found.figures["score"] < 0.3 * apart.figures["score"]
    assert {c.layout for c in searched(app, library, "side_by_side").candidates} == {Layout.SIDE_BY_SIDE}


@pytest.mark.parametrize("library", CATALOGUE)
def test_columns_that_are_multiplied_in_pairs_share_two_ciphertexts(library: str) -> None:
    found, apart = best(searched(turnover, library)), best(searched(turnover, library, "by_column"))
    assert found.layout is not Layout.BY_COLUMN
    assert (encrypted(found), encrypted(apart)) == (2, 6)
    assert found.figures["score"] < 0.7 * apart.figures["score"]


@pytest.mark.parametrize("library", CATALOGUE)
def test_what_treats_no_inputs_alike_keeps_them_apart(library: str) -> None:
    assert best(searched(products, library)).layout is Layout.BY_COLUMN


def test_less_is_sent_in_one_ciphertext() -> None:
    wish = Wish(objective="communication", requests=1000)
    found = best(explore(on(variances), wish, (CATALOGUE["seal"],), PROFILES))
    assert (found.layout, encrypted(found)) == (Layout.BY_ROW, 1)


@pytest.mark.slow
def test_joined_inputs_are_bootstrapped_together() -> None:
    found, apart = best(searched(chaotic, "lattigo")), best(searched(chaotic, "lattigo", "by_column"))
    assert found.layout is Layout.SIDE_BY_SIDE
    assert 0 < 3 * found.program.bootstrap_count <= apart.program.bootstrap_count
    pinned = best(searched(chaotic, "lattigo", "side_by_side"))
    assert pinned.figures["score"] <= 1.01 * found.figures["score"]


@pytest.mark.slow
@pytest.mark.parametrize("app", [variances, totals], ids=["reals", "integers"])
def test_the_search_finds_the_best_of_all_sets_of_all_layouts(app: fh.App) -> None:
    found, everything = searched(app, "seal"), searched(app, "seal", every=True)
    assert set(everything.kept["layout"]) == {layout.value for layout in Layout}
    assert best(found).figures["score"] <= 1.02 * best(everything).figures["score"]


def test_the_layout_is_a_setting_of_a_run() -> None:
    found = best(searched(variances, "seal"))
    assert found.settings["layout"] == "by_row"
    again = chosen(
        on(variances), CATALOGUE["seal"], found.request, PROFILES["seal"],
        WrittenShape(spare_levels=found.program.spare_levels, layout=Layout.BY_ROW),
    )  # fmt: skip
    assert again.program.operations == found.program.operations
    assert again.settings == found.settings
    assert "layout" not in best(searched(variances, "seal", "by_column")).settings


def test_it_is_told_what_the_client_encrypts_and_what_each_input_alone_would_take() -> None:
    e = searched(variances, "seal")
    inputs, share = for_the_client(best(e))
    assert "6 inputs row by row in 1, not 6" in inputs
    assert share.startswith("The client encrypts 1 ciphertext (")
    (told,) = (line for line in choice_gains(e, best(e), PROFILES["seal"]) if "shared ciphertexts" in line)
    assert told.startswith("Inputs of equal length lie row by row in shared ciphertexts")
    assert told.endswith("ciphertexts instead of 1.")


def test_inputs_that_cannot_be_joined_are_not_searched_so() -> None:
    with pytest.raises(UsageError, match="layout=by_row is not searched") as error:
        pins_from({"layout": "by_row"}, on(unlike), tuple(CATALOGUE.values()), Wish().least)
    assert "by_column" in error.value.remedy
    with pytest.raises(UsageError, match="layout=heap is no layout"):
        pins_from({"layout": "heap"}, on(variances), tuple(CATALOGUE.values()), Wish().least)
    request = best(searched(unlike, "seal")).request
    with pytest.raises(InfeasibleParameters, match="no inputs that can be joined"):
        chosen(on(unlike), CATALOGUE["seal"], request, None, WrittenShape(layout=Layout.BY_ROW))
