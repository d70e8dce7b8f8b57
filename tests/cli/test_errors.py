"""Bad input gets one clear message with a remedy, the promised exit code, and no traceback."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fheasible.cli.main import main

CASES: dict[str, tuple[tuple[str, ...], int, str, str]] = {
    # what is wrong: (words, exit code, kind, what the message must hold)
    "a missing application": (("explore", "no_such.py"), 2, "UsageError", "no_such.py does not exist"),
    "no application": (("explore",), 2, "UsageError", "APP"),
    "an unknown option": (("explore", "{app}", "--speed", "9"), 2, "UsageError", "--speed"),
    "a bad type": (("explore", "{app}", "--security", "high"), 2, "UsageError", "high"),
    "an unknown verb": (("explode",), 2, "UsageError", "explode"),
    "too many words": (
        ("explore", "{app}", "my", "data.csv"), 2, "UsageError", "my data.csv is more than was expected",
    ),
    "a page in what is no folder": (
        ("web", "--static", "{app}"), 2, "UsageError", "is no folder",
    ),
    "a negative limit": (("explore", "{app}", "--max-time", "-1"), 2, "UsageError", "-1"),
    "a security nobody offers": (("explore", "{app}", "--security", "100"), 2, "UsageError", "security 100"),
    "an impossible precision": (("explore", "{app}", "--precision", "60"), 2, "UsageError", "60 bits"),
    "an unknown objective": (("explore", "{app}", "--objective", "joy"), 2, "UsageError", "joy"),
    "an unknown library": (("explore", "{app}", "--library", "helib"), 2, "UnknownName", "helib"),
    "an unknown scheme": (("explore", "{app}", "--scheme", "fhew"), 2, "UnknownName", "fhew"),
    "a missing data file": (("explore", "{app}", "--data", "no.csv"), 1, "DataError", "no.csv does not"),
    "a run without a library": (("run", "{app}"), 2, "UsageError", "--library"),
    "an unknown parameter": (
        ("run", "{app}", "--library", "seal", "--param", "speed=9"), 2, "UsageError", "speed",
    ),
    "a parameter without a value": (
        ("run", "{app}", "--library", "seal", "--param", "scale_bits"), 2, "UsageError", "scale_bits",
    ),
    "a parameter that is no number": (
        ("run", "{app}", "--library", "seal", "--param", "scale_bits=high"), 2, "UsageError", "scale_bits",
    ),
    "another depth than the application's": (
        ("run", "{app}", "--library", "seal", "--param", "depth=7"), 2, "UsageError", "depth=7",
    ),
    "parameters without a library": (("params", "helib", "ckks", "--depth", "2"), 2, "UnknownName", "helib"),
    "parameters without a depth": (("params", "seal", "ckks"), 2, "UsageError", "--depth"),
    "parameters too deep": (
        ("params", "seal", "ckks", "--depth", "90"), 1, "InfeasibleParameters", "128 bits of security",
    ),
    "an unknown technique": (
        ("params", "openfhe", "ckks", "--depth", "2", "--technique", "magic"), 2, "UnknownName", "magic",
    ),
    "a list of bits that is none": (
        ("params", "seal", "ckks", "--depth", "1", "--prime-bits", "60;40"), 2, "UsageError", "60;40",
    ),
    "a result that is not there": (("results", "show", "77"), 1, "StoreError", "77"),
    "an unknown outcome": (("results", "list", "--outcome", "lost"), 2, "UsageError", "lost"),
    "a library that cannot be installed": (
        ("libraries", "install", "seal", "helib"), 2, "UnknownName", "helib",
    ),
    "a calibration of an unknown library": (("calibrate", "--library", "helib"), 2, "UnknownName", "helib"),
    "a count of an unknown scheme": (
        ("count", "ckks", "add", "--n", "64", "--log-q", "60"), 2, "UnknownName", "ckks",
    ),
    "a count of an unknown function": (
        ("count", "fv", "bootstrap", "--n", "64", "--log-q", "60"), 2, "UnknownName", "bootstrap",
    ),
    "a count without a modulus": (("count", "fv", "add", "--n", "64"), 2, "UsageError", "no modulus"),
    "a count in a ring that is none": (
        ("count", "fv", "add", "--n", "100", "--log-q", "60"), 1, "InfeasibleParameters", "100",
    ),
    "a count with a modulus of another size": (
        ("count", "fv", "add", "--n", "64", "--q", "17", "--log-q", "60"), 2, "UsageError", "5 bits",
    ),
    "a count by unknown weights": (
        ("count", "fv", "add", "--n", "64", "--log-q", "60", "--cost", "gold"), 2, "UnknownName", "gold",
    ),
    "a count with errors of no width": (
        ("count", "fv", "add", "--n", "64", "--log-q", "60", "--sigma", "-1"),
        1, "InfeasibleParameters", "-1",
    ),
    "an order of what has none": (
        ("count", "fv", "add", "--n", "64", "--log-q", "60", "--as-written"), 2, "UsageError", "order",
    ),
    "an application whose values do not fit": (
        ("count", "fv", "{app}", "--n", "64", "--log-q", "60", "--t", "3600"), 1, "PromiseBroken", "3600",
    ),
    "a sweep without a ring": (("sweep", "fv", "--vary", "log_q=60:90"), 2, "UsageError", "n must be given"),
    "a sweep over nothing known": (
        ("sweep", "fv", "--vary", "speed=1:9", "n=64"), 2, "UsageError", "speed",
    ),
    "a sweep over an empty range": (
        ("sweep", "fv", "--vary", "log_q=90:60", "n=64"), 2, "UsageError", "empty range",
    ),
    "a sweep beyond the rings": (
        ("sweep", "fv", "--vary", "log_q=900:1300:100", "n=64"), 1, "InfeasibleParameters", "1300",
    ),
    "a sweep of an unknown scheme": (
        ("sweep", "ckks", "--vary", "log_q=60:90", "n=64"), 2, "UnknownName", "ckks",
    ),
    "a sweep into a file that cannot be": (
        ("sweep", "fv", "log_q=60", "n=64", "--csv", "/dev/null/sets.csv"), 2, "UsageError", "sets.csv",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_error_is_one_message_and_a_remedy_on_stderr(case: Any, call: Any, integers: str) -> None:
    words, code, _, said = case
    answer = call(*(w.format(app=integers) for w in words))
    assert answer.code == code
    assert answer.out == ""
    first, second = answer.err.splitlines()
    assert first.startswith("error: ")
    assert said in first
    assert len(second) > len("remedy: ")
    assert second.startswith("remedy: ")


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_error_under_json_is_one_document(case: Any, call: Any, integers: str) -> None:
    words, code, kind, said = case
    answer = call(*(w.format(app=integers) for w in words), "--json")
    assert answer.code == code
    assert set(answer.json) == {"error"}
    error = answer.json["error"]
    assert set(error) == {"kind", "message", "remedy"}
    assert error["kind"] == kind
    assert said in error["message"]
    assert error["remedy"]
    assert answer.err == ""


DATA: dict[str, tuple[str, str]] = {
    "a missing column": ("a\n1\n", "no column b"),
    "wrong columns": ("u,v\n1,2\n", "no column a, b"),
    "no values": ("a,b\n", "no values"),
    "NaN": ("a,b\n1,nan\n", "nan"),
    "a word": ("a,b\n1,two\n", "two"),
    "a value above the range": ("a,b\n1,16\n", "[0, 15]"),
    "a value below the range": ("a,b\n-1,3\n", "[0, 15]"),
    "not a whole number": ("a,b\n1,2.5\n", "2.5"),
    "unequal lengths": ("a,b\n1,2\n3,\n", "equal length"),
    "an empty file": ("", "no column"),
}


@pytest.mark.parametrize("case", DATA.values(), ids=DATA.keys())
@pytest.mark.parametrize(
    "verb", [("explore",), ("run", "--library", "seal"), ("verify",)], ids=lambda v: v[0]
)
def test_bad_data_is_a_clear_error_for_every_verb_that_reads_it(
    verb: tuple[str, ...], case: tuple[str, str], call: Any, integers: str, tmp_path: Path
) -> None:
    text, said = case
    (tmp_path / "data.csv").write_text(text)
    answer = call(*verb, integers, "--data", str(tmp_path / "data.csv"))
    assert answer.code == 1
    assert answer.out == ""
    assert answer.err.startswith("error: ")
    assert said in answer.err.splitlines()[0]
    assert "Traceback" not in answer.err


def test_an_application_that_fails_is_told_with_its_line(call: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("import fheasible as fh\nx = 1 / 0\n")
    answer = call("explore", str(tmp_path / "bad.py"), "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "CircuitError"
    assert "bad.py:2" in answer.json["error"]["message"]


def test_a_broken_promise_is_told_before_anything_is_encrypted(call: Any, tmp_path: Path) -> None:
    app = "@fh.app(x=fh.reals(4, low=0, high=1))\ndef root(x):\n    return fh.sqrt(x, low=0.9, high=1)\n"
    (tmp_path / "root.py").write_text("import fheasible as fh\n" + app)
    answer = call("verify", str(tmp_path / "root.py"), "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "PromiseBroken"


@pytest.mark.usefixtures("nothing_installed")
def test_a_library_that_is_not_installed_is_named_with_its_remedy(call: Any, integers: str) -> None:
    answer = call("run", integers, "--library", "lattigo", "--json")
    assert answer.code == 1
    assert answer.json["error"]["kind"] == "LibraryMissing"
    assert answer.json["error"]["remedy"] == "fheasible libraries install lattigo"
    listed = call("results", "--json").json["results"]
    assert listed == []


def test_a_store_that_is_none_is_told_and_left_as_it_was(call: Any, integers: str, store_path: Path) -> None:
    store_path.write_bytes(b"these are somebody's holiday plans" * 40)
    before = store_path.read_bytes()
    answer = call("run", integers, "--library", "seal")
    assert answer.code == 1
    assert str(store_path) in answer.err
    assert "remedy: " in answer.err
    assert store_path.read_bytes() == before


def test_a_fault_of_our_own_shows_its_traceback_only_with_debug(
    call: Any, integers: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fheasible.api import asking

    def broken(*_: Any) -> Callable[..., None]:
        raise ZeroDivisionError("nobody expected this")

    monkeypatch.setattr(asking, "problem_of", broken)
    quiet, loud = call("explore", integers), call("explore", integers, "--debug")
    assert quiet.code == loud.code == 1
    assert "nobody expected this" in quiet.err
    assert "Traceback" not in quiet.err
    assert "--debug" in quiet.err
    assert "Traceback" in loud.err
    assert "test_errors.py" in loud.err


def test_debug_keeps_stdout_one_document(call: Any) -> None:
    answer = call("explore", "no_such.py", "--json", "--debug")
    assert answer.json["error"]["kind"] == "UsageError"
    assert "Traceback" in answer.err


def test_an_option_without_its_value_is_a_usage_error(capsys: Any) -> None:
    assert main(["explore", "app.py", "--data"]) == 2
    assert "--data" in capsys.readouterr().err.splitlines()[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("explore", "{app}", "--max-memory", "inf"), "--max-memory inf limits nothing"),
        (("explore", "{app}", "--max-time", "inf"), "--max-time inf limits nothing"),
        (("explore", "{app}", "--max-keys", "inf"), "--max-keys inf limits nothing"),
        (("explore", "{app}", "--max-ciphertext", "1e400"), "--max-ciphertext inf limits nothing"),
        (("explore", "{app}", "--max-memory", "1e308"), "--max-memory 1e+308 limits nothing"),
        (("explore", "{app}", "--price-gib", "1e308"), "is not possible"),
        (("trial", "--list", "--count", str(10**22)), "--count"),
        (("run", "{app}", "--library", "seal", "--threads", str(10**22)), "is not a number of threads"),
        (("explore", "{app}", "--threads", "two"), "'two' is not a number of threads"),
        (("verify", "{app}", "--threads", "1,0"), "'0' is not a number of threads"),
        (("run", "{app}", "--library", "seal", "--repetitions", str(10**22)), "--repetitions"),
        (("run", "{app}", "--library", "seal", "--param", "ring_dimension=-8192"), "is not a power of two"),
        (("run", "{app}", "--library", "lattigo", "--param", "ring_dimension=0"), "is not a power of two"),
        (("run", "{app}", "--library", "seal", "--param", f"spare_levels={10**22}"), "spare_levels"),
        (("count", "fv", "multiply", "--n", "4096", "--log-q", "0"), "--log-q 0 is not the size"),
        (("count", "fv", "multiply", "--n", "4096", "--q", "0"), "--q 0 is not a modulus"),
        (("count", "fv", "multiply", "--n", "4096", "--q", "-5"), "--q -5 is not a modulus"),
        (("params", "seal", "ckks", "--depth", str(10**22)), "--depth"),
        (("results", "prune", "--keep", str(10**22)), "--keep"),
    ],
)
def test_numbers_that_cannot_be_meant_are_errors_of_usage(
    call: Any, integers: str, words: tuple[str, ...], said: str
) -> None:
    answer = call(*(word.format(app=integers) for word in words))
    assert answer.code == 2
    assert said in answer.err
    assert "fault in Fheasible" not in answer.err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--seed", "1.5", "it is not a whole number (given: '1.5')"),
        ("--max-time", "soon", "it is not a number (given: 'soon')"),
        ("--seed", "-3", "it is less than 0 (given: '-3')"),
        ("--top", "0", "it is less than 1 (given: '0')"),
    ],
)
def test_numbers_are_refused_in_the_words_of_the_other_messages(
    option: str, value: str, said: str, call: Any, integers: str
) -> None:
    told = call("explore", integers, option, value)
    assert f"Invalid value for '{option}': {said}" in told.err
    assert "Input should" not in told.err
