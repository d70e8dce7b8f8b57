"""The answer in five lines: which figures they hold, and what comes second."""

from dataclasses import replace
from pathlib import Path

import pytest

import fheasible as fh
from api.apps import dot
from fheasible.api.answer import Answer
from fheasible.api.summary import of_vectors, runner_up
from fheasible.api.text import TextPage
from fheasible.exploration.problem.wish import Objective

TIME = Objective.parse("time")


@pytest.fixture(scope="module")
def answer(place: Path) -> Answer:
    found = fh.explore(dot, libraries=["seal", "lattigo"], store=place)
    assert isinstance(found, Answer)
    return found


def candidate(library: str, score: float, ring: int = 4096) -> dict[str, object]:
    return {
        "library": library, "scheme": "bfv", "figures": {"score": score},
        "parameters": {"ring_dimension": ring},
    }  # fmt: skip


def test_five_lines_say_what_to_use_why_with_which_margins_what_comes_second_and_what_to_do(
    answer: Answer,
) -> None:
    exact = replace(
        answer.exploration, candidates=tuple(c for c in answer.exploration.candidates if not c.rounded)
    )
    lines = dict(of_vectors(exact, answer.document["candidates"], "fheasible verify dot.py"))
    assert list(lines) == ["use:", "why this:", "margin:", "runner-up:", "next:"]
    best = answer.exploration.best
    assert best is not None
    assert f"N = 2^{best.parameters.ring_dimension.bit_length() - 1}" in lines["use:"]
    assert f"the least time of {answer.feasible:,} feasible sets" in lines["why this:"]
    assert f"log2 QP = {best.parameters.log_qp:.0f}" in lines["why this:"]
    assert f"{int(best.estimate.security_bits)} bits of security (128 asked)" in lines["margin:"]
    assert lines["next:"] == "fheasible verify dot.py"


def test_fewer_bits_than_asked_are_told_with_the_table_that_allows_the_set(answer: Answer) -> None:
    """The Guidelines allow log2 QP = 1747 at N = 2^16, for which today's estimate is 127.9."""
    best = answer.exploration.best
    assert best is not None
    least = replace(best, estimate=replace(best.estimate, security_bits=127.9))
    found = replace(answer.exploration, candidates=(least, *answer.exploration.candidates[1:]))
    margin = dict(of_vectors(found, answer.document["candidates"], "fheasible verify dot.py"))["margin:"]
    assert margin.startswith(
        "127 bits of security by today's estimate (128 by the Guidelines' table, as asked); "
    )


def test_the_runner_up_is_the_best_set_of_another_kind() -> None:
    rows = [candidate("seal", 1.0), candidate("seal", 1.1), candidate("lattigo", 2.5), candidate("seal", 3.0)]
    assert runner_up(rows, TIME, True, 0.1) == "BFV in Lattigo, N = 2^12, at 2.50 times the time"
    rows = [candidate("seal", 1.0), candidate("seal", 1.04, 8192)]
    assert runner_up(rows, TIME, True, 0.05) == (
        "BFV in SEAL, N = 2^13, at 1.04 times the time, a difference within the error of prediction"
    )
    assert "none" in runner_up(rows[:1], TIME, True, 0.05)


def test_an_exact_set_before_a_faster_one_that_rounds_is_not_said_to_be_the_fastest(answer: Answer) -> None:
    found = answer.exploration
    best, *others = found.candidates
    faster = replace(best, rounded=True, figures={**best.figures, "score": best.figures["score"] * 0.9})
    beside = replace(found, candidates=(best, faster, *others))
    documents = [c.to_json(False) | {"tie": True} for c in beside.candidates]
    lines = dict(of_vectors(beside, [documents[0], documents[1] | {"library": "openfhe"}], None))
    assert lines["why this:"].startswith(
        "of the exact sets, the one of least time; none that rounds is surely"
    )
    assert "at 0.90 times the time, a difference within the error of prediction" in lines["runner-up:"]


def test_libraries_of_table_look_ups_have_their_titles() -> None:
    rows = [candidate("seal", 1.0), candidate("tfhe_rs", 250.0, 2048)]
    assert runner_up(rows, TIME, True, None) == "BFV in TFHE-rs, N = 2^11, at 250 times the time"


def test_reasons_are_counted_or_given(answer: Answer) -> None:
    short, long = ("\n".join(answer.lines(TextPage(why=why))) for why in (False, True))
    assert "why:" not in short
    assert "why not" not in short
    assert long.count("why:") == len(answer.why)
    told = long.count("\nwhy: ") + long.count("\nwhy not ")
    assert f"all {told} reasons: --why" in short


def test_a_table_has_as_many_rows_as_are_asked_for_and_fills_the_terminal(answer: Answer) -> None:
    lines = list(answer.lines(TextPage(100, rows=3, wide=160)))
    assert f"   ... and {len(answer.exploration.candidates) - 3} more: --all" in lines
    narrow, wide = ("\n".join(answer.lines(TextPage(70, wide=w))).splitlines() for w in (None, 160))
    assert max(map(len, narrow)) <= 70
    assert "ciphertext" in "\n".join(wide)
    assert "ciphertext" not in "\n".join(line for line in narrow if line.startswith("   library"))
