"""Every Python block of the guides is run, in the order of the page."""

import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ("adding_a_scheme.md", "adding_an_application.md", "python.md")
WITHOUT_NATIVE = ("python.md",)
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_does_what_it_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name not in WITHOUT_NATIVE:
        pytest.importorskip("fheasible_native")
    monkeypatch.setenv("HOME", str(tmp_path))  # no results of the user's are read or written
    page = DOCS / name
    names: dict[str, Any] = {"__name__": name}
    blocks = BLOCK.findall(page.read_text())
    assert len(blocks) >= 3
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
