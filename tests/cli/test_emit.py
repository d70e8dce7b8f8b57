"""fheasible emit: what is written, what is said, and what is refused in one message."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fheasible.estimation.profile import Profile
from fheasible.libraries.catalogue import BY_NAME

from .conftest import INTEGERS, REALS, Call

PINNED = ("--scheme", "ckks", "--param", "ring_dimension=8192", "--param", "scale_bits=40")


@pytest.fixture
def app(tmp_path: Path) -> str:
    (tmp_path / "app.py").write_text(REALS)
    return str(tmp_path / "app.py")


def test_it_writes_a_folder_and_says_what_to_do_next(app: str, tmp_path: Path, call: Call) -> None:
    answer = call("emit", app, "--to", "seal-python", "--out", str(tmp_path / "out"), *PINNED)
    assert answer.code == 0, answer.err
    assert "python -m client keys" in answer.out
    assert "app.py:6: return x * x" in (tmp_path / "out" / "server" / "evaluate.py").read_text()
    assert {f.name for f in (tmp_path / "out").iterdir()} >= {
        "README.md",
        "parameters.json",
        "client",
        "server",
    }


def test_it_says_how_long_the_evaluation_will_take(
    app: str, tmp_path: Path, call: Call, calibrated: Callable[..., Profile]
) -> None:
    out = tmp_path / "out"
    words = ("emit", app, "--to", "seal-python", "--out", str(out), *PINNED)
    assert "predicted time" not in call(*words).out
    calibrated("seal", BY_NAME["seal"].version)
    (said,) = (line for line in call(*words).out.splitlines() if line.startswith("predicted time"))
    assert f"* {said}\n" in (out / "README.md").read_text()


def test_the_readmes_command_writes_the_same_set_again(app: str, tmp_path: Path, call: Call) -> None:
    call("emit", app, "--to", "seal-python", "--out", str(tmp_path / "out"), *PINNED)
    readme = (tmp_path / "out" / "README.md").read_text()
    text = readme[readme.index("    fheasible emit") : readme.index("## Parameters")]
    words = text.replace("\\\n", " ").split()[1:]
    again = call(*words, "--out", str(tmp_path / "again"))
    assert again.code == 0, again.err
    for name in ("parameters.json", "server/evaluate.py"):
        assert (tmp_path / "again" / name).read_text() == (tmp_path / "out" / name).read_text()


def test_it_answers_in_json(app: str, tmp_path: Path, call: Call) -> None:
    answer = call("emit", app, "--to", "lattigo-go", "--out", str(tmp_path / "out"), *PINNED, "--json")
    assert answer.json["target"] == "lattigo-go"
    assert answer.json["library"] == "lattigo"
    assert set(answer.json["files"]) >= {"go.mod", "server/evaluate.go", "parameters.json"}
    assert "--to lattigo-go" in answer.json["command"]


def test_an_unknown_target_is_told_the_possible_ones(app: str, tmp_path: Path, call: Call) -> None:
    answer = call("emit", app, "--to", "seal-java", "--out", str(tmp_path / "out"))
    assert answer.code == 2
    assert "there is no target 'seal-java'" in answer.err
    assert "seal-python" in answer.err


def test_another_library_than_the_targets_is_refused(app: str, tmp_path: Path, call: Call) -> None:
    words = ("--to", "seal-python", "--library", "lattigo", "--out", str(tmp_path / "out"))
    answer = call("emit", app, *words)
    assert answer.code == 2
    assert "--to seal-python writes code for seal, but --library lattigo was given" in answer.err


def test_what_the_library_cannot_compute_is_said_with_its_reason(tmp_path: Path, call: Call) -> None:
    (tmp_path / "app.py").write_text(INTEGERS.replace("low=0, high=15", "modulo=2"))
    answer = call("emit", str(tmp_path / "app.py"), "--to", "seal-python", "--out", str(tmp_path / "out"))
    assert answer.code == 1
    assert "no parameters fit dot" in answer.err
    assert not (tmp_path / "out").exists()


def test_reals_that_no_table_of_a_library_of_look_ups_holds_may_have_less_precision(
    tmp_path: Path, call: Call
) -> None:
    """21 bits after the point and 14 before it; a table has 2^16 entries."""
    wide = "return fh.sigmoid(9000 * x, low=-9000, high=9000)"
    (tmp_path / "app.py").write_text(REALS.replace("return x * x", wide))
    out = ("--out", str(tmp_path / "out"))
    answer = call("emit", str(tmp_path / "app.py"), "--to", "tfhe-rs", "--precision", "20", *out)
    assert answer.code == 1
    assert "a table has at most 65,536" in answer.err
    assert "ask for less precision (--precision)" in answer.err


def test_nothing_is_written_where_a_foreign_file_lies(app: str, tmp_path: Path, call: Call) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "README.md").write_text("mine")
    answer = call("emit", app, "--to", "seal-python", "--out", str(tmp_path / "out"), *PINNED)
    assert answer.code == 2
    assert "is there, and is not ours" in answer.err
    assert [f.name for f in (tmp_path / "out").iterdir()] == ["README.md"]


def test_threads_are_refused_where_the_code_has_one(app: str, tmp_path: Path, call: Call) -> None:
    answer = call("emit", app, "--to", "lattigo-go", "--threads", "2", "--out", str(tmp_path / "out"))
    assert answer.code == 2
    assert "--to lattigo-go writes code for one thread" in answer.err


def test_options_of_ring_schemes_are_refused(app: str, tmp_path: Path, call: Call) -> None:
    answer = call("emit", app, "--to", "seal-python", "--noise", "average", "--out", str(tmp_path / "out"))
    assert answer.code == 2
    assert "--noise" in answer.err


@pytest.mark.parametrize(
    ("words", "said", "remedy"),
    [
        (("seal-python", "--scheme", "tfhe"), "writes ckks, bgv or bfv", "--to tfhe-rs"),
        (("tfhe-rs", "--scheme", "bgv"), "writes tfhe", "--to lattigo-go"),
        (("seal-python", "--scheme", "fv"), "but --scheme fv", "--library reference executes them"),
        (("seal-python", "--scheme", "nothing"), "but --scheme nothing", "no target has nothing"),
        (("seal-cpp", "--library", "tfhe_rs"), "but --library tfhe_rs", "--to tfhe-rs"),
        (("seal-cpp", "--library", "reference"), "but --library reference", "executes them"),
    ],
)
def test_what_the_target_lacks_is_told_with_the_target_that_has_it(
    words: tuple[str, ...], said: str, remedy: str, app: str, tmp_path: Path, call: Call
) -> None:
    answer = call("emit", app, "--to", *words, "--out", str(tmp_path / "out"))
    assert answer.code == 2
    error, told = answer.err.strip().splitlines()
    assert said in error
    assert remedy in told


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_read(tmp_path: Path, call: Call) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "README.md").write_text("mine")
    for out, said in (("file", "is a file"), ("file/below", "is a file"), ("full", "is not ours")):
        answer = call("emit", "gone.py", "--to", "seal-python", "--out", str(tmp_path / out))
        assert answer.code == 2
        assert said in answer.err
        assert "--out" in answer.err
