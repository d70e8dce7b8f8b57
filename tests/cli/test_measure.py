"""measure: single operations in every form, stored, and what is refused."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

from fheasible.api.operations import COLUMNS, levels_of, slots_of
from fheasible.errors import UsageError
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import request_for
from fheasible.measurement import operation_passes, registry
from fheasible.measurement.operations import OPERATIONS

TOY = ("--library", "seal", "--param", "ring_dimension=2048", "--security", "none", "--depth", "2")
QUICK = ("--repetitions", "2", "--passes", "1")

ALL = tuple(name for name in OPERATIONS if name != "bootstrap")  # of parameters without a bootstrap

live = pytest.mark.skipif(not registry.command("seal").installed, reason="SEAL's worker is not installed")


@pytest.fixture
def as_if_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every library counts as installed."""
    monkeypatch.setattr("fheasible.cli.which.installed", lambda _: True)


@pytest.mark.worker
@live
def test_every_operation_is_shown_beside_its_prediction_and_stored(
    call: Any, calibrated: Any, tmp_path: Path
) -> None:
    calibrated("seal", "4.4.0")
    table = tmp_path / "operations.csv"
    told = call("measure", *TOY, *QUICK, "--csv", str(table), "--json").json
    by_name = {row["operation"]: row for row in told["operations"]}
    assert tuple(by_name) == ALL
    mul, encode, switch = by_name["mul"], by_name["encode"], by_name["key_switch"]
    assert mul["cpu_seconds"] == min(s for samples in mul["cpu_samples"] for s in samples)
    assert mul["error"] == pytest.approx(mul["predicted_seconds"] / mul["cpu_seconds"] - 1)
    assert encode["predicted_seconds"] is None
    assert "encode_encrypt" in encode["unpredicted"]
    assert encode["cpu_seconds"] > 0
    assert switch["cpu_seconds"] is None
    assert "SEAL" in switch["refused"]
    assert told["jobs"][0]["sizes"]["plaintext"] > 0
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert tuple(r["operation"] for r in rows) == ALL
    again = call("measure", *TOY, *QUICK, "--json").json
    assert again["jobs"][0]["stored_before"] == 1
    assert again["operations"] == told["operations"]


@pytest.mark.worker
@live
def test_levels_and_lengths_are_measured_each_and_the_text_names_what_lacks(call: Any) -> None:
    words = ("mul", "rotate", "key-switch", "--level", "0:2", "--slots", "4,1024")
    answer = call("measure", *words, *TOY, *QUICK)
    assert answer.code == 0
    lines = [line.split() for line in answer.out.splitlines() if line.startswith("SEAL CKKS ")]
    found = {(line[2], line[3], line[4]) for line in lines}
    assert found == {
        *(("mul", level, slots) for level in "12" for slots in ("4", "1024")),
        *(("rotate", level, slots) for level in "012" for slots in ("4", "1024")),
    }
    assert "not available: key_switch (SEAL CKKS): SEAL's API has no switching" in answer.out
    assert "not available: mul (SEAL CKKS): the last prime of CKKS" in answer.out


@pytest.mark.worker
@live
def test_repeat_until_goes_on_to_the_cap_or_to_the_interval(call: Any) -> None:
    words = ("mul", *TOY, *QUICK, "--repeat-until", "0.0001%", "--max-passes", "3")
    told = call("measure", *words, "--json").json
    (job,) = told["jobs"]
    assert job["passes"] == 3 or job["widest_interval"] <= 1e-6
    wide = call("measure", "mul", *TOY, *QUICK, "--repeat-until", "99%", "--max-passes", "20").out
    assert "every interval is within 99 %" in wide or "after 20 passes" in wide


@pytest.mark.worker
@live
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("key-switch",), "possible are encode, decode"),
        (("encode", "--sparse", "--slots", "4"), "SEAL encodes all slots"),
        (("mul", "--level", "0"), "choose a level above 0"),
    ],
)
def test_what_the_library_cannot_do_at_all_is_one_clear_message(call: Any, words: Any, said: str) -> None:
    answer = call("measure", *words, *TOY, *QUICK)
    assert answer.code == 1
    assert said in answer.err
    assert answer.out == ""


