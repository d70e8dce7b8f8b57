"""What an optional part needs is told with the remedy, before any work is done."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from fheasible import extras
from fheasible.errors import ExtraMissing
from fheasible.extras import need

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
HERE = ("report", "web", "arrow", "examples")


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> "list[str]":
    """Names of packages that count as not installed."""
    absent: list[str] = []

    def told(name: str) -> str:
        if name in absent:
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(extras, "version", told)
    return absent


@pytest.mark.parametrize("extra", HERE)
def test_what_is_installed_is_no_error(extra: str) -> None:
    need(extra, "figures")


@pytest.mark.parametrize("extra", HERE)
def test_each_package_of_an_extra_is_told_as_the_project_asks_for_it(extra: str, without: list[str]) -> None:
    for asked in PROJECT["optional-dependencies"][extra]:
        name = re.split(r"[<>=]", asked)[0]
        without[:] = [name]
        with pytest.raises(
            ExtraMissing, match=f"(?m)^figures need {name}, which is not installed$"
        ) as caught:
            need(extra, "figures")
        assert caught.value.remedy == f'install the extra {extra}: pip install "{asked}"'


def test_several_are_told_together(without: list[str]) -> None:
    without += ["altair", "jinja2"]
    with pytest.raises(ExtraMissing, match="need altair and jinja2, which are not installed") as caught:
        need("report", "pages")
    assert caught.value.exit_code == 1


def test_sources_without_an_installation_ask_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "_OWN", "a-package-that-nobody-has")
    need("report", "pages")
