"""count: what is shown of a function or an application, in both forms."""

import json
from pathlib import Path
from typing import Any

import pytest

from fheasible.circuit.load import load

MULTIPLY = ("count", "fv", "multiply", "--n", "4096", "--log-q", "300", "--log-w", "2", "--t", "2")
EXAMPLE = Path(__file__).parents[2] / "examples" / "7_ten_products.py"
SMALL = ("--n", "64", "--log-q", "60", "--log-w", "4")


def test_the_document_has_the_figures_of_the_hand_derivation(call: Any) -> None:
    """Derived step by step in tests/schemes/test_call.py."""
    found = call(*MULTIPLY, "--json").json
    counted = {(row["operation"], row["operands"]): row["count"] for row in found["table"]}
    assert counted["multiplication", "polynomial"] == 4 + 2 * 150
    assert found["integer_operations"]["multiplication"] == 304 * 554_182
    assert found["integer_multiplications"] == 172_077_600
    memory = found["memory"]
    assert (memory["total"], memory["maximal"], memory["current"]) == (370 * 4096, 240 * 4096, 20 * 4096)
    assert memory["total_mib"] == 370 * 4096 * 4 / 2**20
    assert [line["role"] for line in memory["table"]] == ["temporary"] * 8 + ["output"]
    assert memory["bytes"] > 0


def test_the_document_names_what_the_design_promises(call: Any) -> None:
    found = call(*MULTIPLY, "--json").json
    assert {"table", "integer_multiplications", "memory", "kernels", "depth", "security", "warnings"} <= set(
        found
    )
    assert found["parameters"]["q"] == 2**300 - 1
    assert found["cost"]["name"] == "panthers"
    assert "PAnTHErS" in found["cost"]["source"]
    assert found["depth"]["needed"] == 1
    assert "trace" not in found
    assert found["kernels"]["butterflies"] > 0


def test_every_output_warns_of_a_ring_that_is_too_small(call: Any) -> None:
    assert any("128 bits" in line for line in call(*MULTIPLY, "--json").json["warnings"])
    assert "warning: n = 2^12, log2 q = 300" in call(*MULTIPLY).out


def test_overstretched_ntru_is_named_with_what_is_left_of_its_security(call: Any) -> None:
    words = ("count", "yashe", "multiply", *MULTIPLY[3:])
    found = call(*words, "--json").json
    assert found["security"]["bits"] < 64
    assert found["security"]["overstretched"]
    out = call(*words).out
    assert f"security: about {int(found['security']['bits'])} bits" in out
    assert "overstretched" in out


def test_noise_that_may_outgrow_the_modulus_is_told(call: Any) -> None:
    words = ("count", "fv", str(EXAMPLE), "--n", "4096", "--log-q", "100", "--log-w", "4")
    written = call(*words, "--as-written", "--json").json
    assert written["depth"]["needed"] == 10
    assert not written["depth"]["correct"]
    assert any("larger log_q" in line for line in written["warnings"])


@pytest.mark.parametrize(("order", "depth"), [("--as-written", 10), ("--minimise-depth", 5)])
def test_an_application_is_counted_in_either_order(order: str, depth: int, call: Any) -> None:
    found = call("count", "fv", str(EXAMPLE), "--n", "4096", "--log-q", "300", order, "--json").json
    assert found["what"] == "ten_products"
    assert found["depth"]["needed"] == depth
    assert found["operations"]["encrypt"] == 3
    assert found["depth"]["correct"]


def test_an_application_says_itself_in_which_order(call: Any, tmp_path: Path) -> None:
    text = EXAMPLE.read_text().replace("@fh.app(c1", "@fh.app(minimise_depth=False, c1")
    (tmp_path / "written.py").write_text(text)
    assert not load(str(tmp_path / "written.py")).minimise_depth
    found = call("count", "fv", str(tmp_path / "written.py"), "--n", "64", "--log-q", "60", "--json").json
    assert found["depth"]["needed"] == 10


def test_the_trace_is_work_and_memory_over_time(call: Any) -> None:
    found = call("count", "fv", "all", *SMALL, "--trace", "--json").json
    trace = found["trace"]
    assert trace[-1]["work"] == found["integer_multiplications"]
    assert max(moment["words"] for moment in trace) == found["memory"]["maximal"]
    shown = call("count", "fv", "all", *SMALL, "--trace").out
    assert f"{trace[-1]['work']:,}" in shown


@pytest.mark.long
@pytest.mark.parametrize("kind", ["svg", "json", "html", "png"])
def test_the_trace_is_drawn(kind: str, call: Any, tmp_path: Path) -> None:
    path = tmp_path / f"trace.{kind}"
    assert call("count", "fv", "multiply", *SMALL, "--figure", str(path)).code == 0
    assert path.stat().st_size > 1000


def test_the_modulus_may_be_given_itself(call: Any) -> None:
    q = 2**60 - 93
    found = call("count", "fv", "multiply", "--n", "64", "--q", str(q), "--json").json
    assert found["parameters"]["q"] == q
    assert found["parameters"]["log_q"] == 60


@pytest.mark.parametrize("scheme", ["fv", "YASHE", "F-NTRU", "shield"])
def test_the_terminal_shows_tables_of_at_most_100_columns(scheme: str, call: Any) -> None:
    answer = call("count", scheme, "all", *SMALL)
    assert answer.code == 0
    assert max(map(len, answer.out.splitlines())) <= 100
    for word in ("operation", "32-bit integers", "kernel", "maximal", "depth:", "security:"):
        assert word in answer.out


def test_json_is_one_document(call: Any) -> None:
    assert set(json.loads(call(*MULTIPLY, "--json").out)) >= {"scheme", "what"}


def test_what_the_user_s_file_prints_is_kept_off_stdout(call: Any, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('hello from the file')\n" + EXAMPLE.read_text())
    answer = call("count", "fv", str(tmp_path / "loud.py"), *SMALL, "--json")
    assert answer.json["what"] == "ten_products"
    assert "hello from the file" in answer.err
