"""Free memory is the least that the machine, the control groups of both versions and ulimit leave."""

import subprocess
import sys
from pathlib import Path

import pytest

from fheasible.measurement.memory import free_bytes

MIB = 2**20


def group(folder: Path, names: tuple[str, str, str], limit: str, used: int, cached: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{names[2]} {cached}\nother 7\n")


V1 = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
V2 = ("memory.max", "memory.current", "inactive_file")


@pytest.mark.parametrize(
    ("names", "root", "line"), [(V2, "", "0::/user/run"), (V1, "memory", "7:cpu,memory:/user/run")]
)
def test_the_nearest_limit_of_a_group_or_of_one_above_it_holds(
    tmp_path: Path, names: tuple[str, str, str], root: str, line: str
) -> None:
    groups, own = tmp_path / "cgroup", tmp_path / "own"
    own.write_text(f"3:cpuset:/elsewhere\n{line}\n")
    group(groups / root, names, "max", 0, 0)
    group(groups / root / "user", names, str(100 * MIB), 40 * MIB, 5 * MIB)
    group(groups / root / "user/run", names, str(80 * MIB), 10 * MIB, 0)
    assert free_bytes(groups, own) == 65 * MIB
    group(groups / root / "user/run", names, str(80 * MIB), 70 * MIB, 0)
    assert free_bytes(groups, own) == 10 * MIB
    group(groups / root / "user/run", names, str(80 * MIB), 90 * MIB, 0)
    assert free_bytes(groups, own) == 0


def test_without_groups_the_machine_decides(tmp_path: Path) -> None:
    assert free_bytes(tmp_path, tmp_path / "none") > 100 * MIB


def test_a_limit_on_addresses_is_a_limit_on_memory() -> None:
    code = (
        "import resource; from fheasible.measurement.memory import free_bytes; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({900 * MIB}, -1)); print(free_bytes())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 900 * MIB