@pytest.mark.worker
@pytest.mark.skipif(not registry.command("openfhe").installed, reason="openfhe is not installed")
@pytest.mark.long
def test_a_level_without_a_scale_is_said_before_anything_runs_and_spoils_no_other_level(call: Any) -> None:
    words = ("add", "--library", "openfhe", "--scheme", "bgv", "--param", "technique=flexibleautoext")
    words += ("--depth", "2", "--passes", "1", "--repetitions", "1", "--slots", "4", "--level")
    low = call("measure", *words, "0")
    assert low.code == 1
    assert "OpenFHE BGV: at that level it has no scale to encode by" in " ".join(low.err.split())
    assert "choose a level above 0, or another technique" in " ".join(low.err.split())
    rows = call("measure", *words, "all", "--json").json["operations"]
    found = {row["level"]: (row["cpu_seconds"] is not None, row["noise"]) for row in rows}
    assert found == {2: (True, False), 1: (True, False), 0: (False, False)}


@pytest.mark.usefixtures("as_if_installed")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fly",), "there is no operation 'fly'"),
        (("mul", "--level", "3"), "level 3 is beyond the chain: SEAL CKKS has levels 0 to 2 here"),
        (("mul", "--level", "high"), "is not a list of whole numbers"),
        (("mul", "--slots", "100"), "100 slots are not a power of two"),
        (("mul", "--slots", "2048"), "2048 slots are beyond the ring: SEAL CKKS has 1024 slots"),
        (("mul", "--slots", "8:4"), "is an empty range"),
        (("mul", "--param", "slots=4"), "write --slots 1024"),
        (("mul", "--param", "wings=2"), "CKKS has no parameter 'wings'"),
        (("mul", "--repeat-until", "often"), "is not a share in per cent"),
        (("mul", "--repeat-until", "0%"), "is not a share in per cent"),
        (("mul", "--repeat-until", "nan%"), "is not a share in per cent"),
        (("mul", "--scheme", "tfhe"), "scheme 'tfhe'"),
        (("mul", "--security", "100"), "security 100 is not a level"),
    ],
)
def test_bad_input_is_refused_before_anything_runs(
    call: Any, monkeypatch: pytest.MonkeyPatch, words: Any, said: str
) -> None:
    monkeypatch.setattr(operation_passes, "in_fresh_process", lambda *_: pytest.fail("it ran"))
    answer = call("measure", words[0], *TOY, *words[1:])
    assert answer.code == 2
    assert said in answer.err
    assert answer.out == ""


def test_levels_and_lengths_are_typed_in_many_ways() -> None:
    ckks = library("seal").parameters(
        request_for("ckks", 3, None, ring_dimension=2048, scale_bits=30, first_bits=40)
    )
    assert [levels_of(t, ckks) for t in ("top", "all", "0,2", "1:3")] == [
        (3,),
        (3, 2, 1, 0),
        (2, 0),
        (3, 2, 1),
    ]
    assert [slots_of(t, ckks) for t in (None, "8", "1:64:*8")] == [(1024,), (8,), (1, 8, 64)]
    bfv = library("seal").parameters(request_for("bfv", 2, None, ring_dimension=2048, plain_modulus=12289))
    assert (levels_of("all", bfv), slots_of(None, bfv)) == ((0,), (2048,))
    with pytest.raises(UsageError, match="only level 0"):
        levels_of("1", bfv)


def test_the_help_names_every_operation(call: Any) -> None:
    said = call("measure", "--help").out.replace("\n", " ")
    assert all(re.search(rf"\b{name}\b", said) for name in OPERATIONS)


@pytest.mark.worker
@pytest.mark.skipif(not registry.command("lattigo").installed, reason="lattigo is not installed")
def test_a_bootstrap_is_measured_beside_its_prediction(call: Any, calibrated: Any) -> None:
    calibrated("lattigo", "6.1.1")
    own = {"levels": 2, "ring_dimension": 4096, "scale_bits": 40, "first_bits": 55, "bootstrap_slots": 32}
    set_ = [word for key, value in own.items() for word in ("--param", f"{key}={value}")]
    words = ("bootstrap", "--library", "lattigo", "--security", "none", *set_, *QUICK, "--json")
    (row,) = call("measure", *words).json["operations"]
    assert (row["operation"], row["slots"], row["level"]) == ("bootstrap", 32, 2)
    assert row["refused"] is None
    assert row["predicted_seconds"] > 0
    assert row["cpu_seconds"] > 0
    assert not row["noise"]


def test_a_bootstrap_needs_levels_that_it_leaves(call: Any, as_if_installed: None) -> None:
    toy = ("--security", "none", "--param", "ring_dimension=2048")
    words = ("bootstrap", "--library", "lattigo", *toy, *QUICK)
    assert "--param levels=5" in call("measure", *words).err
    assert "no bootstrapping" in call("measure", "--library", "seal", *toy, "--param", "levels=3").err
    assert "levels=x is not a whole number" in call("measure", "--param", "levels=x").err
