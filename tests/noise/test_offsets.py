"""Offsets, which lie in few slots, in a rehearsal."""

import numpy as np
import pytest

import fheasible as fh
from fheasible.circuit.data import random_data
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.judging.chosen import chosen, request_from
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.noise.ckks import rehearsal
from fheasible.noise.ckks.decryption import FAR
from fheasible.noise.ckks.elements import added
from fheasible.noise.ckks.headroom import room_bits
from fheasible.noise.ckks.offsets import LEADING, RARE
from fheasible.noise.ckks.rehearsal import rehearsals, rehearsed
from fheasible.noise.reach.sources import OFFSETS
from fheasible.noise.scales import scales_of
from fheasible.noise.shape import shape

from .test_rehearsal import case, data_of

ROTATED = ("a sum of reals", "slots that mix", "several outputs")


@fh.app(x=fh.reals(100, low=0, high=1))
def nested(x: fh.Vector) -> fh.Vector:
    a = fh.polynomial(fh.rotate(x, 1) + x, [0.1, 0.3, -0.4, 0.2])
    b = fh.polynomial(a, [0.4, -0.3, 0.6, 0.5, 0.7])
    return fh.inner_product(fh.polynomial(b, [0.2, 0.9, -0.5, 0.4]), x)


PROBLEM = Problem(nested.trace(), random_data(nested.trace(), 3), "random data")


def of(library: str, special: int) -> Candidate:
    """A set for `nested` with a special prime of so many bits: the smaller, the larger its offsets."""
    settings = {"scale_bits": "23", "first_bits": "32", "ring_dimension": "16384"}
    settings |= {"special_bits": str(special)}
    return chosen(PROBLEM, CATALOGUE[library], request_from("ckks", settings, 128), None)


