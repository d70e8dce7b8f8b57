"""Control groups of both versions, read from files as real kernels write them.

Those of version 1 come from Linux 6.18 with a run of SEAL under 256 MiB and 2 GiB of swap. Those of version 2
have the names and the form of the kernel's Documentation/admin-guide/cgroup-v2.rst.
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
STAT_1 = """cache 10477568
rss 9142272
mapped_file 7479296
workingset_refault_anon 96101
swap 579862528
pgpgin 142199
pgfault 821357
pgmajfault 96248
hierarchical_memory_limit 268435456
total_swap 579862528
total_pgfault 821357
"""
STAT_2 = """anon 17604608
file 0
kernel 1171456
swapcached 8192
workingset_refault_anon 12
pswpin 30
pswpout 70
pgfault 5310
pgmajfault 42
"""
EVENTS_2 = "low 0\nhigh 0\nmax 1907\noom 1\noom_kill 1\noom_group_kill 0\n"
OOM_1 = "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"
VMSTAT = "nr_free_pages 5265339\npswpin 606720\npswpout 233222\npgfault 925595213\n"
PRESSURE = (
    "some avg10=0.00 avg60=1.35 avg300=0.87 total=100502383\n"
    "full avg10=0.00 avg60=0.93 avg300=0.60 total=81178967\n"
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
        tmp_path / "group", memory__stat=STAT_1, memory__oom_control=OOM_1, memory__failcnt="183114\n",
        memory__usage_in_bytes="268402688\n", memory__max_usage_in_bytes="268435456\n",
    )  # fmt: skip
    group = MemoryGroup(folder, 1, proc)
    found = group.figures()
    assert (found.page_faults, found.major_faults, found.limit_hits) == (821357, 96248, 183114)
    assert (found.read_bytes, found.written_bytes) == (606720 * PAGE, 233222 * PAGE)
    assert (found.swapped_bytes, found.most_held_bytes) == (579862528, 268435456)
    assert (found.swap_of, found.pressure_of) == (MACHINE, MACHINE)
    assert found.some_seconds == pytest.approx(100.502383)
    assert found.full_seconds == pytest.approx(81.178967)
    assert group.kills == 2


@pytest.mark.parametrize(("since", "whose", "read"), [("6.13", GROUP, 30), ("6.6", MACHINE, 606720)])
def test_version_2_tells_of_the_group_what_its_kernel_knows(
    since: str, whose: str, read: int, tmp_path: Path, proc: Path
) -> None:
    stat = STAT_2 if since == "6.13" else "".join(x for x in STAT_2.splitlines(True) if "pswp" not in x)
    folder = written(
        tmp_path / "group", memory__stat=stat, memory__events=EVENTS_2, memory__pressure=PRESSURE,
        memory__current="18776064\n", memory__peak="268435456\n", memory__swap__current="8192\n",
    )  # fmt: skip
    group = MemoryGroup(folder, 2, proc)
    found = group.figures()
    assert (found.page_faults, found.major_faults, found.limit_hits) == (5310, 42, 1907)
    assert (found.swap_of, found.read_bytes) == (whose, read * PAGE)
    assert (found.swapped_bytes, found.held_bytes, found.most_held_bytes) == (8192, 18776064, 268435456)
    assert (found.pressure_of, found.full_seconds) == (GROUP, pytest.approx(81.178967))
    assert group.kills == 1


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
