"""NOTICE names what is linked and run, and uv comes with hashes."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTICE = (ROOT / "NOTICE").read_text().lower()


def named(requirement: str) -> str:
    return re.split(r"[<>=\[ ;]", requirement)[0].lower()


def test_every_package_that_is_asked_for_is_named() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    crates = tomllib.loads((ROOT / "native" / "Cargo.toml").read_text())["dependencies"]
    modules = re.findall(r"^\t(\S+) v\S+$", (ROOT / "workers/lattigo/go.mod").read_text(), re.MULTILINE)
    modules = [re.sub(r"/v\d+$", "", name).removeprefix("github.com/tuneinsight/") for name in modules]
    workers = [
        line.split("#")[0].strip()
        for name in ("seal", "openfhe")
        for line in (ROOT / "workers" / name / "requirements.in").read_text().splitlines()
    ]
    wanted = [*map(named, project["project"]["dependencies"]), *crates, *modules, *map(named, workers)]
    assert [name for name in wanted if name not in NOTICE] == []


def test_a_licence_that_grants_no_patents_is_named_as_such() -> None:
    (line,) = [line for line in NOTICE.splitlines() if line.strip().startswith("tfhe-ntt")]
    assert "bsd-3-clause-clear" in line
    assert "no patent rights" in line


def test_both_packages_bring_the_licence() -> None:
    assert (ROOT / "native" / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    for folder, files in ((ROOT, ["LICENSE", "NOTICE"]), (ROOT / "native", ["LICENSE"])):
        project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        assert project["license-files"] == files


def test_uv_is_installed_by_its_hash() -> None:
    lock = (ROOT / "requirements-uv.lock").read_text()
    assert re.search(r"^uv==[\d.]+ \\$", lock, re.MULTILINE)
    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", lock)) >= 10
    (install,) = re.findall(
        r"pip install [^\n]*\\\n[^\n]*requirements-uv\.lock", (ROOT / "Makefile").read_text()
    )
    assert "--require-hashes" in install
