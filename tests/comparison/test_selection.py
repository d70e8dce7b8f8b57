"""The grammar of selections."""

from pathlib import Path

import pytest

from fheasible.comparison.selection import FACTS, StoredRun, selection
from fheasible.errors import UsageError

RUN = StoredRun(
    "2026-11-24T18:27:09.993+00:00", "lattigo", "ckks", "std_dev", "calibration 3",
    {"machine": "ec19c14d", "cpu": "AMD EPYC", "os": "Debian 12", "kernel": "Linux 6.1", "version": "6.1.1",
     "build": {"-compiler": "gc"}, "runtime": "go1.26", "threads": 1, "commit": "fd82fe57"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("all", True),
        ("lattigo", True),
        ("Lattigo@6.1.1", True),
        ("lattigo@6.1", False),
        ("lattigo@6.2.0", False),
        ("seal", False),
        ("machine:ec19", True),
        ("machine:19c1", False),
        ("cpu:epyc", True),
        ("os:debian", True),
        ("os:linux 6", True),
        ("build:go1.26", True),
        ("build:gccgo", False),
        ("commit:fd82", True),
        ("threads:1", True),
        ("threads:2", False),
        ("scheme:CKKS", True),
        ("app:std_dev", True),
        ("app:std", False),
        ("campaign:calibration", True),
        ("since:2026-11-24", True),
        ("since:2026-11-24T18:28", False),
        ("since:2026-11-24T18:28+01:00", True),
        ("before:2026-11-24", False),
        ("before:2026-11-25", True),
        ("lattigo, since:2026-11-24, os:debian", True),
        ("lattigo,since:2026-11-25", False),
    ],
)
def test_a_run_is_selected_where_every_term_holds(text: str, holds: bool) -> None:
    found = selection(text)
    assert found.holds(RUN) is holds
    assert found.place is None


def test_every_fact_is_tried_above() -> None:
    (marks,) = [m for m in test_a_run_is_selected_where_every_term_holds.pytestmark if m.args]  # type: ignore[attr-defined]
    assert {text.split(":")[0] for text, _ in marks.args[1] if ":" in text} >= {*FACTS} - {"since", "before"}


def test_a_file_or_a_url_is_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a,b.jsonl").touch()
    Path("old.sqlite").touch()
    assert selection("a,b.jsonl").place == "a,b.jsonl"
    found = selection("seal@4.4.0,old.sqlite")
    assert (found.place, found.library, len(found.tests)) == ("old.sqlite", "seal", 1)
    assert selection("postgresql://me@host/results").place == "postgresql://me@host/results"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "neither a library"),
        ("lattgo", "neither a library"),
        ("lattigo@", "neither a library"),
        ("missing.jsonl", "neither a library"),
        ("colour:red", "no fact 'colour'"),
        ("machine:", "lacks a value"),
        ("since:monday", "is not a date"),
    ],
)
def test_what_selects_nothing_is_one_message(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        selection(text)
    assert caught.value.remedy


def test_two_places_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("a.jsonl", "b.jsonl")
    for name in names:
        Path(name).touch()
    with pytest.raises(UsageError, match=r"names 2 places: a\.jsonl and b\.jsonl"):
        selection(",".join(names))
