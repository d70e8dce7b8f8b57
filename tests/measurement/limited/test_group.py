"""Control groups of both versions, read from files as real kernels write them.

Those of version 1, of pressure and of vmstat are from Linux 6.18 and a process that held 150 MiB under a
limit of 64 MiB, with and without swap. Those of version 2 are published outputs of a service that was killed
and of a root group; their rows pswpin and pswpout, which newer kernels add, are as the kernel's cgroup-v2.rst
has them.
"""

import os
from pathlib import Path

import pytest

from fheasible.errors import LimitImpossible
from fheasible.measurement.groups import Group
from fheasible.measurement.limited.group import GROUP, MACHINE, MemoryGroup, place_of_group
from fheasible.measurement.limited.limit import MemoryLimit

PAGE = os.sysconf("SC_PAGE_SIZE")
LIMIT = MemoryLimit(256 * 2**20, 2**31)
STAT_1 = """cache 0
rss 66211840
rss_huge 0
workingset_refault_anon 115827
swap 93569024
swapcached 66543616
pgpgin 154941
pgpgout 138671
pgfault 154710
pgmajfault 41502
inactive_anon 66592768
hierarchical_memory_limit 67108864
hierarchical_memsw_limit 335544320
total_swap 93569024
total_pgfault 154710
total_pgmajfault 41502
"""
STAT_2 = """anon 2049646592
file 9518583808
kernel 925802496
swapcached 12288
workingset_refault_anon 0
pswpin 30
pswpout 70
pgscan 1629223
pgsteal 1570393
pgfault 2567200536
pgmajfault 2890
swpin_zero 0
zswpin 0
"""
EVENTS_2 = "low 0\nhigh 0\nmax 35\noom 1\noom_kill 1\noom_group_kill 0\n"
OOM_1 = "oom_kill_disable 0\nunder_oom 0\noom_kill {}\n"
VMSTAT = "nr_free_pages 5265339\npswpin 2734886\npswpout 1208496\npgfault 925595213\n"
PRESSURE = (
    "some avg10=21.01 avg60=11.09 avg300=5.04 total=120331493\n"
    "full avg10=9.42 avg60=5.57 avg300=2.58 total=91394522\n"
)


