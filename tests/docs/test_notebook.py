"""The example notebook runs from its first cell to its last, and shows what it shows."""

from pathlib import Path

import pytest

from .notebook import NOTEBOOK, WORKER, read, run

MOST_BYTES = 60_000


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An own folder, with an own store."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def kinds(outputs: list[dict[str, object]]) -> list[object]:
    """What a notebook shows of each output."""
    return [sorted(one.get("data", {})) or one["output_type"] for one in outputs]  # type: ignore[call-overload]


def test_every_cell_runs_and_shows_what_the_notebook_keeps(folder: Path) -> None:
    ran = list(run(read(), without=WORKER))
    assert len(ran) > 6
    for cell, outputs in ran:
        assert kinds(outputs) == kinds(cell["outputs"]), cell["source"]
    assert (folder / "spread.html").stat().st_size > 50_000
    assert (folder / "spread" / "README.md").is_file()


@pytest.mark.worker
def test_the_cells_that_run_a_library_do(folder: Path) -> None:
    shown = {"".join(cell["source"]): outputs for cell, outputs in run(read())}
    (found,) = next(outputs for source, outputs in shown.items() if "fh.verify" in source)
    assert "the decrypted result is right" in "".join(found["data"]["text/html"])


def test_the_notebook_is_small_and_names_no_folder_of_a_machine() -> None:
    text = NOTEBOOK.read_text()
    assert len(text) < MOST_BYTES
    assert "/home/" not in text
    assert "/tmp" not in text
