"""Sweeps as the command line has them of a platform: checked first, begun later, given in parts."""

from pathlib import Path
from typing import Any

import pytest

from fheasible.api.options import Options
from fheasible.api.platform import Execution, Silent, SomeSets, Sweeping, TypedGrid
from fheasible.api.rings import Rings
from fheasible.api.text import TextPage
from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.exploration.sweeps import ring_analysis, ring_runs
from fheasible.measurement.ring_run import RingRecord

GRID = TypedGrid(vary=("log_q=60,90",), fix=("n=64",), words=("t=2,3",))
NOTHING_RUN = Sweeping()
RUN = Sweeping(execution=Execution(repetitions=1))


def given(swept: Any) -> list[SomeSets]:
    """All that a prepared sweep gives, part by part."""
    parts: list[SomeSets] = []
    swept.sets(parts.append)
    return parts


def test_an_analysis_gives_its_sets_in_parts_that_all_forms_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ring_analysis, "CHUNK", 3)
    swept = Rings().sweep("fv", GRID, Options(), NOTHING_RUN, Silent())
    swept.prepare()
    parts = given(swept)
    assert [len(part.rows) for part in parts] == [3, 1]
    assert [(row[1], row[2]) for part in parts for row in part.rows] == [(60, 2), (60, 3), (90, 2), (90, 3)]
    assert all(part.rows == part.values for part in parts)
    assert tuple(swept.columns[:3]) == ("n", "log_q", "t")
    assert swept.columns == swept.fields
    assert (swept.head["count"], swept.head["axes"]) == (4, {"log_q": [60, 90], "t": [2, 3]})
    assert swept.tail(["a.svg"])["figures"] == ["a.svg"]
    assert "drawn: a.svg" in list(swept.lines(TextPage(), ["a.svg"]))
    assert swept.exit_code == 0


def test_what_cannot_be_swept_is_told_before_anything_is_done() -> None:
    impossible = [
        ("fv", TypedGrid(words=("log_q=60",)), UsageError, "n must be given"),
        ("ckks", GRID, UnknownName, "ckks"),
        ("shield", GRID, InfeasibleParameters, "encrypts bits"),
    ]
    for what, typed, error, said in impossible:
        for how in (NOTHING_RUN, RUN):
            with pytest.raises(error, match=said):
                Rings().sweep(what, typed, Options(), how, Silent())


def test_sets_are_run_when_a_sweep_is_prepared_and_not_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("cpu", "flags", "build", "threads", "load_before", "seed")
    environment = dict.fromkeys(names, "") | ring_runs.here() | {"library": "reference"}
    begun: list[Any] = []

    def attempt(job: Any, *_: Any) -> RingRecord:
        begun.append(job.parameters.log_q)
        return RingRecord("died", None, environment, "too bad")

    monkeypatch.setattr(ring_runs, "attempt", attempt)
    swept = Rings().sweep("fv", GRID, Options(seed=5), RUN, Silent(tmp_path / "results.sqlite"))
    assert begun == []
    swept.prepare()
    assert begun == [60, 60, 90, 90]
    (part,) = given(swept)
    rows = [dict(zip(swept.columns, row, strict=True)) for row in part.rows]
    values = [dict(zip(swept.fields, row, strict=True)) for row in part.values]
    assert [row["outcome"] for row in rows] == ["died"] * 4
    assert [value["executed"]["message"] for value in values] == ["too bad"] * 4
    assert [value["executed"]["result"] for value in values] == [1, 2, 3, 4]
    assert swept.exit_code == 1


def test_ring_schemes_refuse_what_only_libraries_have() -> None:
    for typed, how, said in (
        (TypedGrid(numbers=("n=3",)), NOTHING_RUN, "--set n=3"),
        (GRID, Sweeping(every=2), "--every 2"),
        (GRID, Sweeping(cluster="tcp://somewhere:8786"), "--cluster"),
    ):
        with pytest.raises(UsageError, match=said):
            Rings().sweep("fv", typed, Options(), how, Silent())
