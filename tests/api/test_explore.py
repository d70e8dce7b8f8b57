"""fh.explore: the command line's answer as objects and as a dataframe; what cannot be meant; silence."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow.interchange import from_dataframe
from threadpoolctl import threadpool_info, threadpool_limits

import fheasible as fh
from api.apps import dot, squares
from fheasible.api.html import fragment
from fheasible.cli.main import main
from fheasible.errors import DataError, FheasibleError, UnknownName, UsageError
from fheasible.exploration.judging.columns import NAMES
from fheasible.exploration.search.search import Rejected

HERE = Path(__file__).with_name("apps.py")


@pytest.fixture(scope="module")
def answer(place: Path) -> fh.Answer:
    return fh.explore(dot, libraries=["seal", "lattigo"], store=place)


def told(capfd: Any, place: Path, *words: str) -> Any:
    capfd.readouterr()
    main([*words, "--store", str(place)])
    return capfd.readouterr().out


def steady(document: Any) -> Any:
    """Without the time that it took."""
    return {name: value for name, value in document.items() if name != "seconds"}


def test_it_is_the_answer_of_the_command_line(capfd: Any, place: Path) -> None:
    words = ("explore", f"{HERE}:squares", "--library", "seal", "--precision", "absolute:1e-3", "--seed", "3")
    by_hand = json.loads(told(capfd, place, *words, "--objective", "communication", "--json"))
    answer = fh.explore(
        squares, precision="absolute:1e-3", libraries="seal", objective="communication", seed=3, store=place
    )
    assert steady(answer.to_json()) == steady(by_hand)
    best = by_hand["candidates"][0]
    assert answer.best is not None
    assert answer.best.library == best["library"] == "seal"
    assert answer.best.ring_dimension == best["parameters"]["ring_dimension"]
    assert answer.best.seconds == best["estimate"]["cpu_seconds"]["total"]
    assert answer.best.peak_bytes == best["estimate"]["peak_bytes"]
    assert answer.best.precision_bits == best["estimate"]["precision_bits"]
    assert list(answer.best.primes) == best["parameters"]["primes"]
    assert [c.request["scale_bits"] for c in answer.candidates] == [
        c["request"]["scale_bits"] for c in by_hand["candidates"]
    ]


def test_it_is_told_in_the_words_of_the_command_line(capfd: Any, place: Path) -> None:
    shown = told(capfd, place, "explore", f"{HERE}:dot", "--library", "seal")
    answer = str(fh.explore(f"{HERE}:dot", libraries="seal", store=place))

    def lines(text: str) -> list[str]:
        return [line for line in text.splitlines() if not line.startswith("explored")]

    said, command = shown.split("next:")  # in Python, nothing is typed that could be typed again
    assert " ".join(command.partition("\n\n")[0].split()) == f"fheasible verify {HERE}:dot --library seal"
    assert lines(answer) == [*lines(said), "", *lines(command.partition("\n\n")[2])]


def test_nothing_is_printed(capfd: Any, place: Path) -> None:
    fh.explore(squares, libraries="seal", store=place)
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "what an application prints is talk" in printed.err


def test_the_ranked_the_front_and_the_ties_are_of_one_list(answer: fh.Answer) -> None:
    assert answer.best is answer.candidates[0]
    assert answer.best in answer.front
    assert set(answer.front) <= set(answer.candidates)
    assert answer.best not in answer.ties
    assert all(c.tie for c in answer.ties)
    assert 0 < len(answer.candidates) <= answer.feasible <= answer.explored
    assert {"seal", "lattigo"} >= {c.library for c in answer.candidates}
    assert any("N = 2^" in sentence for sentence in answer.why)


def test_the_best_is_no_tie_of_its_own(answer: fh.Answer) -> None:
    tied = replace(answer.exploration, ties=frozenset(answer.exploration.candidates[:2]))
    found = fh.Answer(tied, answer.libraries, answer.profiles, None)
    assert found.ties == found.candidates[1:2]


def test_times_and_sizes_of_a_set_add_up(answer: fh.Answer) -> None:
    for c in answer.candidates:
        assert c.seconds == pytest.approx(c.encrypt_seconds + c.evaluate_seconds + c.decrypt_seconds)
        assert c.log_qp == pytest.approx(np.sum(np.log2([*c.primes, *c.special_primes], dtype=float)))
        assert c.key_bytes == c.public_key_bytes + c.evaluation_key_bytes == c.figures["key_bytes"]
        assert len(c.primes) == c.limbs
        assert (c.scale_bits is None) == (c.scheme != "ckks")


def test_a_dataframe_has_the_columns_of_the_contract(answer: fh.Answer) -> None:
    frame = from_dataframe(answer)
    assert tuple(frame.column_names) == NAMES
    assert frame.num_rows == answer.to_arrow().num_rows >= 1
    assert frame.column("library").to_pylist() == answer.to_arrow().column("library").to_pylist()
    assert frame.column("cpu_seconds").to_pylist() == answer.to_arrow().column("cpu_seconds").to_pylist()
    exact = [p for p, s in zip(frame.column("precision_bits").to_pylist(), frame.column("scheme").to_pylist(),
                               strict=True) if s != "ckks"]  # fmt: skip
    assert exact
    assert set(exact) == {None}


def test_arrow_takes_it_as_it_is(answer: fh.Answer) -> None:
    assert pa.table(answer).equals(answer.to_arrow())


def test_the_dataframe_holds_every_front_and_the_best(answer: fh.Answer) -> None:
    rows = answer.to_arrow().to_pylist()
    kept = {(r["library"], r["scheme"], r["ring_dimension"], round(r["log_qp"], 1)) for r in rows}
    best = answer.best
    assert best is not None
    assert (best.library, best.scheme, best.ring_dimension, round(best.log_qp, 1)) in kept
    assert sum(r["pareto"] for r in rows) >= len(answer.front) >= 1


def test_nothing_fits_is_an_answer(place: Path) -> None:
    answer = fh.explore(squares, precision=51, libraries="seal", store=place)
    assert answer.best is None
    assert answer.candidates == answer.front == answer.ties == ()
    assert answer.why == []
    assert {r.scheme for r in answer.rejected} == {"ckks", "bgv", "bfv"}
    assert "why not CKKS (SEAL):" in str(answer)
    assert "nothing fits" in repr(answer)
    assert from_dataframe(answer).num_rows == 0
    assert "51 are asked" in answer._repr_html_()


def test_data_may_be_given_by_name(place: Path) -> None:
    answer = fh.explore(squares, data={"x": [0.5, 0.25, 1]}, libraries="seal", store=place)
    assert answer.exploration.problem.truth["result"].tolist() == [0.25, 0.0625, 1.0]
    assert "judged on: the given data" in str(answer)
    assert "3 encrypted reals" in str(answer)


def test_a_precision_below_one_is_no_number_of_bits(place: Path) -> None:
    with pytest.raises(UsageError, match="less than one bit of precision"):
        fh.explore(squares, precision=1e-4, store=place)


def plain(x: fh.Vector) -> fh.Vector:
    return x


@pytest.mark.parametrize(
    ("app", "given", "kind", "said"),
    [
        (plain, {}, UsageError, "plain is not an application"),
        (7, {}, UsageError, "int is not an application"),
        ("no_such.py", {}, UsageError, "does not exist"),
        (dot, {"security": 100}, UsageError, "security 100"),
        (dot, {"security": "128"}, UsageError, "security='128'"),
        (dot, {"security": True}, UsageError, "security=True"),
        (dot, {"precision": "many"}, UsageError, "not a precision"),
        (dot, {"precision": [15]}, UsageError, r"precision=\[15\]"),
        (dot, {"libraries": "sael"}, UnknownName, "'sael'"),
        (dot, {"libraries": ["seal", 7]}, UsageError, "7 is not the name of a library"),
        (dot, {"libraries": 7}, UsageError, "7 is not the name of a library"),
        (dot, {"scheme": "rsa"}, UnknownName, "'rsa'"),
        (dot, {"scheme": 7}, UsageError, "scheme=7"),
        (dot, {"objective": "speed"}, UsageError, "'speed'"),
        (dot, {"objective": 7}, UsageError, "objective=7"),
        (dot, {"objective": "cost"}, UsageError, "nothing has a price"),
        (dot, {"max_seconds": "1 s"}, UsageError, "max_seconds='1 s'"),
        (dot, {"max_bytes": -1}, UsageError, "max_bytes=-1"),
        (dot, {"requests": 1.5}, UsageError, "requests=1.5"),
        (dot, {"seed": -1}, UsageError, "seed=-1"),
        (dot, {"data": {"a": [1]}}, DataError, "lack b"),
        (dot, {"data": {"a": [1], "b": [1], "c": [1]}}, DataError, "name c, which is not an input"),
        (dot, {"data": {"a": [1], "b": [99]}}, DataError, "99, outside the declared range"),
        (dot, {"data": {"a": [1], "b": [0.5]}}, DataError, "not a whole number"),
        (dot, {"data": {"a": [1], "b": [[1]]}}, DataError, "shape"),
        (dot, {"data": {"a": [1], "b": ["x"]}}, DataError, "numbers are needed"),
        (dot, {"data": 7}, DataError, "type int"),
        (dot, {"data": "no_such.csv"}, DataError, "does not exist"),
    ],
)
def test_what_cannot_be_meant_is_told_with_what_can(
    place: Path, app: Any, given: dict[str, Any], kind: type[FheasibleError], said: str
) -> None:
    with pytest.raises(kind, match=said) as caught:
        fh.explore(app, **({"libraries": "seal"} | given), store=place)
    assert caught.value.remedy or kind is DataError


class Tags(HTMLParser):
    """Text by tag, and that every tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    return tags


