from dataclasses import replace
from pathlib import Path

import pytest

from fheasible.measurement.machine import Machine, _caches, _processor, load, this_machine

TWO_PROCESSORS = """processor\t: 0
model name\t: Some CPU @ 2.00GHz
flags\t\t: sse2 avx avx2

processor\t: 1
model name\t: Another CPU
flags\t\t: sse2
"""


def a_machine() -> Machine:
    return Machine("Some CPU", ("avx", "sse2"), 2, 24 * 2**30, {"L2 Unified": "1024K"}, "Some OS", "5.1")


def test_the_first_processor_is_read_from_the_kernels_file(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(TWO_PROCESSORS)
    assert _processor(tmp_path / "cpuinfo") == ("Some CPU @ 2.00GHz", ("avx", "avx2", "sse2"))


@pytest.mark.long
def test_without_the_kernels_file_the_processor_is_still_named(tmp_path: Path) -> None:
    cpu, _ = _processor(tmp_path / "absent")
    assert cpu


def test_caches_are_read_by_level_and_kind(tmp_path: Path) -> None:
    for name, content in {"level": "2\n", "type": "Unified\n", "size": "1024K\n"}.items():
        (tmp_path / "index0").mkdir(exist_ok=True)
        (tmp_path / "index0" / name).write_text(content)
    (tmp_path / "index1").mkdir()
    assert _caches(tmp_path) == {"L2 Unified": "1024K"}


def test_the_fingerprint_stays_with_a_new_system_and_a_little_less_memory() -> None:
    updated = replace(a_machine(), os="Newer OS", kernel="6.0", memory_bytes=24 * 2**30 - 5_000_000)
    assert updated.fingerprint == a_machine().fingerprint


def test_the_fingerprint_changes_with_the_hardware() -> None:
    others = [
        replace(a_machine(), cpu="Other CPU"),
        replace(a_machine(), cores=4),
        replace(a_machine(), memory_bytes=48 * 2**30),
        replace(a_machine(), flags=("sse2",)),
    ]
    assert len({m.fingerprint for m in [a_machine(), *others]}) == 5


def test_this_machine_is_described_in_json() -> None:
    described = this_machine().to_json()
    assert described["machine"] == this_machine().fingerprint
    assert described["cores"] >= 1
    assert described["memory_bytes"] > 2**28
    assert load() >= 0


@pytest.mark.parametrize(
    ("caches", "l2", "l3"),
    [
        ({"L1 Data": "32K", "L2 Unified": "1024K", "L3 Unified": "32M"}, 1_048_576, 33_554_432),
        ({"L2 Unified": "1280k", "L3 Unified": "16384K"}, 1_310_720, 16_777_216),
        ({"L2 Data": "512K", "L2 Instruction": "64K"}, 524_288, None),  # a second level apart for data
        ({"L2 Unified": "1048576", "L3 Unified": "1G"}, 1_048_576, 1_073_741_824),
        ({"L2 Unified": "unknown", "L3 Unified": ""}, None, None),
        ({}, None, None),
    ],
)
def test_cache_sizes_are_read_in_bytes(caches: dict[str, str], l2: int | None, l3: int | None) -> None:
    machine = replace(a_machine(), caches=caches)
    assert (machine.l2_bytes, machine.l3_bytes) == (l2, l3)
