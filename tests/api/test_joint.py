"""Vectors and table look-ups are ranked beside each other, and the answer says what the others would take."""

import csv
import json
import re
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fheasible as fh
from api.apps import dot
from fheasible.api import joint
from fheasible.api.joint import unjudged
from fheasible.api.lookup_answer import LookupAnswer, refused
from fheasible.api.options import Options
from fheasible.api.platforms import JOINT, platform_of
from fheasible.cli.main import main
from fheasible.errors import UsageError
from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE

APP = """
import fheasible as fh

@fh.app(x=fh.integers(4, low=0, high=15))
def above(x):
    return fh.sum(fh.where(x > 7, x, 0))
"""

WRAPPING = """
import fheasible as fh

@fh.app(x=fh.integers(2, modulo=65537))
def wrapping(x):
    return x + 1
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("joint") / "above.py"
    path.write_text(APP)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "results.db"


def test_which_platform_answers_follows_from_the_libraries_that_are_named() -> None:
    assert platform_of(()) is JOINT
    assert platform_of(["tfhe_rs", "seal"]) is JOINT
    assert platform_of(["tfhe_rs"]).names() == JOINT.names()[-len(platform_of(["tfhe_rs"]).names()) :]
    assert "seal" in platform_of(["seal"]).names()
    assert platform_of(["reference", "tfhe_rs"]).names() == ("reference",)


def test_a_comparison_of_integers_is_for_table_look_ups_and_says_why_not_for_vectors(
    file: Path, place: Path
) -> None:
    answer: Any = fh.explore(file, store=place, libraries=["tfhe_rs", "lattigo"])
    if not isinstance(answer, LookupAnswer):  # polynomials modulo t may be better
        assert any("TFHE" in head for head, _ in answer.beside)
        return
    assert answer.best is not None
    assert answer.best.library.name == "tfhe_rs"
    assert any("why not" in head for head, _ in answer.beside)
    assert "TFHE-rs" in str(answer)


def test_an_inner_product_is_for_vectors_and_says_what_look_ups_would_take(place: Path) -> None:
    answer: Any = fh.explore(dot, store=place, libraries=["tfhe_rs", "lattigo"])
    assert isinstance(answer, fh.Answer)
    assert any(head.startswith("why not TFHE-rs") for head, _ in answer.beside)
    assert any("look-ups" in sentence for _, sentence in answer.beside)


def test_a_reason_of_several_bootstraps_is_given_once() -> None:
    rows = (("binfhe", "ginx", "slow"), ("tfhe_rs", "tfhe", "failing"), ("binfhe", "ap", "slow"))
    found: Any = SimpleNamespace(
        rejected=[SimpleNamespace(library=a, scheme=b, reason=why) for a, b, why in rows]
    )
    assert list(refused(found, list(LOOKUP_CATALOGUE.values()))) == [
        ("why not BinFHE GINX and BinFHE AP:", "slow"),
        ("why not TFHE-rs TFHE:", "failing"),
    ]


def explored(file: Path, place: Path, *words: str) -> int:
    named = ("--library", "tfhe_rs", "--library", "lattigo")
    return main(["explore", str(file), *named, *words, "--store", str(place)])


def test_swapping_leaves_table_look_ups_out_and_says_so(capfd: Any, file: Path, place: Path) -> None:
    assert explored(file, place, "--swap", "--max-memory", "1GiB", "--why") == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "why not TFHE-rs TFHE: what swapping takes is predicted for libraries of vectors alone." in out
    assert "Leave --swap out" in out


def test_the_worst_case_of_reals_is_not_judged_for_table_look_ups() -> None:
    assert "Leave --worst-case out" in unjudged(Options(worst_case=True), real=True)
    assert not unjudged(Options(worst_case=True), real=False)  # integers are exact for every input
    assert not unjudged(Options(trust_data=True), real=True)


@pytest.mark.parametrize("word", ["--worst-case", "--trust-data"])
def test_integers_are_ranked_where_every_input_or_the_data_count(
    capfd: Any, file: Path, place: Path, tmp_path: Path, word: str
) -> None:
    data = tmp_path / "data.csv"
    data.write_text("x\n1\n9\n15\n8\n")
    assert explored(file, place, word, "--data", str(data), "--json") == 0
    told = json.loads(capfd.readouterr().out)
    assert {c["library"] for c in told["candidates"]} == {"tfhe_rs", "lattigo"}


@pytest.mark.long
def test_a_table_of_sets_has_those_of_vectors_and_says_where_the_others_are(
    capfd: Any, place: Path, tmp_path: Path
) -> None:
    table, app = tmp_path / "sets.csv", tmp_path / "wrapping.py"
    app.write_text(WRAPPING)
    words = ["--library", "tfhe_rs", "--library", "seal", "--csv", str(table), "--store", str(place)]
    assert main(["explore", str(app), *words]) == 0
    said = capfd.readouterr()
    lines = list(csv.DictReader(table.open()))
    assert {line["library"] for line in lines} == {"seal"}
    assert f"{len(lines):,} sets, one per line" in said.err
    out = " ".join(said.out.split())
    assert "not in the CSV file: TFHE-rs TFHE." in out
    assert "--library tfhe_rs" in out


def test_the_document_has_the_shape_of_every_exploration(capfd: Any, file: Path, place: Path) -> None:
    assert main(["explore", str(file), "--library", "tfhe_rs", "--json", "--store", str(place)]) == 0
    told = json.loads(capfd.readouterr().out)
    best = told["candidates"][0]
    assert best["library"] == "tfhe_rs"
    for name in ("cpu_seconds", "peak_bytes", "ciphertext_bytes", "evaluation_key_bytes", "security_bits"):
        assert name in best["estimate"]
    assert set(best["request"]) >= {"message", "carry"}
    assert told["libraries"][0]["library"] == "tfhe_rs"


def test_an_exploration_of_look_ups_has_a_page(capfd: Any, file: Path, place: Path, tmp_path: Path) -> None:
    assert main(["explore", str(file), "--library", "tfhe_rs", "--store", str(place)]) == 0
    out = tmp_path / "page.html"
    assert main(["report", "above", "--out", str(out), "--store", str(place)]) == 0
    page = out.read_text()
    assert "TFHE-rs" in page
    assert "Encodings" in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--failure", "0"), "a failure once in 2^0 runs cannot be judged"),
        (("--noise", "average"), "have no --noise"),
        (("--swap", "--max-memory", "1GiB"), "have no --swap"),
        (("--scheme", "ckks"), "has a scheme 'ckks'"),
    ],
)
def test_options_of_other_platforms_are_refused(
    capfd: Any, file: Path, place: Path, words: tuple[str, ...], said: str
) -> None:
    assert main(["explore", str(file), "--library", "tfhe_rs", *words, "--store", str(place)]) in (1, 2)
    assert said in capfd.readouterr().err


def test_a_run_of_several_libraries_is_refused(file: Path, place: Path) -> None:
    from fheasible.api.platform import Execution, Silent

    asked = Options(libraries=("tfhe_rs", "seal"))
    with pytest.raises(UsageError, match="one library"):
        JOINT.run(file, asked, Execution(), Silent(place))


def test_a_sweep_predicts_every_set(capfd: Any, file: Path, place: Path) -> None:
    shipped = "MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128"
    words = ["sweep", str(file), "--library", "tfhe_rs", "--fix", f"set={shipped}", "--vary", "message=2,4,8"]
    assert main([*words, "--json", "--store", str(place)]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["count"] == 3
    assert told["axes"] == {"message": ["2", "4", "8"]}


SUMS = """
import fheasible as fh

