"""What operations ask of a machine, against counts made by hand and against their own scaling."""

from math import inf, isclose, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fheasible.estimation.features import NAMES, Caches, Shape, features
from fheasible.libraries.layout import Task
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.work import layout_of
from fheasible.rings.rns.kernels import KERNELS
from libraries.chains import LIBRARIES, SCHEMES, actions, chain, polys

N = 1024  # its logarithm is 10: a transform has 5 N butterflies
BOUNDLESS = Caches(inf, inf)
NONE = Caches(0.0, 0.0)
TRANSFORMS = ("forward", "inverse", "plain_transforms")
CASES = [(x, s, a) for x in LIBRARIES for s in SCHEMES for a in actions(s)]


def asked(p: Parameters, task: Task, n: int = N, caches: Caches = BOUNDLESS) -> dict[str, float]:
    """The features by name."""
    found = features(Shape(n, layout_of(p), task), caches)
    assert len(found) == len(NAMES)
    return dict(zip(NAMES, found, strict=True))


def a_task(action: str, limbs: int) -> Task:
    """The action at the top of a chain; a drop ends one level below."""
    return Task(action, limbs - 1 - (action == "drop"), polys(action))


def test_features_are_kernels_and_missed_bytes() -> None:
    assert (*KERNELS, "l2_missed_bytes", "l3_missed_bytes") == NAMES


@pytest.mark.parametrize("l", [1, 2, 9])
def test_relinearizing_in_seal_by_hand(l: int) -> None:
    """l digits of one limb and one special prime: from each limb to all l + 1 and back from there,
    (l + 1)(l + 2) transforms; two products over QP for each digit, reduced once for each limb of both."""
    found = asked(chain("seal", "ckks", l), Task("relinearize", l - 1))
    assert found["forward"] + found["inverse"] == (l + 1) * (l + 2) * N / 2 * 10
    assert found["lazy_products"] == 2 * l * (l + 1) * N
    assert found["reductions"] == 2 * (l + 1) * N
    assert found["permutations"] == found["embeddings"] == found["uniform_samples"] == 0


@pytest.mark.parametrize("library", ["openfhe", "lattigo"])
def test_digits_by_hand_the_last_of_which_is_shorter(library: str) -> None:
    """5 limbs in digits of 2, 2 and 1, two special primes. Each digit fills 7 limbs, and both sums come back
    from there: (3 + 2)·7 transforms. Base conversion: 2·5 + 2·5 for the digits of two limbs, 1·6 for that of
    one, where it is no plain reduction; 2·5 twice for P."""
    found = asked(chain(library, "ckks", 5, 2), Task("relinearize", 4))
    assert found["forward"] + found["inverse"] == 35 * 5 * N
    assert found["lazy_products"] + found["products"] == 2 * 3 * 7 * N
    converted = found["conversion_products"] + found["word_reductions"]
    assert converted == (10 + 10 + 6 + 20) * N


@pytest.mark.parametrize("library", LIBRARIES)
@given(limbs=st.integers(1, 30), size=st.integers(2, 3), n=st.integers(4, 17).map(lambda k: 1 << k))
def test_a_sum_adds_every_coefficient_once(library: str, limbs: int, size: int, n: int) -> None:
    found = asked(chain(library, "bgv", limbs, 2), Task("add", limbs - 1, size), n)
    assert found["additions"] == size * limbs * n
    assert sum(found[name] for name in (*TRANSFORMS, "products", "lazy_products", "reductions")) == 0
    assert found["calls"] >= 2  # what the library calls, and that it is called


@pytest.mark.parametrize("l", [1, 4])
def test_a_vector_takes_one_embedding_of_half_as_many_complex_slots(l: int) -> None:
    """n/2 slots: n/4 butterflies in each of log2(n/2) rounds; then a transform of every limb. (SEAL's
    embedding is of n complex numbers.)"""
    for library in ("openfhe", "lattigo"):
        found = asked(chain(library, "ckks", l), Task("mul_plain", l - 1))
        assert found["embeddings"] == N / 4 * 9
        assert found["forward"] == l * 5 * N
    assert asked(chain("lattigo", "bgv", l), Task("mul_plain", l - 1))["plain_transforms"] == 5 * N


