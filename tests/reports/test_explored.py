"""The page of an exploration says what is stored, and its figures show it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimation.profiles import invented
from fheasible.errors import UsageError
from fheasible.estimation.features import Shape
from fheasible.estimation.profile import TimedShape
from fheasible.libraries.layout import Layout, Task
from fheasible.reports import (
    charts,
    cloud,
    explored_figures,
    explored_front,
    explored_page,
    explored_runs,
    explored_sections,
    html,
)
from fheasible.reports.explored import Told
from fheasible.reports.explored_page import render, report
from fheasible.reports.figures import Cloud, Dot, FigurePart, Stacks, Strip, Strips
from fheasible.reports.meanings import KINDS
from fheasible.reports.page import Folded, Table
from fheasible.reports.theme import NARROW

from .elements import Elements, loads
from .explored import CONTENT, MIB, ROWS, row, run, stored

Json = dict[str, Any]


def told(**changes: Any) -> Told:
    return Told(stored(**changes))


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages whose words alone matter: drawing takes seconds."""
    monkeypatch.setattr(html, "_frames", lambda _: "")


# -- the front -----------------------------------------------------------------------------------


def test_sets_of_one_time_and_memory_share_a_place_and_the_recommended_one_is_shown() -> None:
    found = explored_front.shown(told())
    assert [(r["library"], r["alike"]) for r in found] == [
        ("lattigo", 2),
        ("seal", 1),
        ("openfhe", 1),
        ("openfhe", 1),
    ]
    assert found[0]["scale_bits"] == 27


def test_where_nothing_is_recommended_a_place_shows_its_most_precise_set() -> None:
    assert explored_front.shown(told(candidates=[]))[0]["scale_bits"] == 28


def test_the_recommendation_is_found_by_its_parameters() -> None:
    subject = told()
    rows = explored_front.shown(subject)
    assert explored_front.recommended(subject, rows) == 0
    assert explored_front.recommended(subject, rows[1:]) is None
    for change in ({"log_qp": 430.0}, {"cpu_seconds": 1.02}, {"digits": 3}, {"scale_bits": 26.0}):
        assert explored_front.recommended(subject, [rows[0] | change]) is None


def test_dots_are_time_and_memory_with_precision_as_shade_and_none_for_exact_sets() -> None:
    found = told()
    drawn = explored_front.pareto(found, explored_front.shown(found))
    assert drawn is not None
    assert [(d.x, d.y, d.kind, d.shade, d.edge) for d in drawn.dots] == [
        (1.0, 400.0, "Lattigo CKKS", 19.0, True),
        (1.5, 800.0, "SEAL CKKS", 22.0, True),
        (2.0, 200.0, "OpenFHE BFV", None, True),
        (3.0, 500.0, "OpenFHE CKKS", 25.0, False),
    ]
    assert (drawn.chosen, drawn.x_label[-3:]) == (0, "(s)")
    assert "Bold edges (3 of 4)" in drawn.note
    assert (
        "The stronger its colour, the more precise a set is; those of exact sets are strongest." in drawn.note
    )


def test_ties_of_the_answer_have_a_ring_and_a_word() -> None:
    best, other = CONTENT["candidates"]
    tied = told(candidates=[best | {"tie": False}, other | {"tie": True}])
    rows = explored_front.shown(tied)
    assert explored_front.tied(tied, rows) == {2}
    drawn = explored_front.pareto(tied, rows)
    assert drawn is not None
    assert [d.tie for d in drawn.dots] == [False, False, True, False]
    assert drawn.dots[2].label.endswith(", a tie")
    assert "Thin rings: as good as the recommended set" in drawn.note
    layers = [layer.get("name") for layer in charts.chart(drawn).to_dict()["layer"]]
    assert layers == ["front", "ties", "sets", "chosen", "word"]
    none = explored_front.pareto(told(), explored_front.shown(told()))
    assert none is not None
    assert "Thin rings" not in none.note
    assert not any(d.tie for d in none.dots)


def test_without_times_there_is_no_cloud() -> None:
    untimed = told(rows=[r | {"cpu_seconds": None} for r in ROWS])
    assert explored_front.pareto(untimed, explored_front.shown(untimed)) is None


