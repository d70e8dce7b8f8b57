"""Sweeps of a library's parameters, as the command line has them of the platform."""

from math import log2
from pathlib import Path
from typing import Any

import pytest

from fheasible.api import residue_sweep
from fheasible.api.options import Options
from fheasible.api.platform import Execution, Silent, SomeSets, Sweeping, TypedGrid
from fheasible.api.residues import Residues
from fheasible.api.text import TextPage
from fheasible.errors import UnknownName, UsageError
from fheasible.exploration.sweeps.measuring import CellRun
from fheasible.exploration.sweeps.swept import PREDICTED, predicted_there

FILE = """import fheasible as fh
n = 4096

@fh.app(x=fh.reals(n, low=0, high=1))
def cubes(x):
    return fh.sum(x * x * x)
"""
NOTHING_RUN = Sweeping()
STD_DEV = str(Path(__file__).parents[2] / "examples" / "2_std_dev.py")


@pytest.fixture
def app(tmp_path: Path) -> str:
    path = tmp_path / "cubes.py"
    path.write_text(FILE)
    return str(path)


def sweep(app: str, *vary: str, how: Sweeping = NOTHING_RUN, place: Any = None, **given: Any) -> Any:
    asked = Options(libraries=("openfhe",))
    swept = Residues().sweep(app, TypedGrid(vary, **given), asked, how, Silent(place))
    swept.prepare()
    return swept


def rows(swept: Any) -> list[dict[str, Any]]:
    parts: list[SomeSets] = []
    swept.sets(parts.append)
    return [dict(zip(swept.columns, row, strict=True)) for part in parts for row in part.rows]


def text(swept: Any) -> str:
    return "\n".join(str(part) for part in swept.lines(TextPage(), []))


def test_the_ring_grows_where_the_library_s_table_ends(app: str, tmp_path: Path) -> None:
    """OpenFHE's limits for 128 bits: log QP = 218 at N = 8192, 438 at 16384 [Bossuat24, HES18]."""
    swept = sweep(app, "scale_bits=25:59", place=tmp_path / "r.sqlite", fix=("spare_levels=3",))
    made = [row for row in rows(swept) if not row["refused"]]
    assert len(made) > 20
    limit = {4096: 109, 8192: 218, 16384: 438, 32768: 881}
    assert all(row["log_qp"] <= limit[row["ring_dimension"]] + 1 for row in made)
    assert [row["ring_dimension"] for row in made] == sorted(row["ring_dimension"] for row in made)
    (jump,) = swept.tail([])["jumps"]
    first = next(row for row in made if row["ring_dimension"] > made[0]["ring_dimension"])
    assert f" for {first['scale_bits']} to 59" in jump or f" for {first['scale_bits']}" in jump


def test_every_form_tells_the_same_sets(app: str, tmp_path: Path) -> None:
    swept = sweep(app, "scale_bits=30,40", "technique=fixedauto,flexibleauto", place=tmp_path / "r.sqlite")
    parts: list[SomeSets] = []
    swept.sets(parts.append)
    (part,) = parts
    table = [dict(zip(swept.columns, row, strict=True)) for row in part.rows]
    values = [dict(zip(swept.fields, row, strict=True)) for row in part.values]
    assert [(row["scale_bits"], row["asked_technique"]) for row in table] == [
        (30, "fixedauto"), (30, "flexibleauto"), (40, "fixedauto"), (40, "flexibleauto")
    ]  # fmt: skip
    for row, value in zip(table, values, strict=True):
        assert value["settings"] == {"scale_bits": row["scale_bits"], "technique": row["asked_technique"]}
        assert value["predicted"] == {name: row[name] for name in PREDICTED}
    assert swept.head["axes"] == {"scale_bits": [30, 40], "technique": ["fixedauto", "flexibleauto"]}
    assert "4 sets" in text(swept)
    names = [name for name, _ in swept.drawings()]
    assert {"scale_bits_precision", "scale_bits_ring"} <= set(names)
    assert not [name for name in names if name.startswith("technique")]  # words have no axis
    assert swept.exit_code == 0


def test_a_figure_has_few_lines_and_all_figures_together_every_set(app: str, tmp_path: Path) -> None:
    words = ("scale_bits=30,40", "technique=fixedauto,flexibleauto,fixedmanual", "security=128,192")
    swept = sweep(app, *words, place=tmp_path / "r.sqlite")
    drawn = {name: figure for name, figure in swept.drawings() if "_time" not in name}
    over_scales = {name: f for name, f in drawn.items() if name.startswith("scale_bits_ring")}
    ends = ("fixedauto", "flexibleauto", "fixedmanual")
    assert list(over_scales) == [f"scale_bits_ring_technique_{end}" for end in ends]
    for end, figure in zip(ends, over_scales.values(), strict=True):
        assert [line.name for line in figure.series] == ["security = 128", "security = 192"]
        assert f"technique = {end}" in figure.note
        assert all(line.x == (30, 40) for line in figure.series)
    assert [name for name in drawn if name.startswith("security_ring")] == [
        "security_ring_scale_bits_30", "security_ring_scale_bits_40"
    ]  # fmt: skip
    points = sorted(y for f in over_scales.values() for line in f.series for y in line.y)
    assert points == sorted(log2(row["ring_dimension"]) for row in rows(swept))


def test_what_makes_no_difference_and_what_makes_no_set_is_said(app: str, tmp_path: Path) -> None:
    swept = sweep(app, "scale_bits=40", "digits=1,2", "ring_dimension=1024,16384", fix=("key_switching=bv",),
                  place=tmp_path / "r.sqlite")  # fmt: skip
    said = swept.tail([])["warnings"]
    assert any(line.startswith("no set: 2 sets; ") for line in said)
    assert any(line.startswith("digits changes nothing") for line in said)
    assert not any(line.startswith("ring_dimension changes nothing") for line in said)


