"""Every Python block of the guides is run, in the order of the page. What the guides build is added to a copy
of the repository as they say, and used there by the command line."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .guide import DOCS, blocks, commands, copied, fheasible, follow

GUIDES = ("adding_a_scheme.md", "adding_an_application.md", "python.md")
WITHOUT_NATIVE = ("python.md",)
NATIVE = find_spec("fheasible_native") is not None


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_does_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name not in WITHOUT_NATIVE:
        pytest.importorskip("fheasible_native")
    monkeypatch.setenv("HOME", str(tmp_path))  # no results of the user's are read or written
    page = DOCS / name
    names: dict[str, Any] = {"__name__": name}
    found = blocks(name, "python")
    assert len(found) >= 3
    for block in found:
        exec(compile(block, str(page), "exec"), names)


def test_a_scheme_written_by_the_guide_is_counted_explored_and_run(tmp_path: Path) -> None:
    page, folder = "adding_a_scheme.md", copied(tmp_path)
    follow(page, folder)
    assert [verb for verb, *_ in commands(page)] == ["count", "explore", "verify"]
    for verb, *rest in commands(page):
        if verb == "verify" and not NATIVE:
            pytest.skip("the exact ring is not built, so nothing can be run on it")
        done = fheasible(folder, verb, *rest)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "toy" in done.stdout.lower()
    assert "the decrypted result is right: exact" in done.stdout
