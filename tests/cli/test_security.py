"""security: one set, many, a file of them, and a drawing."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fheasible.security.estimator import estimate

ONE = ("security", "--n", "16384", "--log-q", "438", "--secret", "ternary")


def test_the_document_has_what_the_design_promises(call: Any) -> None:
    found = call(*ONE, "--json").json
    names = {
        "bits",
        "attack",
        "block_size",
        "standard_bits",
        "library_bits",
        "attacks",
        "warnings",
        "seconds",
    }
    assert names <= set(found)
    # [LatticeEstimator] at commit 27a581b, matzov: usvp 125.936, bdd 125.922, each with block size 321
    assert found["bits"] == pytest.approx(125.92, abs=1)
    assert found["attacks"]["usvp"]["bits"] == pytest.approx(125.94, abs=1)
    assert found["block_size"] == pytest.approx(321, abs=3)
    assert found["standard_bits"] is None
    assert found["library_bits"] == {"openfhe": 128, "seal": 128}
    assert found["limits"]["guidelines_2024"] == {"128": 430, "192": 297, "256": 230}
    assert found["limits"]["seal"] == {"128": 438, "192": 305, "256": 237}
    for attack in ("usvp", "bdd", "dual_hybrid"):
        assert {"bits", "block_size", "dimension", "guessed", "memory_bits"} == set(found["attacks"][attack])
    assert "take n >= 2^15" in found["warnings"][0]


def test_the_terminal_explains_in_plain_words(call: Any) -> None:
    out = call(*ONE).out
    assert max(map(len, out.splitlines())) <= 100 or "attackers)" in max(out.splitlines(), key=len)
    for words in ("Security Guidelines 2024", "OpenFHE", "SEAL", "in plain words:", "further bit doubles",
                  "block size", "log2 q always means", "128 bits, take n >= 2^15", "warning:"):  # fmt: skip
        assert words in " ".join(out.split())


def test_a_set_that_is_large_enough_carries_no_warning(call: Any) -> None:
    found = call("security", "--n", "16384", "--log-q", "430", "--json").json
    assert (found["warnings"], found["standard_bits"]) == ([], 128)
    assert found["bits"] == pytest.approx(128, abs=1)


def test_ntru_is_judged_by_its_own_attacks(call: Any) -> None:
    found = call("security", "--n", "4096", "--log-q", "109", "--problem", "ntru", "--json").json
    assert found["bits"] == pytest.approx(69, abs=2)
    assert (found["attack"], found["overstretched"]) == ("dsd", True)
    assert "overstretched" in found["warnings"][0]
    out = call("security", "--n", "4096", "--log-q", "109", "--problem", "ntru").out
    assert "no row for this" in out


BOOTSTRAPPED = ("security", "--n", "65536", "--log-q", "1546", "--secret", "sparse:192", "--ephemeral")


def test_both_secrets_of_a_bootstrapping_are_judged_and_the_weaker_one_decides(call: Any) -> None:
    found = call(*BOOTSTRAPPED, "32:121", "--json").json
    assert set(found["keys"]) == {"main", "ephemeral"}
    assert found["decides"] == "main"
    assert found["bits"] == found["keys"]["main"]["bits"] < found["keys"]["ephemeral"]["bits"]
    assert found["keys"]["ephemeral"]["attack"] == "dual_mitm_hybrid"
    weak = call(*BOOTSTRAPPED, "32:600", "--json").json
    assert weak["decides"] == "ephemeral"
    assert any(
        "the ephemeral secret" in warning and "for 128 bits" in warning for warning in weak["warnings"]
    )
    out = " ".join(call(*BOOTSTRAPPED, "32:600").out.split())
    assert "the ephemeral secret (sparse:32, n = 2^16, log2 q = 600) decides" in out


def test_a_model_and_quantum_attackers_are_chosen(call: Any) -> None:
    bits = {m: call(*ONE, "--model", m, "--json").json["bits"] for m in ("matzov", "adps16", "laamospol14")}
    assert bits["adps16"] < bits["laamospol14"] < bits["matzov"]
    quantum = call(*ONE, "--quantum", "--json").json
    assert (quantum["model"], quantum["quantum"]) == ("chaloy21", True)
    assert quantum["bits"] < bits["adps16"]
    assert quantum["limits"]["guidelines_2024"]["128"] == 322


def test_many_rings_and_moduli_are_judged_together(call: Any) -> None:
    words = ("security", "--n", "8192", "--n", "16384", "--log-q", "200", "--log-q", "300.5")
    rows = call(*words, "--json").json["sets"]
    assert [(r["n"], r["log_q"]) for r in rows] == [(8192, 200), (8192, 300.5), (16384, 200), (16384, 300.5)]
    assert all(r["attacks"] and "warnings" in r for r in rows)
    out = call(*words).out
    assert "4 sets in" in out
    assert "2^13" in out
    assert "300.5" in out


def test_a_file_of_sets_is_judged_and_written_as_a_table(call: Any, tmp_path: Path) -> None:
    source, target = tmp_path / "sets.csv", tmp_path / "judged.csv"
    source.write_text(
        "n,log_q,secret,sigma\n8192,200,ternary,3.2\n700,32,binary,4000\n16384,430,gaussian,3.19\n"
    )
    rows = call("security", "--sets", str(source), "--csv", str(target), "--json").json["sets"]
    assert [r["secret"] for r in rows] == ["ternary", "binary", "gaussian"]
    for row in rows:
        alone = estimate(row["n"], row["log_q"], row["secret"], row["sigma"])
        assert row["bits"] == pytest.approx(float(alone.bits))
    with target.open(newline="") as file:
        written = list(csv.DictReader(file))
    assert [float(r["bits"]) for r in written] == [r["bits"] for r in rows]
    assert [r["standard_bits"] for r in written] == ["128", "", "128"]
    assert [r["openfhe_bits"] for r in written] == ["128", "", "128"]


def test_a_file_may_leave_secret_and_errors_to_the_options(call: Any, tmp_path: Path) -> None:
    source = tmp_path / "sets.csv"
    source.write_text("log_q,n\n100,4096\n200,8192\n")
    words = ("--sets", str(source), "--secret", "gaussian", "--sigma", "4", "--json")
    rows = call("security", *words).json["sets"]
    assert [(r["n"], r["secret"], r["sigma"]) for r in rows] == [(4096, "gaussian", 4), (8192, "gaussian", 4)]


def test_numbers_in_a_file_may_be_written_as_people_write_them(call: Any, tmp_path: Path) -> None:
    source = tmp_path / "sets.csv"
    source.write_text("n,log_q,sigma\n 4096,100.50,3.190\n8192.0,2e2,+4\n")
    rows = call("security", "--sets", str(source), "--json").json["sets"]
    assert [(r["n"], r["log_q"], r["sigma"]) for r in rows] == [(4096, 100.5, 3.19), (8192, 200, 4)]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_sweep_draws_a_curve_for_each_ring(call: Any, tmp_path: Path, ending: str) -> None:
    figure, table = tmp_path / f"security.{ending}", tmp_path / "security.csv"
    words = (
        "security",
        "--sweep",
        "--n",
        "8192",
        "--n",
        "4096",
        "--figure",
        str(figure),
        "--csv",
        str(table),
    )
    found = call(*words, "--json").json
    assert figure.stat().st_size > 1000
    assert found["figures"] == [str(figure)]
    for n in (4096, 8192):
        log_q, bits = zip(*((r["log_q"], r["bits"]) for r in found["sets"] if r["n"] == n), strict=True)
        assert np.all(np.diff(log_q) > 0)
        assert np.all(np.diff(bits) <= 0)
        assert bits[0] > 256 > 128 > bits[-1]
    assert len(table.read_text().splitlines()) == len(found["sets"]) + 1


def test_a_sweep_has_the_ends_that_are_given(call: Any, tmp_path: Path) -> None:
    words = ("--sweep", "--n", "4096", "--log-q", "60", "--log-q", "120", "--figure", str(tmp_path / "a.svg"))
    log_q = [r["log_q"] for r in call("security", *words, "--json").json["sets"]]
    assert (min(log_q), max(log_q)) == (60, pytest.approx(120))
    picture = (tmp_path / "a.svg").read_text()
    for words_of in ("n = 2^12", "128 bits", "Guidelines 2024", "own tables", "matzov"):
        assert words_of in picture


SMALL = ("--n", "1024", "--log-q", "27")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ((), 2, "no ring degree is given"),
        (("--n", "1024"), 2, "no modulus is given"),
        (("--n", "0", "--log-q", "10"), 1, "n = 0"),
        (("--n", "-5", "--log-q", "10"), 1, "n = -5"),
        (("--n", "1024", "--log-q", "-3"), 1, "log2 q = -3"),
        (("--n", "1024", "--log-q", "nan"), 1, "log2 q = nan"),
        (("--n", "1024", "--log-q", "1e300"), 1, "log2 q = 1e+300"),
        ((*SMALL, "--sigma", "0"), 1, "sigma = 0"),
        ((*SMALL, "--sigma", "-1"), 1, "sigma = -1"),
        ((*SMALL, "--sigma", "1e308"), 1, "take 0.1 to 8.39e+06"),  # 2^27 / 16
        ((*SMALL, "--sigma", "1e-9"), 1, "take 0.1 to 8.39e+06"),
        ((*SMALL, "--model", "foo"), 2, "use one of matzov, bdgl16"),
        ((*SMALL, "--quantum", "--model", "matzov"), 2, "leave --model out"),
        ((*SMALL, "--secret", "foo"), 2, "use one of ternary, gaussian"),
        (("--n", "128", "--log-q", "27", "--secret", "sparse:192"), 1, "weight 192"),
        ((*SMALL, "--secret", "sparse:0"), 1, "from 1 to n"),
        ((*SMALL, "--secret", "sparse:2000"), 1, "1024 coefficients cannot have weight 2000"),
        ((*SMALL, "--ephemeral", "32"), 2, "write 32:121"),
        ((*SMALL, "--ephemeral", "32:many"), 2, "write 32:121"),
        ((*SMALL, "--ephemeral", "x:20"), 1, "from 1 to n"),
        ((*SMALL, "--ephemeral", "2000:20"), 1, "cannot have weight 2000"),
        ((*SMALL, "--ephemeral", "32:nan"), 1, "log2 q = nan"),
        ((*SMALL, "--n", "2048", "--ephemeral", "32:20"), 2, "one --n"),
        ((*SMALL, "--ephemeral", "32:20", "--csv", "a.csv"), 2, "one --n"),
        ((*SMALL, "--ephemeral", "32:20", "--problem", "ntru"), 2, "leave --problem out"),
        ((*SMALL, "--problem", "sis"), 2, "use rlwe or ntru"),
        ((*SMALL, "--figure", "a.svg"), 2, "add --sweep"),
        ((*SMALL, "--sets", "a.csv"), 2, "leave --n"),
        (("--sets", "no_such_file.csv"), 1, "does not exist"),
        (("--sweep", "--log-q", "20"), 2, "two values of --log-q"),
        (("--sweep", "--n", "1024", "--figure", "a.foo"), 2, ".svg"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_the_remedy(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], code: int, told: str
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    answer = call("security", *words, "--json")
    assert answer.code == code
    error = answer.json["error"]
    assert told in f"{error['message']} {error['remedy']}"
    assert error["remedy"]
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "no column"), ("n,log_q\n", "no rows"), ("n\n4\n", "no column log_q"), ("n,log_q\n8,x\n", "row 1"),
     ("n,log_q\n1024,27\n1024,\n", "row 2"), ("n,log_q\n1024,27,3\n", "row 1")],
)  # fmt: skip
def test_a_file_that_is_no_list_of_sets_is_refused_with_the_row(
    call: Any, tmp_path: Path, text: str, told: str
) -> None:
    source = tmp_path / "sets.csv"
    source.write_text(text)
    answer = call("security", "--sets", str(source), "--json")
    assert answer.code == 1
    assert told in answer.json["error"]["message"] or not text


def test_an_empty_file_is_called_empty(call: Any, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    error = call("security", "--sets", str(tmp_path / "empty.csv"), "--json").json["error"]
    assert error["message"].endswith("is empty")
    assert "first line" in error["remedy"]


def test_no_line_is_wider_than_a_terminal(call: Any) -> None:
    wide = ("--n", "65536", "--log-q", "1700", "--secret", "sparse:192", "--quantum")
    assert max(map(len, call("security", *wide).out.splitlines())) <= 100
