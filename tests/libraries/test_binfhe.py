"""BinFHE's sets, keys and work: as files of the wheel 1.6.1 are, and as its algorithms say."""

import pytest

from fheasible.errors import InfeasibleParameters, UnknownName, UsageError
from fheasible.libraries.catalogue import library
from fheasible.libraries.gates import GATE, KEYGEN
from fheasible.libraries.openfhe.binfhe import key_bytes, lacking, lookups, memory_bytes, work
from fheasible.libraries.openfhe.binfhe_sets import SETS, bin_set
from fheasible.schemes.fhew.parameters import METHODS
from fheasible.schemes.fhew.rotation import automorphisms

LIVE = (
    (("TOY", "ginx", None, True), 19837077),
    (("TOY", "ap", None, True), 64621693),
    (("TOY", "lmkcdey", None, True), 18854845),
    (("MEDIUM", "ginx", None, True), 467968341),
    (("TOY", "ginx", 12, True), 129690009),
    (("TOY", "ginx", 23, False), 133893785),
)
"""Bytes of `SerializeToFile(GetBTKey())`."""


def test_keys_have_the_bytes_of_live_files() -> None:
    for (name, method, log_q, arbitrary), live in LIVE:
        assert key_bytes(bin_set(name, method, log_q, arbitrary), method) == live


def test_memory_is_about_that_of_the_file_and_more_for_ap_than_for_others() -> None:
    for of in (one for one in SETS.values() if one.name != "TOY"):
        for method in of.methods:
            assert memory_bytes(of, method) == pytest.approx(key_bytes(of, method), rel=0.1)
    of = bin_set("STD128")
    assert memory_bytes(of, "ap") > 3 * memory_bytes(of, "ginx") > 3 * memory_bytes(of, "lmkcdey")


def test_a_gate_of_ginx_is_one_step_for_each_number_of_the_secret() -> None:
    """By hand for TOY: 64 steps of 2 + 4 transforms of 512 / 2 * 9 butterflies, and 4 * 4 + 4 products."""
    counts = work(bin_set("TOY"), "ginx", GATE)
    assert counts["butterflies"] == 64 * 6 * 256 * 9
    assert counts["products"] == 64 * 20 * 512
    assert counts["switch_adds"] == 512 * 6 * 65


def test_functions_take_two_bootstraps_and_signs_of_longer_numbers_more() -> None:
    assert lookups(bin_set("TOY", "ginx", 12), "binfhe_function") == 2
    signs = [lookups(bin_set("TOY", "ginx", log_q, False), "binfhe_sign") for log_q in (12, 16, 23, 29)]
    assert signs == [1, 3, 7, 11]


def test_automorphisms_are_as_many_as_steps_where_the_window_is_one_and_few_where_it_is_wide() -> None:
    assert automorphisms(500, 1024, 1) == pytest.approx(2 * 511 + 1)
    assert automorphisms(500, 1024, 40) < automorphisms(500, 1024, 3) < 2 * 511


def test_what_a_set_lacks_is_said() -> None:
    assert lacking(bin_set("STD128"), "binfhe_function") != ""
    assert lacking(bin_set("TOY", "ginx", 12), GATE) != ""
    assert lacking(bin_set("TOY", "ginx", 12), "binfhe_sign") != ""
    assert lacking(bin_set("TOY", "ginx", 23, False), "binfhe_sign") == lacking(bin_set("TOY"), KEYGEN) == ""


def test_sets_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UnknownName, match="std129"):
        bin_set("std129")
    with pytest.raises(UnknownName, match="dm"):
        bin_set("STD128", "dm")
    with pytest.raises(InfeasibleParameters, match="no set for GINX"):
        bin_set("STD128_LMKCDEY", "ginx")
    with pytest.raises(InfeasibleParameters, match="functions"):
        bin_set("STD192", "ginx", 12)
    with pytest.raises(UsageError, match="outside 12 to 29"):
        bin_set("STD128", "ginx", 40)


def test_only_openfhe_has_them() -> None:
    assert library("seal").gates is None
    assert library("openfhe").gates is not None
    assert METHODS == ("ginx", "ap", "lmkcdey")


def test_steps_without_a_bootstrap_grow_with_the_secret_and_have_no_transforms() -> None:
    toy, large = (bin_set(name) for name in ("TOY", "STD128"))
    for name in ("binfhe_secret", "binfhe_encrypt", "binfhe_decrypt"):
        step = name.removeprefix("binfhe_")
        assert work(toy, "ginx", name) == {f"{step}_words": 64, f"{step}_calls": 1}
        assert work(large, "ginx", name)[f"{step}_words"] == 554
        assert lookups(large, name) == 0
    assert "without log_q" in lacking(bin_set("TOY", "ginx", 12), "binfhe_encrypt")
