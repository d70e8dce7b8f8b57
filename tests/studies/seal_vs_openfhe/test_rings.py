"""Rings by depth, and the tests of why they differ from Table 2."""

from fheasible.studies.seal_vs_openfhe import rings
from fheasible.studies.seal_vs_openfhe.claims_rings import spans
from fheasible.studies.seal_vs_openfhe.printed import column
from studies.seal_vs_openfhe import synthetic


def test_openfhe_s_rings_are_computed_from_today_s_rules() -> None:
    bgv = rings.needed(synthetic.results([]), "openfhe", "bgv")
    assert spans(bgv) == "2^14 at 2 to 7, 2^15 at 8 to 15, 2^16 at 16 to 20"
    ckks = rings.needed(synthetic.results([]), "openfhe", "ckks")
    assert ckks == column("openfhe", "ckks")


def test_seal_s_usual_chain_for_one_product_fewer_gives_the_paper_s_column() -> None:
    assert rings.one_product_fewer() == column("seal", "ckks")
    assert rings.usual_chain(20) is None
    taken, allowed = rings.fullest_chain(19)
    assert round(taken) == 22 * 40
    assert taken <= allowed


def test_primes_of_the_scale_s_size_throughout_hold_no_result() -> None:
    assert "the remaining modulus holds only" in rings.without_a_larger_first_prime(2)


def test_no_setting_of_openfhe_gives_the_paper_s_column_but_seal_s_column_does() -> None:
    assert len(rings.settings()) == 200
    assert max(s.equal for s in rings.settings()) < 19
    assert rings.closest(batching=True).settings["plain_modulus"] == 65537
    assert rings.as_seals() == column("openfhe", "bgv")


def test_the_paper_s_rings_leave_seal_too_little_for_each_prime() -> None:
    enough, lacking = rings.room("seal", 3), rings.room("seal", 12)
    assert (enough.ring, enough.bits) == (8192, 43)
    assert enough.budget > 0
    assert (lacking.ring, lacking.bits) == (16384, 31)
    assert lacking.budget < 0
