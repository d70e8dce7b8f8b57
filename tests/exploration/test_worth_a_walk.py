"""Depth budgets and packings as axes of the space: tried where they may be worth it, told, and made again."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import fheasible as fh
from fheasible.api import listing
from fheasible.api.command import command
from fheasible.calibration.defaults import default_profile
from fheasible.circuit.data import random_data
from fheasible.circuit.load import load
from fheasible.errors import InfeasibleParameters, UsageError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import OURS, chosen, request_from, shape_from
from fheasible.exploration.judging.columns import Columns
from fheasible.exploration.judging.judge import Judge
from fheasible.exploration.problem.problem import Problem
from fheasible.exploration.problem.wish import Wish, bits
from fheasible.exploration.reasons.bounds import bounds
from fheasible.exploration.reasons.choices import choice_gains, choice_of
from fheasible.exploration.search import walk as walking
from fheasible.exploration.search.limits import sizes
from fheasible.exploration.search.search import Exploration, explore
from fheasible.exploration.search.walk import Walk
from fheasible.exploration.search.worth_a_walk import least, score_if
from fheasible.exploration.space.requests import shapes
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.program.style import Style
from fheasible.program.types import Action, Scheme

from .apps import exact, large, problem, real, whole

EXAMPLES = Path(__file__).parents[2] / "examples"
PROFILES = {name: profile for name in CATALOGUE if (profile := default_profile(name))}


@fh.app(x=fh.reals(1000, low=-1, high=1), y=fh.reals(1000, low=-1, high=1))
def inner_product(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return fh.sum(x * y)


@fh.app(x=fh.reals(1000, low=-1, high=1), y=fh.reals(1000, low=-1, high=1))
def products(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    return x * y


@fh.app(x=fh.integers(20_000, low=0, high=9))
def total(x: fh.Vector) -> fh.Vector:
    return fh.sum(x)


@fh.app(x=fh.integers(5000, low=0, high=3000), y=fh.integers(5000, low=0, high=3000))
def long(x: fh.Vector, y: fh.Vector) -> fh.Vector:
    """Up to 2^36: more slots to sum make more noise than a chain without spare levels bears."""
    return fh.sum(x * y)


@fh.app(a=fh.integers(1000, low=0, high=15), b=fh.integers(1000, low=0, high=15))
def inner_product_of_integers(a: fh.Vector, b: fh.Vector) -> fh.Vector:
    return fh.sum(a * b)


@cache
def drawn(app: fh.App) -> Problem:
    circuit = app.trace()
    return Problem(circuit, random_data(circuit, 0), "random data (seed 0)")


def found(app: fh.App, wish: Wish, library: str, scheme: str, every: bool = False) -> Exploration:
    one = replace(CATALOGUE[library], schemes=(scheme,))
    return explore(drawn(app), wish, [one], PROFILES, every=every)


def best(e: Exploration) -> Candidate:
    assert e.best is not None, [r.reason for r in e.rejected]
    return e.best


LARGE = Wish(precision=bits(33))
SENT = Wish(precision=bits(10), objective="communication")
SPARED = [("ckks", large, LARGE, library) for library in CATALOGUE] + [
    ("bgv", exact, Wish(), library) for library in ("seal", "lattigo")
]


# -- spare levels --------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "app", "wish", "library"), SPARED)
def test_a_spare_level_makes_feasible_what_is_not_without(
    monkeypatch: pytest.MonkeyPatch, scheme: str, app: fh.App, wish: Wish, library: str
) -> None:
    c = best(found(app, wish, library, scheme))
    assert c.program.spare_levels == 1
    assert c.settings["spare_levels"] == 1
    assert c.request.depth == c.program.levels == 2
    monkeypatch.setattr(walking, "SPARES", (0,))
    one, again = replace(CATALOGUE[library], schemes=(scheme,)), drawn.__wrapped__(app)
    assert explore(again, wish, [one], PROFILES).best is None  # a known problem has kept what was walked


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "app", "wish", "library"), SPARED)
def test_the_whole_space_has_no_better_set_than_the_one_with_as_few_levels_as_will_do(
    scheme: str, app: fh.App, wish: Wish, library: str
) -> None:
    lean, every = (best(found(app, wish, library, scheme, every)) for every in (False, True))
    assert every.cost(wish.goal) == pytest.approx(lean.cost(wish.goal), rel=1e-6)
    assert every.program.spare_levels == lean.program.spare_levels == 1


@pytest.mark.parametrize("scheme", ["ckks", "bgv", "bfv"])
@pytest.mark.parametrize("library", ["seal", "lattigo"])
def test_no_more_levels_are_tried_where_fewer_do(library: str, scheme: str) -> None:
    of, right = problem(real if scheme == "ckks" else whole), {0: set(), 1: set(), 2: set()}  # type: dict[int, set[tuple[int, ...]]]
    walk = Walk(of, Wish(precision=bits(12)), PROFILES)
    for judged in walk.judged(CATALOGUE[library], scheme):
        rows = judged.feasible.take(judged.feasible["slots"] == 8)
        columns = (rows[name].tolist() for name in ("ring_dimension", "special_limbs", "spare_levels"))
        for ring, special, spare in zip(*columns, strict=True):
            right[spare].add((ring, special))
    assert right[0]
    assert not right[0] & right[1]
    assert not (right[0] | right[1]) & right[2]
    if scheme != "bgv":  # which needs no more here
        assert not right[1] | right[2]


def test_each_depth_budget_is_walked_and_each_packing() -> None:
    lowerings = drawn(inner_product).lowerings()
    ckks, bfv = Style(Scheme.CKKS), Style(Scheme.BFV)
    assert list(shapes(lowerings, ckks, 4096)) == [(0, None), (1, None), (2, None), (0, 512), (0, 256)]
    assert list(shapes(drawn(exact).lowerings(), bfv, 4096)) == [(0, None), (0, 32), (0, 16)]
    both = {(spare, slots) for spare in range(3) for slots in (None, 32, 16)}
    assert set(shapes(drawn(exact).lowerings(), Style(Scheme.BGV), 4096)) == both
    single = fh.app(x=fh.reals(1, low=0, high=1))(lambda x: x * x).trace()
    of = Problem(single, random_data(single, 0), "d").lowerings()
    assert list(shapes(of, ckks, 4096)) == [(spare, None) for spare in range(3)]  # one slot is not split


# -- split vectors -------------------------------------------------------------------------------


@pytest.mark.parametrize(("library", "parts"), [("seal", 2), ("lattigo", 4)])
def test_fewer_keys_are_sent_where_vectors_are_split(library: str, parts: int) -> None:
    """Of Lattigo's best set in halves, quarters would take a hundredth more: they make less noise, and of all
    sets in quarters one has fewer digits."""
    e, slots = found(inner_product, SENT, library, "ckks"), 1024 // parts
    c = best(e)
    assert (c.slots, c.program.slots, c.settings["slots"]) == (slots, slots, slots)
    full = [x for x in e.candidates if x.slots is None]
    assert full
    assert c.cost("communication") < min(x.cost("communication") for x in full)
    assert len(c.program.rotations) == len(full[0].program.rotations) - parts // 2 == 10 - parts // 2
    row = int(np.flatnonzero(e.kept["slots"] == slots)[0])
    assert (e.kept["ciphertexts"][row], e.kept["spare_levels"][row]) == (2 * parts, 0)


@pytest.mark.long
@pytest.mark.parametrize("objective", ["time", "communication", "memory"])
@pytest.mark.parametrize("library", ["seal", pytest.param("lattigo", marks=pytest.mark.slow)])
def test_the_whole_space_has_no_better_packing(library: str, objective: str) -> None:
    wish = replace(SENT, objective=objective)
    lean, every = (best(found(inner_product, wish, library, "ckks", every)) for every in (False, True))
    assert every.cost(wish.goal) == pytest.approx(lean.cost(wish.goal), rel=1e-6)
    assert every.program.slots == lean.program.slots


@pytest.mark.long
@pytest.mark.parametrize(
    ("app", "objective", "library"),
    [
        (
            total,
            "communication",
            "openfhe",
        ),  # half of the ring with another technique, a quarter of the slots
        (long, "time", "seal"),  # no spare level where vectors are split
        (inner_product_of_integers, "communication", "openfhe"),  # fewer digits
    ],
)
def test_the_whole_space_of_bgv_has_no_better_packing(app: fh.App, objective: str, library: str) -> None:
    wish = Wish(objective=objective)
    lean, every = (best(found(app, wish, library, "bgv", every)) for every in (False, True))
    assert every.cost(wish.goal) == pytest.approx(lean.cost(wish.goal), rel=1e-6)
    assert every.slots == lean.slots is not None


@pytest.mark.parametrize(("n", "slots", "levels"), [(4, 16, 2), (8, None, 3)])
def test_products_of_matrices_lie_as_is_cheapest(n: int, slots: int | None, levels: int) -> None:
    """Of 4 x 4, four products of 16 slots take a level less than one of 64; of 8 x 8, one of 512 is best."""
    made = fh.reals((n, n), low=-1, high=1)
    e = found(fh.app(A=made, B=made)(lambda A, B: A @ B), Wish(precision=bits(15)), "seal", "ckks")
    assert (best(e).slots, best(e).program.levels) == (slots, levels)
    assert set(e.kept["slots"].tolist()) == {n**2, n**3}
    told = choice_gains(e, best(e), PROFILES["seal"])
    assert any("sums of products of short vectors" in text for text in told) == (slots is not None)


def test_a_limit_on_keys_is_met_by_splitting() -> None:
    usual = best(found(inner_product, replace(SENT, objective="time"), "lattigo", "ckks"))
    assert usual.slots is None
    least = min(x.figures["key_bytes"] for x in found(inner_product, Wish(), "lattigo", "ckks").candidates)
    e = found(inner_product, Wish(precision=bits(10), max_key_bytes=int(0.9 * least)), "lattigo", "ckks")
    assert best(e).slots in (256, 512)
    assert all(x.figures["key_bytes"] <= 0.9 * least for x in e.candidates)


@pytest.mark.long
@pytest.mark.parametrize(
    ("scheme", "limit"), [("ckks", "key_bytes"), ("bgv", "key_bytes"), ("bgv", "peak_bytes")]
)
def test_a_limit_that_keeps_the_first_choice_out_is_met_by_another_key_switching_and_a_split(
    scheme: str, limit: str
) -> None:
    app, field = inner_product_of_integers, {"key_bytes": "max_key_bytes", "peak_bytes": "max_bytes"}[limit]
    e = found(app, Wish(), "openfhe", scheme)
    full = [x.figures[limit] for x in e.candidates if x.slots is None]
    least = int(0.97 * min(full))
    c = best(found(app, replace(Wish(), **{field: least}), "openfhe", scheme))
    assert c.slots in (256, 512)
    assert c.figures[limit] <= least


@pytest.mark.long
def test_vectors_are_split_in_every_technique_that_a_limit_on_keys_keeps_out() -> None:
    deviation = load(str(EXAMPLES / "2_std_dev.py"))
    wish = Wish(precision=bits(15), max_key_bytes=134 * 2**20)
    c = best(found(deviation, wish, "openfhe", "ckks"))
    assert (c.parameters.technique, c.slots) == ("fixedmanual", 8192)  # others take 1.6 times the time


@pytest.mark.parametrize("library", ["seal", "lattigo"])
def test_splits_are_priced_in_a_smaller_ring_that_refuses_the_sizes_of_the_best_set(library: str) -> None:
    """Half of the slots take twice the operations, on half of the coefficients, with as many primes."""
    walk = Walk(drawn(inner_product), Wish(precision=bits(16)), PROFILES)
    rows = least(
        Columns.empty(), next(j.feasible for j in walk.judged(CATALOGUE[library], "ckks") if len(j.feasible))
    )
    n, slots = int(rows["ring_dimension"][0]), int(rows["slots"][0])
    judge = walk.judge(CATALOGUE[library], "ckks", walk.wish)
    sized = walk._choice(int(rows.places[0]), *sizes(rows, 0))
    assert score_if(judge, replace(sized, ring_dimension=n // 2), walk.wish) == np.inf
    shares = [walk._share_if_split(judge, rows, n // 2, slots // parts) for parts in (1, 2, 4)]
    assert 0.2 < shares[0] < shares[1] < shares[2] < 4
    assert shares[1] == pytest.approx(walk._share_if_split(judge, rows, n, slots // 2) / 2, rel=0.3)


def test_nothing_is_split_where_no_slots_move() -> None:
    walk = Walk(drawn(products), SENT, PROFILES)
    list(walk.judged(CATALOGUE["lattigo"], "ckks"))
    assert all(choice.slots is None for _, choice in walk.choices)


# -- told, and made again ------------------------------------------------------------------------

UNUSUAL = [*SPARED, ("ckks", inner_product, SENT, "seal"), ("ckks", inner_product, SENT, "lattigo")]


@pytest.mark.parametrize(("scheme", "app", "wish", "library"), UNUSUAL)
def test_the_shown_settings_and_the_choice_make_the_set_again(
    scheme: str, app: fh.App, wish: Wish, library: str
) -> None:
    of, c = drawn(app), best(found(app, wish, library, scheme))
    shown = {k: v for k, v in c.settings.items() if k not in ("depth", "security")}
    typed = {k: ",".join(map(str, v)) if isinstance(v, tuple) else str(v) for k, v in shown.items()}
    ours = {k: typed.pop(k) for k in OURS if k in typed}
    shape = shape_from(of, ours, wish.least, scheme)
    again = chosen(of, CATALOGUE[library], request_from(scheme, typed, 128), PROFILES[library], shape)
    judged = Judge(of, CATALOGUE[library], scheme, wish, PROFILES[library])(choice_of(c))
    assert isinstance(judged, Candidate)
    for other in (again, judged):
        assert other.program is c.program
        assert (other.parameters.q, other.parameters.p) == (c.parameters.q, c.parameters.p)
        assert other.slots == c.slots
    assert all(f"--param {name}={value}" in " ".join(command("a.py", c, 999)) for name, value in ours.items())


@pytest.mark.parametrize(("scheme", "app", "wish", "library"), UNUSUAL)
def test_what_is_unusual_is_told_with_what_it_buys(
    scheme: str, app: fh.App, wish: Wish, library: str
) -> None:
    e = found(app, wish, library, scheme)
    c, told = best(e), " ".join(choice_gains(e, best(e), PROFILES[library]))
    if c.slots:
        assert f"split to {c.slots} slots" in listing.settings(c)
        assert f"Vectors are split into {1024 // c.slots} ciphertexts of {c.slots} slots" in told
        assert "1 ciphertext of 1024 slots would take" in told
    else:
        assert "1 spare level" in listing.settings(c)
        assert "Results keep 1 level to make room" in told
        assert "With 0, no set fits: " in told
        assert ("values reach" if scheme == "ckks" else "the noise exceeds") in told
    if scheme == "ckks":
        left = sum(np.log2(float(q)) for q in c.parameters.q[: 1 + c.program.spare_levels])
        named = "remaining modulus" if c.program.spare_levels else "first modulus"
        assert f"The {named} has {left:.0f} bits" in " ".join(bounds(e, c))
    told_json = c.to_json(True)["request"]
    assert {k: told_json.get(k) for k in ("slots", "spare_levels")} == {
        "slots": c.slots, "spare_levels": c.program.spare_levels or None,
    }  # fmt: skip


def test_what_full_slots_would_take_is_told_of_the_best_that_fills_them() -> None:
    e = found(inner_product_of_integers, Wish(objective="communication"), "lattigo", "ckks")
    c, told = best(e), " ".join(choice_gains(e, best(e), PROFILES["lattigo"]))
    assert c.slots == 512
    full = min((x for x in e.candidates if x.slots is None), key=lambda x: x.cost("communication"))
    assert full.parameters.ring_dimension == c.parameters.ring_dimension  # with primes of its own
    ratios = (full.cost(aim) / c.cost(aim) for aim in ("time", "communication"))
    time, sent = (
        f"{ratio:.2f} times the {aim}" for ratio, aim in zip(ratios, ("time", "communication"), strict=True)
    )
    assert f"1 ciphertext of 1024 slots would take {time} and {sent} and keys of" in told


def test_the_usual_is_not_told() -> None:
    e = found(products, SENT, "lattigo", "ckks")
    c = best(e)
    assert not {"slots", "spare_levels"} & set(c.settings)
    assert "split" not in listing.settings(c)
    assert "level" not in listing.settings(c)
    assert not any("Vectors are split" in text or "Results keep" in text for text in choice_gains(e, c, None))


@pytest.mark.parametrize(
    ("scheme", "ours", "reason"),
    [
        ("ckks", {"slots": "100"}, "not a power of two"),
        ("ckks", {"slots": "0"}, "not a whole number from 1"),
        ("ckks", {"slots": "half"}, "not a whole number"),
        ("bgv", {"spare_levels": "-1"}, "not a whole number from 0"),
        ("bfv", {"spare_levels": "1"}, "BFV has no levels"),
    ],
)
def test_what_cannot_be_is_refused(scheme: str, ours: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        shape_from(problem(real if scheme == "ckks" else whole), ours, bits(10), scheme)


def test_more_slots_than_there_are_is_refused_and_more_than_are_filled_is_not() -> None:
    of, seal = drawn(inner_product), CATALOGUE["seal"]
    request = request_from("ckks", {"ring_dimension": "8192"}, 128)
    with pytest.raises(InfeasibleParameters, match="N = 8192 has 4096") as caught:
        chosen(of, seal, request, None, shape_from(of, {"slots": "8192"}, bits(10), "ckks"))
    assert "ring_dimension=16384" in caught.value.remedy
    usual = chosen(of, seal, request, None)
    roomy = chosen(of, seal, request, None, shape_from(of, {"slots": "4096"}, bits(10), "ckks"))
    assert roomy.program is usual.program
    assert roomy.slots is None
    assert "slots" not in roomy.settings


def test_spare_levels_of_zero_and_a_part_of_the_slots_are_as_they_are_told() -> None:
    of, seal = drawn(inner_product), CATALOGUE["seal"]
    shape = shape_from(of, {"slots": "64", "spare_levels": "2"}, bits(10), "ckks")
    c = chosen(of, seal, request_from("ckks", {"ring_dimension": "16384"}, 128), None, shape)
    assert (c.program.slots, c.program.levels, c.parameters.limbs) == (64, 3, 4)
    assert sum(o.action is Action.ENCRYPT for o in c.program.operations) == 2 * 16
    assert len(c.program.rotations) == 6
