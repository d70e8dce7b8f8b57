"""audit: what is answered on a file, and the exit codes."""

from pathlib import Path
from typing import Any

SECURE = """
import tenseal as ts
context = ts.context(ts.SCHEME_TYPE.CKKS, 8192, coeff_mod_bit_sizes=[60, 40, 40, 60])
context.global_scale = 2**40
"""


def written(folder: Path, text: str, name: str = "context.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_a_secure_set_is_told_with_its_figures(call: Any, tmp_path: Path) -> None:
    file = written(tmp_path, SECURE)
    answer = call("audit", file, "--json")
    (one,) = answer.json["sets"]
    assert answer.code == 0
    assert (one["insecure"], one["depth"], one["security"]["standard_bits"]) == (False, 2, 128)
    assert one["found"]["form"] == "TenSEAL (Python)"
    shown = call("audit", file)
    assert shown.code == 0
    assert "128-bit secure" in shown.out
    assert "depth 2" in shown.out


def test_an_insecure_set_ends_with_one(call: Any, tmp_path: Path) -> None:
    answer = call("audit", written(tmp_path, SECURE.replace("8192", "4096")))
    assert answer.code == 1
    assert "insecure:" in answer.out
    assert "instead:" in answer.out


def test_the_search_s_own_choice_stands_beside(call: Any, tmp_path: Path, reals: str) -> None:
    answer = call("audit", written(tmp_path, SECURE), "--app", reals, "--json")
    told = answer.json["recommended"]
    assert told["fits"]
    assert told["security_bits"] >= 120
    shown = call("audit", written(tmp_path, SECURE), "--app", reals).out
    assert "our search takes" in " ".join(shown.split())


def test_mistakes_are_answered_in_one_message_without_a_traceback(call: Any, tmp_path: Path) -> None:
    for words, code in (
        (("audit", str(tmp_path / "absent.py")), 1),
        (("audit", str(tmp_path)), 1),
        (("audit", written(tmp_path, "x = 1", "none.py")), 1),
        (("audit", written(tmp_path, "x = (", "broken.py")), 1),
        (("audit", written(tmp_path, SECURE), "--precision", "15"), 2),
    ):
        answer = call(*words)
        assert answer.code == code
        assert answer.out == ""
        assert answer.err.startswith("error:")
        assert "Traceback" not in answer.err
        assert "fault in Fheasible" not in answer.err