def test_of_too_many_places_the_front_stays_and_then_the_quickest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explored_front, "MOST_DOTS", 3)
    rows = [row("seal", 0.1 * (i + 1), 10 * i + 10, pareto=i >= 4) for i in range(6)]
    found = explored_front.shown(told(rows=rows))
    assert [round(10 * r["cpu_seconds"]) for r in found] == [1, 5, 6]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=12))
def test_the_dashed_steps_have_less_memory_than_everything_quicker(places: list[tuple[int, int]]) -> None:
    dots = [Dot(x, y, "SEAL", "") for x, y in places]
    kept = [(d.x, d.y) for d in cloud.least(dots)]
    best = {(x, y) for x, y in places if not any(a <= x and b <= y and (a, b) != (x, y) for a, b in places)}
    assert kept == sorted(best)


@pytest.mark.parametrize(
    ("at", "dots", "side"),
    [
        ((0.5, 0.5), (), (True, -22)),
        ((0.95, 0.5), (), (False, -22)),
        ((0.5, 0.97), (), (True, 22)),
        ((0.97, 0.97), (), (False, 22)),
        ((0.5, 0.5), ((0.55, 0.55),), (True, 22)),
        ((0.5, 0.5), ((0.55, 0.55), (0.55, 0.45)), (False, -22)),
        ((0.5, 0.5), ((0.55, 0.55), (0.55, 0.45), (0.45, 0.55), (0.45, 0.45)), (True, 0)),
    ],
)
def test_the_word_stands_where_it_hides_nothing(at: Any, dots: Any, side: tuple[bool, int]) -> None:
    place = cloud._room(at, dots, charts.BROAD)
    assert (place.right, place.down) == side


# -- the other figures ---------------------------------------------------------------------------


def test_time_is_stacked_by_operation_and_by_kernel_without_key_generation() -> None:
    by_operation, by_kernel = explored_figures.times(told())
    assert by_operation.title == "Rotate takes 60% of the recommended set's time"
    assert by_operation.names == ("1. Lattigo CKKS, 2^14", "2. OpenFHE BFV, 2^14")
    found = {part.name: part.values for part in by_operation.parts}
    assert found["rotate"] == pytest.approx((0.6, 1.7))
    assert found["mul plain"] == pytest.approx((0.1, 0))
    assert by_operation.words == ("1.00 s", "2.00 s")
    assert by_kernel.title == "Forward takes 70% of the time of all kernels (transforms to NTT domain)"
    assert {part.name: part.values for part in by_kernel.parts}["reads"] == pytest.approx((0.3, 0.1))


@settings(max_examples=30)
@given(st.lists(st.floats(0, 9), min_size=12, max_size=12).filter(lambda v: sum(v) > 0.1))
def test_what_is_left_over_makes_each_bar_whole(spent: list[float]) -> None:
    parts = [["evaluate", f"action{i}", "forward", s] for i, s in enumerate(spent)]
    taken = {"time": [{"candidate": 0, "parts": parts}]}
    by_operation, _ = explored_figures.times(told(details=CONTENT["details"] | taken))
    factor = 1 if by_operation.value_label.endswith("(s)") else 1000
    assert len(by_operation.parts) == explored_figures.MOST_PARTS
    assert sum(p.values[0] for p in by_operation.parts) == pytest.approx(factor * sum(spent))


def test_parts_that_are_drawn_are_the_largest_of_any_bar_however_short_the_bar() -> None:
    long = [["evaluate", f"action{i}", "forward", 5.0 + i] for i in range(9)]
    short = [["evaluate", "own", "forward", 0.5], ["evaluate", "action8", "forward", 0.1]]
    taken = {"time": [{"candidate": 0, "parts": short}, {"candidate": 1, "parts": long}]}
    by_operation, _ = explored_figures.times(told(details=CONTENT["details"] | taken))
    assert by_operation.parts[0].name == "own"
    assert by_operation.title == "Own takes 83% of the recommended set's time"


def test_each_kernel_stands_in_its_table_with_what_it_does() -> None:
    table, figure = explored_sections.time(told()).blocks[-2:]
    assert isinstance(table, Folded)
    assert isinstance(figure, Folded)
    assert isinstance(figure.content, Stacks)
    assert isinstance(table.content, Table)
    assert table.content.columns[:2] == ("kernel", "meaning")
    assert [row[:2] for row in table.content.rows] == [
        ("forward", "transforms to NTT domain"),
        ("reads", "reads of 8n bytes"),
    ]


