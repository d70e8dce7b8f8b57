"""The manual page is the help texts, and man can show it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fheasible.cli.manual import manual
from fheasible.cli.reference import pages

WRITTEN = Path(__file__).parents[2] / "docs" / "fheasible.1"


def test_the_written_page_is_the_generated_one() -> None:
    assert WRITTEN.read_text() == manual(), "stale: make docs"


@pytest.mark.skipif(shutil.which("groff") is None, reason="there is no groff")
def test_it_shows_every_help_text_line_by_line() -> None:
    run = ["groff", "-man", "-Tascii", "-P-cbou", "-rLL=100n", "-ww"]
    done = subprocess.run(run, input=manual(), capture_output=True, text=True, check=True)
    assert done.stderr == ""
    shown = {re.sub(r"\s+", " ", line).strip() for line in done.stdout.splitlines()}
    for _, text in pages(78):
        assert {re.sub(r"\s+", " ", line).strip() for line in text.splitlines() if line} <= shown
