"""A colour, a shape and a dash mean one thing, in whichever figure they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fheasible.reports.charts import chart
from fheasible.reports.figures import Cloud, Dot, Figure, Mark, MarkedRows, Marks, Series
from fheasible.reports.meanings import KINDS, OTHER, PARTS, REST, SCHEMES, looks, parts, rings, shades
from fheasible.reports.theme import PASTELS

NAMES = (
    "OpenFHE CKKS", "OpenFHE CKKS fixedauto", "OpenFHE BFV", "SEAL CKKS", "limit", "n = 2^12", "n = 2^13",
    "FV", "YASHE'", "measured",
)  # fmt: skip


def test_no_colour_stands_for_two_things() -> None:
    every = [*KINDS.values(), *PARTS.values(), *PASTELS, REST, OTHER]
    assert len(set(every)) == len(every)
    assert not set(every) & set(shades(12))
    assert len(set(SCHEMES.values())) == len(SCHEMES)


def test_a_library_has_its_colour_and_a_scheme_its_shape_wherever_they_stand() -> None:
    for names in (["SEAL BFV"], ["Lattigo CKKS", "SEAL BFV"], ["1. SEAL BFV, 2^14, run 3", "OpenFHE BGV"]):
        found = dict(zip(names, looks(names), strict=True))
        (seal,) = (look for name, look in found.items() if "SEAL" in name)
        assert (seal.colour, seal.shape) == (KINDS["SEAL"], "square")


def test_each_kind_of_figure_draws_a_library_in_its_colour() -> None:
    curve = Figure(
        "T", "x", "y", (Series("OpenFHE CKKS", (1, 2), (1, 2)), Series("SEAL CKKS", (1, 2), (2, 3)))
    )
    bars = MarkedRows("T", "x", ("a",), (Marks("SEAL", (1.0,), Mark.BAR),))
    cloud = Cloud("T", "x", "y", "bit", (Dot(1, 1, "OpenFHE BFV", ""), Dot(2, 2, "SEAL CKKS", "")))
    for figure in (curve, bars, cloud):
        scales = [
            layer["encoding"]["color"]["scale"]
            for layer in chart(figure).to_dict()["layer"]
            if isinstance(layer["encoding"].get("color"), dict) and "scale" in layer["encoding"]["color"]
        ]
        assert scales
        for scale in scales:
            named = dict(zip(scale["domain"], scale["range"], strict=True))
            assert all(colour == KINDS["SEAL"] for name, colour in named.items() if "SEAL" in name)


@given(st.lists(st.sampled_from(NAMES), unique=True))
def test_no_two_names_of_a_figure_look_alike(names: list[str]) -> None:
    found = [(look.colour, look.shape) for look in looks(names)]
    assert len(set(found)) == len(names)


def test_values_go_from_dark_to_light_in_their_order() -> None:
    def light(colour: str) -> float:
        red, green, blue = bytes.fromhex(colour[1:])
        return 0.3 * red + 0.59 * green + 0.11 * blue

    for count in (2, 5, 9):
        found = list(map(light, shades(count)))
        assert found == sorted(found)
        assert len(set(found)) == count
    assert shades(0) == []


@pytest.mark.parametrize("names", [["rotate", "mul"], ["mul", "neg", "rotate", "all else"]])
def test_a_part_of_a_run_has_its_colour_whatever_is_beside_it(names: list[str]) -> None:
    found = dict(zip(names, parts(names, "all else"), strict=True))
    assert (found["rotate"], found["mul"]) == (PARTS["rotate"], PARTS["mul"])
    assert found.get("all else", REST) == REST
    assert len(set(found.values())) == len(names)


def test_a_ring_has_its_colour_whatever_is_beside_it() -> None:
    assert rings(["2^14", "2^15"])[1] == rings(["2^15"])[0]
    every = [f"2^{k}" for k in range(11, 18)]
    assert len(set(rings(every))) == len(every)