def test_memory_is_drawn_from_the_keys_on_while_each_operation_runs() -> None:
    drawn = explored_figures.memory(told())
    assert drawn is not None
    (series,) = drawn.series
    assert series.x == pytest.approx((0, 200, 800, 900))
    assert series.y == (250, 400, 300, 300)
    assert drawn.x_label.endswith("(ms)")
    assert "400 MiB; 60% is in use before it computes" in drawn.title


def test_precision_over_scale_marks_the_recommendation_and_what_was_asked() -> None:
    drawn = explored_figures.scale_precision(told())
    assert drawn is not None
    found = {s.name: (s.x, s.y) for s in drawn.series}
    assert found["recommended"] == ((27,), (16.0,))
    assert found["asked: 15 bit"] == ((26, 31), (15.0, 15.0))
    assert drawn.title == "Lattigo CKKS: beyond a scale of 28 bits, precision stays at 18 bits"


def test_no_bits_are_asked_of_integers_nor_where_an_error_was() -> None:
    for change in ({"real": False}, {"least": {"measure": "absolute", "value": 1e-4}}):
        drawn = explored_figures.scale_precision(told(**change))
        assert drawn is not None
        assert not any(s.name.startswith("asked") for s in drawn.series)


def test_rings_over_scale_name_the_largest_scale_of_the_smallest_ring() -> None:
    drawn = explored_figures.scale_rings(told())
    assert drawn is not None
    assert (
        drawn.title
        == "Lattigo CKKS with 3 special primes: a scale above 27 bits takes a ring larger than 2^14"
    )
    (strip,) = drawn.strips
    assert strip.cells == tuple(zip(range(26, 32), ["2^14"] * 2 + ["2^15"] * 4, strict=True))
    assert strip.chosen == 27


def test_runs_of_other_programs_are_left_out_and_the_newest_of_each_request_is_kept() -> None:
    subject = told()
    assert [m.id for m in explored_runs.of(subject, [run(9), run(4)])] == [9]
    assert explored_runs.of(told(programs=[]), [run()]) == []


def test_errors_are_of_the_prediction_over_the_measurement_with_the_calibrations_band() -> None:
    found = explored_runs.errors_of([run(38, total=1.25)])
    assert found[-1] == ("Lattigo CKKS, 2^14, run 38: total", pytest.approx(-0.2), 0.05)
    drawn = explored_figures.measured(found)
    # 1.0 s against 1.25 s; that of the evaluation is off by more, 0.7 s against 0.95 s
    assert drawn.title == "The predicted time of a whole run is within 20 % of what was measured"
    assert "3 of 5 figures" in drawn.note
    assert drawn.bands[0] == (-5.0, 5.0)


def test_residuals_are_of_the_fit_over_what_was_calibrated_key_generation_apart() -> None:
    profile = invented("seal")
    shapes = [
        Shape(4096, Layout("seal", "ckks", 3, 1, 3), Task(action, 1)) for action in ("rotate", "keygen")
    ]
    points = tuple(TimedShape(shape, 2 * profile.seconds(shape)) for shape in shapes)
    drawn = explored_runs.residuals([replace(profile, points=points), invented("lattigo")])
    assert drawn is not None
    (series,) = drawn.series
    assert (series.name, len(series.x)) == ("SEAL", 1)
    assert series.y[0] / series.x[0] == pytest.approx(0.5)
    assert drawn.title == "Calibrations explain their own runs within 50.0 % (SEAL) on average"
    assert explored_runs.residuals([invented("lattigo")]) is None


def test_prices_leave_out_what_is_no_coefficients() -> None:
    drawn = explored_figures.prices(CONTENT["profiles"])
    assert drawn is not None
    assert drawn.names == ("forward", "reads")
    assert drawn.title == "A butterfly of a transform costs 1.5 ns"
    assert explored_figures.prices({}) is None


def test_libraries_are_beside_each_other_with_the_recommended_one_first() -> None:
    drawn = explored_figures.libraries(told())
    assert drawn is not None
    assert drawn.names == ("Lattigo CKKS, N = 2^14", "OpenFHE BFV, N = 2^14")
    assert drawn.words == ("1.00 s, 400 MiB, 19.0 bit", "2.00 s, 200 MiB, exact")
    assert {one.name: one.values for one in drawn.marks} == {"Lattigo": (1.0, None), "OpenFHE": (None, 2.0)}
    assert drawn.title == "Lattigo CKKS is recommended; the other takes 2.00 times its time"


