"""The targets by name, and their files."""

import pytest

from fheasible.emission.targets.catalogue import TARGETS, target
from fheasible.errors import UnknownName


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_is_found_by_its_name_in_any_case(name: str) -> None:
    assert target(name.upper()).name == name


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_has_client_server_and_build_file(name: str) -> None:
    files = target(name).static_files()
    assert {path.split("/")[0] for path in files} >= {"client", "server"}
    assert files.keys() & {"requirements.txt", "go.mod", "Cargo.toml", "CMakeLists.txt"}


def test_another_name_is_told_the_possible_ones() -> None:
    with pytest.raises(UnknownName) as unknown:
        target("seal")
    assert all(name in unknown.value.remedy for name in TARGETS)