def written(folder: Path, **files: str) -> Path:
    """The folder with those files; two underscores in a name stand for a dot."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    written(tmp_path / "proc" / "pressure", memory=PRESSURE)
    return written(tmp_path / "proc", vmstat=VMSTAT)


def test_version_1_tells_of_the_group_and_for_swap_of_the_machine(tmp_path: Path, proc: Path) -> None:
    folder = written(
        tmp_path / "group", memory__stat=STAT_1, memory__oom_control=OOM_1.format(0),
        memory__failcnt="141263\n", memory__limit_in_bytes="67108864\n",
        memory__memsw__limit_in_bytes="335544320\n", memory__usage_in_bytes="67039232\n",
        memory__max_usage_in_bytes="67108864\n",
    )  # fmt: skip
    group = MemoryGroup(folder, 1, proc)
    found = group.figures()
    assert (found.page_faults, found.major_faults, found.limit_hits) == (154710, 41502, 141263)
    assert (found.read_bytes, found.written_bytes) == (2734886 * PAGE, 1208496 * PAGE)
    assert (found.swapped_bytes, found.held_bytes, found.most_held_bytes) == (93569024, 67039232, 67108864)
    assert (found.swap_of, found.pressure_of) == (MACHINE, MACHINE)
    assert found.some_seconds == pytest.approx(120.331493)
    assert found.full_seconds == pytest.approx(91.394522)
    assert not group.has_killed()


def test_version_1_counts_kills_but_not_how_often_a_limit_without_swap_was_reached(tmp_path: Path) -> None:
    """The kernel writes 0 there, although the process was killed at the limit."""
    folder = written(
        tmp_path / "group", memory__oom_control=OOM_1.format(1), memory__failcnt="0\n",
        memory__limit_in_bytes="67108864\n", memory__memsw__limit_in_bytes="67108864\n",
    )  # fmt: skip
    group = MemoryGroup(folder, 1)
    assert group.has_killed()
    assert group.figures().limit_hits is None


@pytest.mark.parametrize(("since", "whose", "read"), [("6.13", GROUP, 30), ("6.6", MACHINE, 2734886)])
def test_version_2_tells_of_the_group_what_its_kernel_knows(
    since: str, whose: str, read: int, tmp_path: Path, proc: Path
) -> None:
    stat = STAT_2 if since == "6.13" else "".join(x for x in STAT_2.splitlines(True) if "pswp" not in x)
    folder = written(
        tmp_path / "group", memory__stat=stat, memory__events=EVENTS_2, memory__pressure=PRESSURE,
        memory__current="278528\n", memory__peak="536870912\n", memory__swap__current="8192\n",
    )  # fmt: skip
    group = MemoryGroup(folder, 2, proc)
    found = group.figures()
    assert (found.page_faults, found.major_faults, found.limit_hits) == (2567200536, 2890, 35)
    assert (found.swap_of, found.read_bytes) == (whose, read * PAGE)
    assert (found.swapped_bytes, found.held_bytes, found.most_held_bytes) == (8192, 278528, 536870912)
    assert (found.pressure_of, found.full_seconds) == (GROUP, pytest.approx(91.394522))
    assert group.has_killed()


def test_what_the_kernel_does_not_tell_is_unknown_and_not_zero(tmp_path: Path) -> None:
    for version in (1, 2):
        found = MemoryGroup(written(tmp_path / "group"), version, tmp_path).figures()
        assert found.page_faults is None
        assert found.read_bytes is None
        assert found.some_seconds is None
        assert found.kills is None


@pytest.mark.parametrize(
    ("version", "files"),
    [
        (1, {"memory.limit_in_bytes": 256 * 2**20, "memory.memsw.limit_in_bytes": 256 * 2**20 + 2**31}),
        (2, {"memory.max": 256 * 2**20, "memory.swap.max": 2**31}),
    ],
)
def test_the_limit_is_written_as_the_version_counts_it(
    version: int, files: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / "made"
    written(made, **{name.replace(".", "__"): "max" for name in files})
    monkeypatch.setattr(Path, "mkdir", lambda _: None)  # the kernel fills a new group with its files
    MemoryGroup(made, version).make(LIMIT)
    assert {name: int((made / name).read_text()[:10]) for name in files} == files


def test_a_kernel_that_counts_no_swap_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(LimitImpossible, match=r"does not limit 256 MiB of memory with 2[.]00 GiB") as caught:
        MemoryGroup(tmp_path / "made", 1).make(LIMIT)
    assert "swapaccount=1" in caught.value.remedy


def own(tmp_path: Path, lines: str) -> Path:
    (tmp_path / "own").write_text(lines)
    return tmp_path / "own"


def test_the_group_is_made_in_the_own_one_of_version_1(tmp_path: Path) -> None:
    groups = tmp_path / "cgroup"
    for folder in (groups / "memory", groups / "memory" / "a", groups / "memory" / "a" / "b"):
        written(folder, memory__limit_in_bytes="9223372036854771712", cgroup__procs="1\n")
    mine = own(tmp_path, "4:memory:/a/b\n0::/\n")
    assert place_of_group(groups, mine) == Group(groups / "memory" / "a" / "b", 1)


def test_the_group_is_made_where_version_2_shares_memory_out(tmp_path: Path) -> None:
    """In a user's session of systemd, that is app.slice, above the scope that holds the process."""
    groups = tmp_path / "cgroup"
    scope = groups / "user.slice" / "app.slice" / "run-1.scope"
    for folder in (scope, scope.parent):
        written(folder, cgroup__controllers="memory pids", cgroup__procs="")
    written(scope.parent, cgroup__subtree_control="memory pids")
    (scope / "cgroup.subtree_control").mkdir()  # cannot be written, as in a group that holds processes
    mine = own(tmp_path, "0::/user.slice/app.slice/run-1.scope\n")
    assert place_of_group(groups, mine) == Group(scope.parent, 2)


def test_a_delegated_group_of_version_2_is_told_to_share_memory_out(tmp_path: Path) -> None:
    groups = tmp_path / "cgroup"
    folder = written(
        groups / "mine", cgroup__controllers="cpu memory", cgroup__procs="", cgroup__subtree_control=""
    )
    with pytest.raises(LimitImpossible):  # a kernel would list what was asked for as 'memory'
        place_of_group(groups, own(tmp_path, "0::/mine\n"))
    assert (folder / "cgroup.subtree_control").read_text() == "+memory"


def test_without_control_groups_one_message_says_what_can_be_done(tmp_path: Path) -> None:
    with pytest.raises(LimitImpossible, match="there are none here") as caught:
        place_of_group(tmp_path / "none", tmp_path / "nothing")
    assert "systemd-run --user --scope" in caught.value.remedy


def test_groups_of_others_are_told_apart_from_none(tmp_path: Path) -> None:
    groups = tmp_path / "cgroup"
    written(groups, cgroup__controllers="cpu", cgroup__procs="")
    with pytest.raises(LimitImpossible, match="this user may make no"):
        place_of_group(groups, own(tmp_path, "0::/\n"))