def test_one_library_alone_is_said_to_be_so_and_memory_takes_the_place_of_unknown_times() -> None:
    alone = explored_figures.libraries(told(candidates=CONTENT["candidates"][:1]))
    assert alone is not None
    assert alone.title == "Only Lattigo CKKS does what was asked"
    assert explored_figures.libraries(told(candidates=CONTENT["candidates"][:1], rejected=[])) is None
    phases = dict.fromkeys(("keygen", "encrypt", "evaluate", "decrypt", "total"))
    untimed = [c | {"estimate": c["estimate"] | {"cpu_seconds": phases}} for c in CONTENT["candidates"]]
    drawn = explored_figures.libraries(told(candidates=untimed))
    assert drawn is not None
    assert drawn.words == ("400 MiB, 19.0 bit", "200 MiB, exact")
    assert drawn.title == "Lattigo CKKS is recommended; its memory beside the others'"
    assert explored_figures.libraries(told(candidates=[])) is None


# -- the page ------------------------------------------------------------------------------------


def test_the_page_tells_the_recommendation_its_why_and_what_is_out(page: str) -> None:
    text = " ".join(Elements(page).text)
    for words in (
        "std_dev: Lattigo CKKS, N = 2^14",
        "std_dev: 65,536 encrypted reals in [0, 1] -> 1 real",
        "return fh.sqrt(fh.mean((x - fh.mean(x)) ** 2))",
        "the least time of 449 feasible sets",
        "fheasible verify std_dev.py",
        "1.00 s",
        "400 MiB",
        "19.0 bit",
        "128 bit",
        "N = 2^14: 11 levels take log2 QP = 429.",
        "BGV (SEAL and Lattigo): std_dev needs real numbers.",
        "security of 128 bits or more and precision >= 15 bits",
        "803 parameter sets were explored in 500 ms, 449 are feasible",
        "--param scale_bits=27",
        "Some CPU",
    ):
        assert words in text


@pytest.mark.usefixtures("undrawn")
def test_the_page_tells_every_limit_the_objective_and_what_it_counts_by() -> None:
    made = stored()
    wish = {
        "max_seconds": 2.5, "max_bytes": 3 * 2**30, "max_ciphertext_bytes": 4 * MIB,
        "max_key_bytes": 5 * MIB, "objective": "communication", "requests": 1000, "price_gib": 0.5,
    }  # fmt: skip
    made = replace(made, explored=replace(made.explored, wish=made.explored.wish | wish))
    best = CONTENT["candidates"][0] | {"figures": {"communication": 6.0 * MIB}}
    made.explored.content["candidates"][0] = best
    text = " ".join(Elements(render(report(made, [], {}))).text)
    assert (
        "Asked: security of 128 bits or more, precision >= 15 bits, time <= 2.50 s, memory <= 3.00 GiB, "
        "ciphertext <= 4.00 MiB and keys <= 5.00 MiB; least communication first (1,000 requests under one "
        "key set, 0.5 a GiB)." in text
    )
    assert "traffic 6.00 MiB per request, including 1/1,000 of the keys" in " ".join(text.split())


def columns(page: str) -> set[str]:
    return set(re.findall(r"<button type=\"button\">(.*?)</button></th>", page))


def test_columns_in_which_all_sets_agree_are_told_below_the_table(page: str) -> None:
    assert {"technique", "digits", "alike"} < columns(page)
    assert not {"slots", "order", "log2 QP"} & columns(page)
    text = " ".join(" ".join(Elements(page).text).split())
    told = text.split("The same in all sets: ")[1].split(".  On paper")[0]
    for words in ("ciphertext 3.00 MiB", "keys 200 MiB", "log2 QP 429 bit", "limbs 12", "slots 8,192"):
        assert words in told


def test_every_column_of_the_table_that_is_no_plain_word_is_explained(page: str) -> None:
    text = " ".join(Elements(page).text)
    for name in columns(page) - {"set", "library", "scheme"}:
        assert f"{name} {explored_page.TERMS[name]}" in " ".join(text.split())
    assert set(explored_page.SETS) - set(explored_page.TERMS) == {"set", "library", "scheme"}