@fh.app(x=fh.integers(4, low=0, high=9), y=fh.integers(4, low=0, high=9))
def sums(x, y):
    return x + y
"""


def test_sums_without_look_ups_never_go_wrong_and_no_figure_says_otherwise(
    tmp_path: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The noise of a sum of two fresh ciphertexts is 2^-40 of what would make it another number."""
    path, page = tmp_path / "sums.py", tmp_path / "sums.html"
    path.write_text(SUMS)
    at = ["--store", str(place)]
    assert main(["explore", str(path), "--library", "tfhe_rs", "--why", *at]) == 0
    assert main(["report", "sums", "--out", str(page), *at]) == 0
    other = ["--library", "tfhe_rs", "--library", "seal", "--objective", "memory", "--why"]
    assert main(["explore", str(path), *other, *at]) == 0
    assert main(["emit", str(path), "--to", "tfhe-rs", "--out", str(tmp_path / "code"), *at]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    shown = printed + page.read_text() + (tmp_path / "code" / "README.md").read_text()
    for right in (
        "never wrong (40 bits asked)",
        "A run never goes wrong",
        "; a run never goes wrong.",
        ">never<",
    ):
        assert right in shown
    for wrong in ("999", "1000000", "0 table look-ups,", " 0 look-ups of"):
        assert wrong not in shown.replace("N = 2^9", "")
    assert main(["explore", str(path), "--library", "tfhe_rs", "--json", *at]) == 0
    best = json.loads(capsys.readouterr().out)["candidates"][0]["estimate"]
    assert best["log2_failure"] == best["log2_lookup_failure"] == -1e6


def test_the_time_of_an_answer_is_that_of_both_searches(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ciphertexts of vectors are too large here. The clock of both searches ticks by a thousand seconds."""
    path = tmp_path / "sums.py"
    path.write_text(SUMS)
    monkeypatch.setattr(joint, "perf_counter", count(0, 1000).__next__)
    found: Any = fh.explore(path, store=place, libraries=["tfhe_rs", "lattigo"], max_ciphertext_bytes=20_000)
    assert isinstance(found, LookupAnswer)
    assert found.exploration.seconds == 1000
    (line,) = (line for line in found.headline if line.startswith("explored"))
    assert re.search(r"encodings, beside [\d,]+ of libraries of vectors, in 16 min", line), line
