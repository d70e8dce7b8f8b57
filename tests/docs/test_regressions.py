"""docs/regressions.md says what the commands take."""

import re
import shlex

import pytest
from typer.main import get_command

from fheasible.cli.main import app
from fheasible.comparison.selection import selection

from .guide import DOCS

PAGE = (DOCS / "regressions.md").read_text()
CALL = re.compile(r"fheasible ((?:compare|export|import|calibrate|libraries install)\b[^`|\n\\]*)")


def test_every_option_on_the_page_exists() -> None:
    found = 0
    for call in CALL.findall(PAGE):
        word, *options = shlex.split(call)
        known = {o for p in get_command(app).commands[word].params for o in p.opts} | {"install"}  # type: ignore[attr-defined]
        used = {option for option in options if option.startswith("--")}
        assert used <= known | {"--json"}, call
        found += 1
    assert found > 8


@pytest.mark.parametrize("terms", re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))
def test_every_term_on_the_page_is_understood(
    terms: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path_factory.mktemp("here")
    monkeypatch.chdir(folder)
    for name in ("old.jsonl", "lab.sqlite"):
        (folder / name).touch()
    listed = re.findall("`(.*?)`", terms)
    assert listed
    assert all(selection(term).text == term for term in listed)


def test_the_action_fails_with_the_exit_code_of_compare() -> None:
    (action,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (step,) = [part for part in action.split("- name:") if "fheasible compare" in part]
    assert "| tee" in step
    assert 'exit "${PIPESTATUS[0]}"\n        shell: bash' in step