def test_the_page_is_one_file_that_fetches_nothing(page: str) -> None:
    assert loads(page) == []
    assert all(name.startswith("#") for name in re.findall(r"url\(([^)]*)", page))
    assert "@import" not in page
    assert "default-src 'none'" in page
    assert set(re.findall(r"https?://[^\"'\s]+", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_each_figure_is_named_for_those_who_do_not_see_it(page: str) -> None:
    found = Elements(page).found
    names = {a["id"] for _, a in found if (a.get("id") or "").startswith("figure-")}
    pictures = [a for _, a in found if a.get("class") == "picture"]
    assert len(pictures) == 9
    assert {a["aria-labelledby"] for a in pictures} == names


def test_no_two_things_have_one_name(page: str) -> None:
    """Two drawings with a gradient of one name would show the first one's."""
    names = [a["id"] for _, a in Elements(page).found if "id" in a]
    assert len(names) == len(set(names))
    assert set(re.findall(r"url\(#([^)]*)", page)) <= set(names)


def test_every_set_has_a_row_that_says_all_in_words(page: str) -> None:
    rows = re.findall(r'<tr id="set-\d+".*?</tr>', page, re.DOTALL)
    cells = [re.findall(r"<td[^>]*>(.*?)</td>", r) for r in rows]
    assert len(cells) == 4
    assert cells[0][:10] == [
        "1 ★", "Lattigo", "CKKS", "-", "2^14", "1.00 s", "400 MiB", "19.0 bit", "128 bit", "yes",
    ]  # fmt: skip
    assert cells[2][7] == "exact"
    assert cells[0][-1] == "2"


@pytest.mark.usefixtures("undrawn")
def test_the_order_of_products_is_a_column_where_sets_differ_in_it() -> None:
    """Two sets of one time and memory are two in the table, if their orders differ."""

    def cells(rows: Sequence[Json]) -> list[list[str]]:
        page = render(report(stored(rows=rows), [], {}))
        told = re.findall(r'<tr id="set-\d+".*?</tr>', page, re.DOTALL)
        names = re.findall(r"<button type=\"button\">(.*?)</button></th>", page)
        assert (f"<dt>order</dt><dd>{explored_page.TERMS['order']}</dd>" in page) == ("order" in names)
        return [names, *(re.findall(r"<td[^>]*>(.*?)</td>", r) for r in told)]

    names, *_ = cells(ROWS)
    assert "order" not in names
    names, *sets = cells([*ROWS, ROWS[0] | {"as_written": True}])
    orders = [one[names.index("order")] for one in sets]
    assert sorted(orders) == ["as written", *["least depth"] * 4]
    assert all(len(one) == len(names) for one in sets)


def test_a_recommended_set_of_integers_is_found_whatever_size_of_primes_was_asked() -> None:
    best, other = CONTENT["candidates"]
    integers = other | {"request": other["request"] | {"scale_bits": 42}}
    subject = told(candidates=[integers, best])
    assert integers["scheme"] == "bfv"
    assert explored_front.recommended(subject, explored_front.shown(subject)) == 2


def test_the_recommended_set_is_that_of_its_order_of_products() -> None:
    subject = told()
    rows = explored_front.shown(subject)
    assert explored_front.recommended(subject, [rows[0] | {"as_written": True}]) is None
    assert explored_front.recommended(subject, [rows[0] | {"as_written": True}, rows[0]]) == 1


def test_where_nothing_fits_the_page_says_so_and_why() -> None:
    nothing = {
        "candidates": [],
        "why": [],
        "command": [],
        "details": {"time": [], "memory": [], "scales": []},
    }
    text = " ".join(Elements(render(report(stored(rows=[], **nothing), [], {}))).text)
    assert "std_dev: nothing fits" in text
    assert "No parameter set of any library fits what was asked." in text
    assert "BGV (SEAL and Lattigo)" in text
    assert "Times are unknown" not in text  # a profile would not help


@pytest.mark.usefixtures("undrawn")
def test_where_nothing_was_run_the_page_names_the_command_that_does() -> None:
    text = " ".join(Elements(render(report(stored(), [], {}))).text)
    assert "No run of these programs is stored. fheasible verify" in text


@pytest.mark.usefixtures("undrawn")
def test_without_a_profile_the_page_has_no_times_and_says_how_to_have_some() -> None:
    phases = dict.fromkeys(("keygen", "encrypt", "evaluate", "decrypt", "total"))
    best = CONTENT["candidates"][0]
    untimed = best | {"estimate": best["estimate"] | {"cpu_seconds": phases, "error_band": None}}
    traced = [CONTENT["details"]["memory"][0] | {"seconds": None}]
    made = stored(
        rows=[r | {"cpu_seconds": None} for r in ROWS],
        candidates=[untimed],
        profiles={},
        details={"time": [], "memory": traced, "scales": []},
    )
    found = report(made, [], {})
    text = " ".join(Elements(render(found)).text)
    assert found.front is None
    assert "The times of the sets that fit are unknown" in text
    assert "Times are unknown without a profile. Remedy: fheasible calibrate" in text
    assert "No CKKS set fits, so there is no scale to choose: integers are exact." in text
    drawn = explored_figures.memory(found.told)
    assert drawn is not None
    assert (drawn.x_label, drawn.series[0].x) == ("operations done", (0, 1, 2, 3))


@pytest.mark.usefixtures("undrawn")
def test_what_is_stored_is_escaped() -> None:
    evil = "</script><script>alert('1')</script><img src=x>"
    page = render(report(stored(why=[evil], command=[evil], data=evil, warnings=[evil]), [], {}))
    assert [tag for tag, _ in Elements(page).found if tag in ("script", "img")] == ["script"]
    assert page.count("&lt;img src=x&gt;") == 4


def test_figures_have_names_by_their_sections() -> None:
    assert set(report(stored(), [run()], {}).drawings) == {
        "libraries", "time-and-memory", "where-the-time-goes-1", "where-the-time-goes-2", "memory-over-time",
        "precision-over-scale", "ring-dimension-over-scale", "predicted-against-measured", "calibration",
    }  # fmt: skip


@pytest.mark.long
def test_the_new_kinds_of_figures_are_written_as_pictures(tmp_path: Path) -> None:
    found = told()
    front = explored_front.pareto(found, explored_front.shown(found))
    rings = explored_figures.scale_rings(found)
    for name, figure in (("front", front), ("time", explored_figures.times(found)[0]), ("rings", rings)):
        assert figure is not None
        charts.write(figure, tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


# -- the kinds of figures ------------------------------------------------------------------------


def test_a_cloud_needs_positive_dots_and_a_stack_a_value_for_each_bar() -> None:
    with pytest.raises(UsageError, match="not positive"):
        Cloud("t", "x", "y", "z", (Dot(0, 1, "SEAL", ""),))
    for values in ((1.0,), (1.0, -1.0)):
        with pytest.raises(UsageError, match="at least 0 for each of 2 bars"):
            Stacks("t", "x", ("a", "b"), (FigurePart("p", values),))
    with pytest.raises(UsageError, match="more than one"):
        Strips("t", "x", (Strip("a", ((1, "v"),)), Strip("a", ((1, "v"),))))


def test_each_dot_is_drawn_in_order_with_its_words_and_exact_ones_as_dark_as_the_most_precise() -> None:
    dots = tuple(Dot(i + 1.0, 10.0 + i, "SEAL", f"set {i}", None if i == 1 else 15.0 + i) for i in range(3))
    for frame in (charts.BROAD, NARROW):
        drawn = charts.svg(Cloud("t", "x", "y", "bits", dots, 0), frame=frame)
        marks = re.search(r'class="[^"]*sets_marks".*?</g>', drawn, re.DOTALL)
        assert marks is not None
        found = re.findall(
            r'<path aria-label="(set \d)".*?fill="([^"]+)"(?: fill-opacity="([^"]+)")?', marks[0]
        )
        assert [label for label, _, _ in found] == ["set 0", "set 1", "set 2"]
        assert {fill for _, fill, _ in found} == {KINDS["SEAL"]}
        assert [float(dark or 1) for _, _, dark in found] == pytest.approx([0.2, 1, 1])
        assert ">recommended<" in drawn


def test_runs_of_one_value_are_one_bar() -> None:
    cells = tuple((x, "2^14" if x < 30 else "2^15") for x in range(20, 40))
    drawn = charts.svg(Strips("t", "scale (bit)", (Strip("SEAL", cells, 25),)))
    assert re.findall(r'aria-label="(SEAL, [^"]+)"', drawn) == [
        "SEAL, 20 to 29: 2^14",
        "SEAL, 30 to 39: 2^15",
    ]


def test_memory_in_bytes_is_shown_in_mib() -> None:
    drawn = explored_figures.memory(told())
    assert drawn is not None
    assert max(drawn.series[0].y) * MIB == CONTENT["details"]["memory"][0]["peak_bytes"]