def test_a_sweep_without_any_set_says_why(app: str, tmp_path: Path) -> None:
    told = text(sweep(app, "scale_bits=39,40", fix=("first_bits=39",)))
    assert "no set" in told
    assert "2 sets in" in told
    assert "2 sets, of which none can be shown; the reasons follow" in told
    small = text(sweep(app, "digits=1,2", fix=("ring_dimension=1024", "scale_bits=40", "key_switching=bv")))
    assert "no set: 2 sets" in small
    assert "changes nothing" not in small


def test_values_that_just_fit_are_said(app: str, tmp_path: Path) -> None:
    """Sums of 4,096 cubes of up to 1 reach about 1,000: 10 bits, and one for the sign."""
    told = text(sweep(app, "scale_bits=30,45", fix=("first_bits=56", "technique=flexibleauto")))
    assert "less than a bit to spare: 1 set; for example" in told
    assert "scale_bits = 45" in told


def test_numbers_of_the_application_vary(app: str, tmp_path: Path) -> None:
    swept = sweep(app, numbers=("n=1000,100000",), fix=("scale_bits=40",), place=tmp_path / "r.sqlite")
    one, hundred = rows(swept)
    assert (one["n"], hundred["n"]) == (1000, 100_000)
    assert hundred["ciphertext_bytes"] == one["ciphertext_bytes"]
    assert hundred["peak_bytes"] > one["peak_bytes"]  # more ciphertexts


def test_runs_stand_beside_their_predictions(
    app: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    phases = ("keygen", "encrypt", "evaluate", "decrypt", "total")
    times = {name: {"min": 2.0, "median": 3.0} for name in phases}
    figures = {"cpu_seconds": times, "wall_seconds": times, "peak_bytes": 5, "precision_bits": 17.0}

    def measured(cells: Any, wish: Any, *_: Any) -> Any:
        assert (wish.every, wish.repetitions, wish.again) == (2, 4, True)
        return [CellRun("measured", figures, number=7), None, CellRun("wrong", None, "too little")]

    monkeypatch.setattr(residue_sweep, "measured", measured)
    how = Sweeping(execution=Execution(repetitions=4), every=2, again=True)
    swept = sweep(app, "scale_bits=30:50:10", how=how, place=tmp_path / "r.sqlite")
    first, second, third = rows(swept)
    assert (first["outcome"], first["measured_cpu_seconds"], first["measured_wall_seconds"]) == (
        "measured", 2.0, 3.0
    )  # fmt: skip
    assert (first["measured_precision_bits"], first["measured_ciphertext_bytes"]) == (17.0, None)
    assert (second["outcome"], second["measured_cpu_seconds"]) == (None, None)
    assert (third["outcome"], third["message"]) == ("wrong", "too little")
    assert swept.exit_code == 3
    told = text(swept)
    assert "30" in told
    assert "40" not in told.split("ring:")[0].split("measured")[-1]  # the second set was not run
    assert "wrong: 1 set; for example, too little" in told


def test_a_result_without_precision_is_no_fault_where_that_was_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        residue_sweep, "measured", lambda cells, *_: [CellRun("wrong", None, "too little") for _ in cells]
    )
    how = Sweeping(execution=Execution(repetitions=1))
    coarse, fine = (
        sweep(
            STD_DEV, f"scale_bits={bits}", how=how, place=tmp_path / "r.sqlite", fix=("technique=fixedauto",)
        )
        for bits in (22, 50)
    )
    (row,) = rows(coarse)
    assert row["precision_bits"] < 3
    assert (coarse.exit_code, fine.exit_code) == (0, 3)
    assert "wrong, as predicted" in text(coarse)


@pytest.mark.parametrize(
    ("what", "libraries", "how", "error", "said"),
    [
        ("fv", ("seal",), NOTHING_RUN, UsageError, "fv is no application"),
        ("", ("seal", "openfhe"), NOTHING_RUN, UsageError, "2 libraries were given"),
        ("", ("nothing",), NOTHING_RUN, UnknownName, "nothing"),
        ("", ("seal",), Sweeping(function="multiply"), UsageError, "--what multiply"),
        ("", ("seal",), Sweeping(minimise_depth=True), UsageError, "order of products"),
        ("missing.py", ("seal",), NOTHING_RUN, UsageError, "does not exist"),
    ],
)
def test_what_cannot_be_swept_is_told_before_anything_is_done(
    app: str, what: str, libraries: tuple[str, ...], how: Sweeping, error: Any, said: str
) -> None:
    with pytest.raises(error, match=said):
        Residues().sweep(
            what or app, TypedGrid(("scale_bits=30",)), Options(libraries=libraries), how, Silent()
        )


def test_a_cluster_that_would_run_nothing_is_refused(app: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none is run") as caught:
        sweep(app, "scale_bits=30,40", how=Sweeping(cluster="tcp://somewhere:8786"), place=tmp_path / "r")
    assert caught.value.remedy == "add --execute"


def test_figures_are_those_that_were_predicted_for_the_machine_that_ran_the_set() -> None:
    times = dict.fromkeys(("keygen", "encrypt", "evaluate", "decrypt", "total"), 7.0)
    there = {"cpu_seconds": times, "error_band": 0.3, "peak_bytes": 9}
    ours = {"cpu_seconds": 1.0, "peak_bytes": 2, "log_q": 100.0}
    run = CellRun("measured", None, machine="f00", predicted=there)
    assert predicted_there(ours, None) == ours
    found = predicted_there(ours, run)
    assert (found["cpu_seconds"], found["evaluate_seconds"], found["peak_bytes"]) == (7.0, 7.0, 9)
    assert found["log_q"] == 100.0
