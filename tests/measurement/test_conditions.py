"""The conditions of a machine are read where the kernel tells them; what it does not tell is unknown."""

import json
from pathlib import Path

from fheasible.measurement.conditions import Conditions, conditions
from fheasible.measurement.environment import observe
from machines import CONTAINERS, GIB, MACHINES, Facts, on


def seen(facts: Facts, folder: Path) -> Conditions:
    with on(facts, folder):
        return conditions()


def test_a_laptop_follows_the_load_and_has_turbo(tmp_path: Path) -> None:
    c = seen(MACHINES["laptop"], tmp_path)
    assert (c.governor, c.turbo, c.numa_nodes) == ("powersave", True, 1)
    assert (c.swap_bytes, c.swap_used_bytes) == (8 * GIB, GIB)
    assert (c.control_groups, c.cpu_limit, c.memory_limit_bytes) == (2, None, None)
    assert (c.container, c.virtual) == (None, False)


def test_a_server_may_have_the_general_driver_and_several_nodes(tmp_path: Path) -> None:
    c = seen(MACHINES["server"], tmp_path)
    assert (c.governor, c.turbo, c.numa_nodes) == ("performance", False, 2)


def test_limits_of_version_1_are_read_in_the_group_and_above_it(tmp_path: Path) -> None:
    c = seen(CONTAINERS["container"], tmp_path)
    assert (c.control_groups, c.cpu_limit, c.memory_limit_bytes) == (1, 1.5, 4 * GIB)
    assert (c.container, c.virtual) == ("Docker", True)


def test_the_least_limit_of_version_2_holds(tmp_path: Path) -> None:
    c = seen(CONTAINERS["pod"], tmp_path)
    assert (c.control_groups, c.cpu_limit, c.memory_limit_bytes) == (2, 2.0, 2 * GIB)
    assert c.container == "Kubernetes"


def test_what_the_system_does_not_tell_is_unknown(tmp_path: Path) -> None:
    c = seen(MACHINES["unknown"], tmp_path)
    assert [c.governor, c.turbo, c.virtual, c.numa_nodes, c.control_groups] == [None] * 5
    assert c.swap_bytes == 0


def test_cores_of_several_governors_are_mixed(tmp_path: Path) -> None:
    with on(MACHINES["laptop"], tmp_path):
        (tmp_path / "cpus/cpu2/cpufreq/scaling_governor").write_text("performance\n")
        assert conditions().governor == "mixed"


def test_they_are_part_of_the_environment_and_leave_the_machine_the_same(tmp_path: Path) -> None:
    with on(CONTAINERS["pod"], tmp_path):
        content = observe("seal").finished().to_json()
    assert content["conditions"]["cpu_limit"] == 2.0
    assert content["conditions"]["governor"] is None
    with on(CONTAINERS["pod"], tmp_path):
        (tmp_path / "groups/kubepods/pod1/cpu.max").write_text("100000 100000")
        again = observe("seal").to_json()
    assert again["machine"] == content["machine"]
    assert again["conditions"]["cpu_limit"] == 1.0
    json.dumps(content)


def test_this_machine_tells_its_own_without_an_error() -> None:
    json.dumps(conditions().to_json())