def test_a_notebook_gets_an_accessible_table_that_loads_nothing(answer: fh.Answer) -> None:
    html = answer._repr_html_()
    tags = parsed(html)
    names = [tag for tag, _ in tags.seen]
    assert {"table", "caption", "thead", "tbody"} <= set(names)
    assert not {"script", "link", "img", "iframe", "style"} & set(names)
    assert not [a for _, attributes in tags.seen for a in attributes if a in ("src", "href") or a[:2] == "on"]
    assert {a["scope"] for tag, a in tags.seen if tag == "th"} == {"col", "row"}
    for sentence in answer.why:
        assert sentence in tags.text
    assert answer.best is not None
    assert "SEAL" in tags.text or "Lattigo" in tags.text


def test_html_has_only_the_colours_of_the_notebook(answer: fh.Answer) -> None:
    for _, attributes in parsed(answer._repr_html_()).seen:
        style = attributes.get("style") or ""
        assert "#" not in style
        for rule in filter(None, map(str.strip, style.split(";"))):
            name, _, value = rule.partition(":")
            if name in ("color", "background"):
                assert value.strip() in ("inherit", "transparent")


def test_what_an_application_says_is_escaped(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nasty = "<script>alert('x')</script>&"
    app = fh.App(nasty, dot.inputs, dot.function)
    html = fh.explore(app, libraries="seal", scheme="bfv", store=place)._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert nasty in "".join(parsed(html).text)


def test_whatever_is_said_is_escaped(answer: fh.Answer) -> None:
    nasty = "<script>alert('x')</script>&"
    found = replace(answer.exploration, rejected=(Rejected(nasty, "ckks", nasty),))
    html = fragment(found, [nasty, nasty], [nasty])
    assert "<script" not in html
    assert sum(nasty in text for text in parsed(html).text) == 4


@pytest.mark.worker
def test_the_recommendation_is_run_and_set_beside_its_prediction(place: Path) -> None:
    from fheasible.measurement.registry import command
    from fheasible.store.store import Store

    if not command("seal").installed:
        pytest.skip("seal is not installed")
    answer = fh.explore(dot, libraries="seal", store=place)
    found = fh.verify(answer, repetitions=1)
    assert found.result["result"].tolist() == found.cleartext["result"].tolist()
    assert found.predicted["cpu_seconds.total"] == answer.best.seconds if answer.best else False
    assert found.measured["peak_bytes"] > 2**20
    error = (found.predicted["peak_bytes"] - found.measured["peak_bytes"]) / found.measured["peak_bytes"]
    assert found.relative_error["peak_bytes"] == pytest.approx(error)
    assert "cpu_seconds.total" in str(found)
    assert all(isinstance(doubt, str) for doubt in found.doubts)
    with Store.open(place) as store:
        assert found.number in [m.id for m in store.measurements()]


def test_what_verify_cannot_mean_is_told(answer: fh.Answer, place: Path) -> None:
    with pytest.raises(UsageError, match="already explored with its security"):
        fh.verify(answer, security=192)
    with pytest.raises(UsageError, match="repetitions=0"):
        fh.verify(answer, repetitions=0)
    with pytest.raises(UsageError, match="timeout='1 h'"):
        fh.verify(answer, timeout="1 h")
    with pytest.raises(FheasibleError, match="no parameters fit squares"):
        fh.verify(squares, precision=51, libraries="seal", store=place)


def test_small_products_of_matrices_take_one_thread(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second one waits for a core, and the first for it: a hundred times longer on a busy machine."""
    from fheasible.api import residues as module

    whole, seen = module.explore_everywhere, []

    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    def watched(*words: Any) -> Any:
        seen.append(threads())
        return whole(*words)

    monkeypatch.setattr(module, "explore_everywhere", watched)
    with threadpool_limits(limits=2, user_api="blas"):
        fh.explore(dot, libraries=["seal"], store=place)
        assert seen == [{1}]
        assert threads() == {2}


@pytest.mark.long
def test_the_ring_schemes_are_a_platform_like_the_libraries(place: Path) -> None:
    """One seam: what the command line does with --library reference, Python does too."""
    answer = fh.explore(dot, libraries="reference", objective="memory", store=place)
    assert answer.best is not None
    assert {c.scheme for c in answer.candidates} <= {"fv", "yashe", "fntru", "shield"}
    assert "least memory first" in str(answer)
    assert answer.to_json()["objective"] == "memory"
    with pytest.raises(UsageError, match="ring schemes have no max_key_bytes"):
        fh.explore(dot, libraries="reference", max_key_bytes=1, store=place)
    with pytest.raises(UsageError, match="only the ring schemes have noise"):
        fh.explore(dot, noise="average", store=place)
    with pytest.raises(UsageError, match="cannot be explored with"):
        fh.explore(dot, libraries=["reference", "seal"], store=place)
