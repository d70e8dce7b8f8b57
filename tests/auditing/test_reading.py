"""Every set that is written in one of the forms is read back as it was written, and nothing else is."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditing import forms
from fheasible.auditing.forms import reading
from fheasible.auditing.found import Found
from fheasible.errors import DataError, FheasibleError

SIZES = st.lists(st.integers(20, 60), min_size=2, max_size=12)
LOG_N, SCALE = st.integers(10, 17), st.integers(20, 58)


def read(text: str, ending: str) -> list[Found]:
    with TemporaryDirectory() as folder:
        file = Path(folder) / f"set{ending}"
        file.write_text(text, encoding="utf-8")
        return reading.read(file)


@settings(max_examples=40, deadline=None)
@given(LOG_N, SIZES, SCALE)
def test_a_chain_of_seal_is_read_back_from_every_form(log_n: int, sizes: list[int], scale: int) -> None:
    for text, ending in (
        (forms.cpp_seal(1 << log_n, sizes, scale), ".cpp"),
        (forms.python_seal(1 << log_n, sizes, scale), ".py"),
        (forms.tenseal(1 << log_n, sizes, scale), ".py"),
    ):
        (found,) = read(text, ending)
        assert (found.scheme, found.ring_dimension, found.scale_bits) == ("ckks", 1 << log_n, scale)
        assert (found.prime_bits, found.special_bits) == (tuple(sizes[:-1]), (sizes[-1],))
        assert (found.security, found.checked, found.unread) == (128, True, ())


@settings(max_examples=40, deadline=None)
@given(LOG_N, SIZES, SIZES, SCALE)
def test_a_chain_of_lattigo_is_read_back_from_every_form(
    log_n: int, q: list[int], p: list[int], scale: int
) -> None:
    for text, ending in (
        (forms.go_lattigo(log_n, q, p, scale), ".go"),
        (forms.orion(log_n, q, p, scale), ".yml"),
    ):
        (found,) = read(text, ending)
        assert (found.scheme, found.ring_dimension, found.scale_bits) == ("ckks", 1 << log_n, scale)
        assert (found.prime_bits, found.special_bits, found.unread) == (tuple(q), tuple(p), ())
        assert (found.security, found.checked) == (None, None)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 30), SCALE, st.integers(20, 60))
def test_the_settings_of_openfhe_are_read_back_from_both_languages(
    depth: int, scale: int, first: int
) -> None:
    for text, ending in (
        (forms.cpp_openfhe(depth, scale, first), ".cpp"),
        (forms.python_openfhe(depth, scale, first), ".py"),
    ):
        (found,) = read(text, ending)
        assert (found.scheme, found.depth, found.scale_bits) == ("ckks", depth, scale)
        assert (dict(found.settings), found.unread) == ({"first_bits": first}, ())
        assert (found.security, found.checked, found.ring_dimension) == (128, True, None)


def test_openfhe_s_names_are_understood_with_and_without_their_scopes() -> None:
    more = (
        "parameters.SetSecurityLevel({0}HEStd_NotSet); parameters.SetRingDim(1 << 12);"
        "parameters.SetSecretKeyDist({0}SPARSE_TERNARY); parameters.SetScalingTechnique({0}FIXEDMANUAL);"
    )
    for text, ending in (
        (forms.cpp_openfhe(2, 40, 50, more.format("")), ".cpp"),
        (forms.cpp_openfhe(2, 40, 50, more.format("lbcrypto::")), ".cpp"),
        (forms.python_openfhe(2, 40, 50, more.format("SecurityLevel.")), ".py"),
    ):
        (found,) = read(text, ending)
        assert (found.security, found.checked, found.ring_dimension) == (None, False, 4096)
        assert (found.secret, found.settings["technique"]) == ("sparse_ternary", "fixedmanual")


def test_primes_themselves_are_taken_as_they_are() -> None:
    text = (
        "var Small = bgv.ParametersLiteral{LogN: 12, Q: []uint64{0x7ffffffec001, 0x8000016001}, "
        "P: []uint64{0x40002001}, PlaintextModulus: 0x10001}"
    )
    (found,) = read(text, ".go")
    assert (found.scheme, found.plain_modulus) == ("bgv", 65_537)
    assert (found.primes, found.special_primes) == ((0x7FFFFFFEC001, 0x8000016001), (0x40002001,))


def test_lattigo_s_secrets_are_read() -> None:
    sparse = forms.go_lattigo(14, [50, 40], [50], 40, " Xs: ring.Ternary{H: 192},")
    assert read(sparse, ".go")[0].weight == 192
    gaussian = forms.go_lattigo(14, [50, 40], [50], 40, " Xs: ring.DiscreteGaussian{Sigma: 3.2, Bound: 19},")
    assert read(gaussian, ".go")[0].secret == "gaussian"
    assert read(forms.go_lattigo(14, [50, 40], [50], 40), ".go")[0].weight is None


def test_every_set_of_a_file_is_found_with_its_own_scale_and_check() -> None:
    second = forms.cpp_seal(16384, [50, 30, 50], 30).replace("(parms)", "(parms, true, sec_level_type::none)")
    first, other = read(forms.cpp_seal(8192, [60, 40, 40, 60], 40) + second.replace("main", "other"), ".cpp")
    assert (first.ring_dimension, first.scale_bits, first.checked) == (8192, 40, True)
    assert (other.ring_dimension, other.scale_bits, other.checked) == (16384, 30, False)
    assert first.line < other.line


@pytest.mark.parametrize(
    "changed",
    [
        "poly_modulus_degree = atoi(argv[1]);",
        "poly_modulus_degree = 8192; if (big) { poly_modulus_degree = 16384; }",
        "poly_modulus_degree = 8192; for (;;) { poly_modulus_degree *= 2; }",
    ],
)
def test_what_only_a_run_would_tell_is_said_and_never_guessed(changed: str) -> None:
    text = forms.cpp_seal(8192, [60, 40, 60], 40).replace("poly_modulus_degree = 8192;", changed)
    (found,) = read(text, ".cpp")
    assert found.ring_dimension is None
    assert any("the ring dimension cannot be read" in line for line in found.unread)


@pytest.mark.parametrize(
    "changed",
    [
        "degree = int(input())",
        "degree = 8192\n    if big:\n        degree = 16384",
        "degree = 4096\n    for i in range(2):\n        degree *= 2",
        "degree = 2 ** 10 ** 10",
        "degree = [8192] * 10 ** 9",
    ],
)
def test_the_same_in_python(changed: str) -> None:
    text = forms.python_seal(8192, [60, 40, 60], 40).replace("degree = 8192", changed)
    (found,) = read(text, ".py")
    assert found.ring_dimension is None
    assert any("the ring dimension cannot be read" in line for line in found.unread)


def test_special_primes_that_cannot_be_read_are_not_taken_for_none() -> None:
    text = forms.go_lattigo(14, [50, 40], [50], 40).replace("[]int{50}", "makeP()")
    (found,) = read(text, ".go")
    assert (found.special_bits, found.special_primes) == (None, None)
    assert "LogP" in found.unread[0]


def test_nothing_is_executed(tmp_path: Path) -> None:
    witness = tmp_path / "witness"
    text = f"open({str(witness)!r}, 'w')\n" + forms.tenseal(8192, [60, 40, 60], 40)
    assert len(read(text, ".py")) == 1
    assert not witness.exists()


@pytest.mark.parametrize(
    ("text", "ending", "said"),
    [
        ("print(1)", ".py", "no parameter set"),
        ("def f(:", ".py", "line 1: this is no valid Python"),
        ("(" * 10_000, ".py", "Python"),
        ("x = 1\0", ".py", "Python"),
        ("", ".yml", "no parameter set"),
        ("int main() {", ".cpp", "no parameter set"),
        ("LogN: 13", ".txt", "'.txt'"),
    ],
)
def test_files_without_a_set_are_told_in_one_message_with_what_is_understood(
    text: str, ending: str, said: str
) -> None:
    with pytest.raises(DataError) as raised:
        read(text, ending)
    assert said in raised.value.message
    assert raised.value.remedy


WRITTEN = (
    (forms.cpp_seal(8192, [60, 40, 60], 40), ".cpp"),
    (forms.cpp_openfhe(3, 40, 50, "parameters.SetRingDim(1 << 14);"), ".cpp"),
    (forms.go_lattigo(13, [50, 40], [50], 40, " Xs: ring.Ternary{H: 192},"), ".go"),
    (forms.orion(13, [50, 40], [50], 40, "  H: 192"), ".yml"),
    (forms.tenseal(8192, [60, 40, 60], 40), ".py"),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(WRITTEN), st.data())
def test_broken_files_never_raise_anything_but_our_own_errors(
    written: tuple[str, str], data: st.DataObject
) -> None:
    text, ending = written
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 30))
    put = data.draw(st.text("(){}[]<>=:,.;#\"'\n 0123abcN-+*/%&_\\é", max_size=8))
    try:
        found = read(text[:at] + put + text[at + length :], ending)
    except FheasibleError:
        return
    assert found