def of_slots(library: str, scheme: str, slots: int) -> dict[str, float]:
    task = Task("mul_plain", 3)
    found = features(Shape(N, layout_of(chain(library, scheme, 4, 2)), task, slots), BOUNDLESS)
    return dict(zip(NAMES, found, strict=True))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_short_vector_fills_few_coefficients(library: str) -> None:
    """64 of 512 slots, so that every eighth coefficient is there. OpenFHE embeds 64 values; our workers of
    the others repeat them. SEAL treats zeros as any other coefficient, and all transform every limb."""
    full, short = of_slots(library, "ckks", 0), of_slots(library, "ckks", 64)
    assert full == of_slots(library, "ckks", N // 2)
    assert full["messages"] == 4 * N
    assert short["messages"] == (4 * N if library == "seal" else 4 * N / 8)
    embedded = 64 / 2 * 6 if library == "openfhe" else N / 4 * 9 * (1 + (library == "seal"))
    assert short["embeddings"] == embedded
    rest = set(NAMES) - {"messages", "embeddings"}
    assert {name: short[name] for name in rest} == {name: full[name] for name in rest}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("scheme", ["bgv", "bfv"])
def test_integers_fill_the_ring_however_few_they_are(library: str, scheme: str) -> None:
    assert of_slots(library, scheme, 64) == of_slots(library, scheme, 0)


@given(log_n=st.integers(5, 17), limbs=st.integers(2, 8), digit=st.integers(1, 3))
@settings(max_examples=25)
def test_a_ring_twice_as_large_takes_twice_as_much_and_transforms_a_round_more(
    log_n: int, limbs: int, digit: int
) -> None:
    for library, scheme, action in CASES:
        p, task = chain(library, scheme, limbs, digit), a_task(action, limbs)
        once, twice = (asked(p, task, 1 << k) for k in (log_n, log_n + 1))
        for name in NAMES:
            rounds = 1.0
            if name in TRANSFORMS:
                rounds = (log_n + 1) / log_n
            elif name == "embeddings":
                rounds = log_n / (log_n - 1)
            factor = 1 if name == "calls" else 2 * rounds
            assert isclose(twice[name], factor * once[name], rel_tol=1e-9), (library, scheme, action, name)


# -- bytes that the caches do not hold

ADDED = 3  # limbs of the operands of a sum


def added(n: int, caches: Caches) -> dict[str, float]:
    """Lattigo adds two parts of l limbs: 4l limbs read, 2l written, and no others in use."""
    return asked(chain("lattigo", "ckks", ADDED), Task("add", ADDED - 1), n, caches)


def test_bytes_by_hand() -> None:
    moved = 6 * ADDED * 8 * N
    assert added(N, NONE)["l2_missed_bytes"] == added(N, NONE)["l3_missed_bytes"] == moved
    found = added(N, Caches(moved / 2, moved / 4))
    assert (found["l2_missed_bytes"], found["l3_missed_bytes"]) == (moved / 2, 3 * moved / 4)
    assert added(N, Caches(moved, moved - 8))["l2_missed_bytes"] == 0
    assert added(N, Caches(moved, moved - 8))["l3_missed_bytes"] == pytest.approx(8)


def test_what_is_touched_again_is_missed_in_the_same_part() -> None:
    """SEAL makes a sum in a copy, over zeros: 36 limbs are moved, of which 18 differ; two thirds
    of those fit."""
    p, task = chain("seal", "ckks", ADDED), Task("add", ADDED - 1)
    found = asked(p, task, N, Caches(12 * 8 * N, 1e9))
    assert found["l2_missed_bytes"] == pytest.approx(36 * 8 * N / 3)
    assert found["l3_missed_bytes"] == 0


@given(log_n=st.integers(8, 24), cache=st.floats(1e3, 1e9))
def test_what_fits_misses_nothing_and_what_is_much_larger_nearly_all(log_n: int, cache: float) -> None:
    n = 1 << log_n
    moved = 6 * ADDED * 8 * n
    missed = added(n, Caches(cache, cache))["l2_missed_bytes"]
    assert 0 <= missed <= moved
    assert missed == (0 if moved <= cache else pytest.approx(moved - cache))
    if moved > 100 * cache:
        assert missed > 0.99 * moved


@given(limbs=st.integers(2, 8), l2=st.floats(1e4, 1e6), l3=st.floats(1e6, 1e8))
@settings(max_examples=25)
def test_a_larger_cache_misses_no_more_and_changes_nothing_else(limbs: int, l2: float, l3: float) -> None:
    for library, scheme, action in CASES:
        p, task = chain(library, scheme, limbs, 2), a_task(action, limbs)
        small, large = (asked(p, task, 1 << 14, Caches(l2 * k, l3 * k)) for k in (1, 2))
        without = asked(p, task, 1 << 14, NONE)
        assert min(small.values()) >= 0
        assert small["l3_missed_bytes"] <= small["l2_missed_bytes"]
        for name in NAMES:
            case = library, scheme, action, name
            if name.endswith("missed_bytes"):
                assert large[name] <= small[name] <= without[name], case
            else:
                assert large[name] == small[name], case


def test_a_machine_that_does_not_tell_its_caches_has_common_ones() -> None:
    assert log2(Caches().l2_bytes) == 20
    assert log2(Caches().l3_bytes) == 23
