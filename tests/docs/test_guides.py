"""Every Python block of the guides is run, in the order of the page. What the guides build is added to a copy
of the repository as they say, and used there by the command line."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .guide import DOCS, blocks, commands, copied, fheasible, follow

GUIDES = ("adding_a_scheme.md", "adding_an_application.md", "models.md", "python.md")
WITHOUT_NATIVE = ("models.md", "python.md")
EXTRAS = {"models.md": "onnx"}
NATIVE = find_spec("fheasible_native") is not None


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_does_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name not in WITHOUT_NATIVE:
        pytest.importorskip("fheasible_native")
    if name in EXTRAS:
        pytest.importorskip(EXTRAS[name])
    if name in WITHOUT_NATIVE:
        monkeypatch.chdir(tmp_path)  # where it writes files
    monkeypatch.setenv("HOME", str(tmp_path))  # no results of the user's are read or written
    page = DOCS / name
    names: dict[str, Any] = {"__name__": name}
    found = blocks(name, "python")
    assert len(found) >= 3
    for block in found:
        exec(compile(block, str(page), "exec"), names)


def followed(page: str, folder: Path, without: frozenset[str] = frozenset()) -> dict[str, str]:
    """What each command of the page says, by its verb, in a copy to which the page's files were added."""
    follow(page, copied(folder))
    said = {}
    for verb, *rest in commands(page):
        if verb in without:
            continue
        if verb == "verify" and not NATIVE:
            pytest.skip("the exact ring is not built, so nothing can be run on it")
        done = fheasible(folder, verb, *rest)
        assert done.returncode == 0, done.stdout + done.stderr
        said[verb] = done.stdout
    return said


@pytest.mark.long
def test_a_scheme_written_by_the_guide_is_counted_explored_and_run(tmp_path: Path) -> None:
    said = followed("adding_a_scheme.md", tmp_path)
    assert list(said) == ["count", "explore", "verify"]
    assert all("toy" in page.lower() for page in said.values())
    assert "the decrypted result is right: exact" in said["verify"]


@pytest.mark.long
def test_a_library_written_by_the_guide_is_installed_explored_and_run(tmp_path: Path) -> None:
    said = followed("adding_a_library.md", tmp_path, without=frozenset(("calibrate",)))
    assert list(said) == ["libraries", "explore", "verify"]
    assert "toy: installed" in said["libraries"]
    assert "run it:\n  fheasible run distance.py --library toy --scheme bfv" in said["explore"]
    assert "the decrypted result is right: exact" in said["verify"]
    for size in ("ciphertext", "public key", "evaluation keys", "secret key"):
        assert re.search(rf"^{size} .* 0\.0 %$", said["verify"], re.MULTILINE)
    words = ("--library", "toy", "--scheme", "bfv", "--depth", "1", "--repetitions", "2", "--passes", "1")
    measured = fheasible(tmp_path, "measure", "add", "encode-encrypt", "encode", "keygen-pair", *words)
    assert re.search(r"^Toy BFV +encode_encrypt +0 ", measured.stdout, re.MULTILINE), measured.stderr
    assert "not available: encode, keygen_pair (Toy BFV): this worker cannot do it" in measured.stdout


@pytest.mark.slow
def test_a_library_written_by_the_guide_is_calibrated(tmp_path: Path) -> None:
    said = followed("adding_a_library.md", tmp_path)
    assert re.search(r"^Toy +1\.0 .* new$", said["calibrate"], re.MULTILINE)
    assert "nine of ten predicted times are within" in said["verify"]