@pytest.mark.parametrize("app", ROTATED)
@pytest.mark.parametrize("layout", ["seal", "flexibleauto", "openfhe, two digits"])
def test_offsets_that_are_small_vary_as_first_order_tells(
    app: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, p, known = case(app, layout, monkeypatch)
    monkeypatch.setattr(rehearsal, "APART", 150)
    monkeypatch.setattr(rehearsal, "read_of_one_copy", lambda program, p, alone, others: alone)
    found = rehearsed(program, p, data_of(app), known)
    sources = np.array([s.kind in OFFSETS for s in known.sources])
    told = added(program, p, known)[sources] @ known.variances[sources]
    apart = np.concatenate([found[name].apart for name in known.outputs], axis=-1)
    seen = (apart**2).mean(axis=0)[known.judged.of_columns]
    most = told == told.max()  # elsewhere in a vector there may be none: slots beyond the leading ones
    assert 0.7 < seen[most].mean() / told.max() < 1.3


def test_what_is_left_of_the_square_of_an_offset_is_as_rare_as_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real part of the square of a complex number of length r is r^2 / sqrt(2), root mean square."""
    monkeypatch.setattr(rehearsal, "APART", 150)
    monkeypatch.setattr(rehearsal, "read_of_one_copy", lambda program, p, alone, others: alone)
    circuit = fh.app(x=fh.reals(4096, low=-1, high=1))(lambda x: fh.rotate(x, 1) ** 2).trace()
    problem = Problem(circuit, {"x": np.zeros(4096)}, "zeros")
    given = {"scale_bits": "30", "first_bits": "40", "ring_dimension": "8192", "special_bits": "40"}
    c = chosen(problem, CATALOGUE["seal"], request_from("ckks", given, None), None)
    known = problem.gains(c.program)
    variances = dict(zip(known.sources, added(c.program, c.parameters, known), strict=True))
    (digits,) = (v for s, v in variances.items() if s.kind == "digits" and s.own[1] == 1)
    apart = rehearsed(c.program, c.parameters, problem.data, known)["result"].apart[:, 0]
    told = RARE**2 * shape(4096)[0] * digits / np.sqrt(2)
    assert 0.8 * told < np.sqrt((apart**2).mean()) < 1.2 * told


def test_lattigo_has_no_offsets() -> None:
    c = of("lattigo", 29)
    assert not PROBLEM.rehearsed(c.program, c.parameters)["result"].apart.any()


def test_the_leading_slots_have_nearly_all_of_an_offset() -> None:
    of_all = np.sort(shape(8192))[::-1]
    assert of_all[:LEADING].sum() > 0.996 * of_all.sum()


def test_a_slot_that_outgrows_its_modulus_spoils_all_of_a_sum() -> None:
    """A result may then be anything that the modulus holds: with a larger special prime none is lost."""
    lost, right = of("seal", 27), of("seal", 31)
    found = PROBLEM.rehearsed(lost.program, lost.parameters)["result"]
    value = lost.program.outputs[0].values[0]
    room = 2.0 ** room_bits(lost.parameters, 0, scales_of(lost.program)[value])
    assert found.apart.max() == pytest.approx(room)
    assert np.isfinite(found.off(PROBLEM.truth["result"])).all()
    assert PROBLEM.rehearsed(right.program, right.parameters)["result"].apart.max() < 0.01 * room


def test_offsets_leave_all_other_noise_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    c = of("seal", 27)
    beside = rehearsed(c.program, c.parameters, PROBLEM.data, PROBLEM.gains(c.program))["result"]
    monkeypatch.setattr(rehearsal, "APART", 0)
    alone = rehearsed(c.program, c.parameters, PROBLEM.data, PROBLEM.gains(c.program))["result"]
    np.testing.assert_array_equal(beside.odd, alone.odd)
    np.testing.assert_array_equal(beside.even, alone.even)
    assert not alone.apart.any()


@pytest.mark.parametrize(("library", "special"), [("seal", 27), ("seal", 31), ("lattigo", 29)])
def test_rehearsals_in_one_pass_are_those_that_are_made_one_by_one(library: str, special: int) -> None:
    """Whatever outgrows its modulus in one of them."""
    c = of(library, special)
    given = c.program, c.parameters, PROBLEM.data, PROBLEM.gains(c.program)
    louder = [0.125, 1.0, 2.0**5, 2.0**15]
    together = [each["result"] for each in rehearsals(*given, louder)]
    alone = [rehearsed(*given, times)["result"] for times in louder]
    assert not together[0].outgrown
    assert together[-1].outgrown
    assert together[-1].lost == (library == "seal")  # Lattigo has no offsets
    assert together[0].lost == (special == 27)
    for found, expected in zip(together, alone, strict=True):
        assert (found.lost, found.outgrown) == (expected.lost, expected.outgrown)
        np.testing.assert_array_equal(found.still, expected.still)
        for name in ("even", "odd", "apart"):
            own, other = getattr(found, name), getattr(expected, name)
            np.testing.assert_allclose(own, other, rtol=1e-9, atol=1e-9 * np.abs(other).max())


def test_offsets_alone_are_louder_beside_an_earlier_rehearsal() -> None:
    settings = {"scale_bits": "23", "first_bits": "32", "ring_dimension": "16384"}
    c = chosen(PROBLEM, CATALOGUE["openfhe"], request_from("ckks", settings, 128), None)
    given = c.program, c.parameters, PROBLEM.data, PROBLEM.gains(c.program)
    usual, loud = rehearsed(*given), rehearsed(*given, louder=1.2)
    found = rehearsed(*given, louder=1.2, beside=usual)["result"]
    np.testing.assert_array_equal(found.odd, usual["result"].odd)
    np.testing.assert_array_equal(found.even, usual["result"].even)
    np.testing.assert_allclose(found.apart, loud["result"].apart, rtol=1e-6)
    assert found.apart.max() > 1.1 * usual["result"].apart.max() > 0


def test_a_copy_that_is_left_out_brings_no_more_than_one_that_just_stays() -> None:
    """SEAL's worker leaves out what is further off than FAR times the middle distance of 64 copies."""
    circuit = fh.app(x=fh.reals(128, low=0, high=1))(lambda x: fh.rotate(x, 1) ** 2).trace()
    problem = Problem(circuit, random_data(circuit, 3), "random data")
    settings = {"scale_bits": "30", "first_bits": "40", "ring_dimension": "16384", "special_bits": "34"}
    c = chosen(problem, CATALOGUE["seal"], request_from("ckks", settings, 128), None)
    found = problem.rehearsed(c.program, c.parameters)["result"]
    usual = np.sqrt((found.errors(found.still) ** 2).mean(axis=0))
    assert found.copies == 64
    assert found.apart[:, 0].max() == pytest.approx(FAR * 0.6745 / 8 * usual[0])
