"""Table look-ups really run: every message finds its entry, in every variant."""

import numpy as np
import pytest

from schemes.tfhe.running import VARIANTS, Run, in_batches, looked_up


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_look_up_finds_the_entry_of_every_message(variant: str) -> None:
    run = Run.of(VARIANTS[variant], seed=1)
    errors = in_batches(64, 32, lambda size, seed: looked_up(run, size, seed))
    assert np.abs(errors).max() < run.allowed


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["standard", "centered", "groups of three"])
def test_a_bootstrap_is_right_ten_thousand_times(variant: str) -> None:
    errors = []
    for key in range(10):
        run = Run.of(VARIANTS[variant], seed=key)
        errors.append(in_batches(1000, 32, lambda size, seed, run=run: looked_up(run, size, seed)))
        assert np.abs(errors[-1]).max() < run.allowed
    assert sum(map(len, errors)) == 10_000


@pytest.mark.long
def test_a_look_up_can_be_repeated_on_its_own_results() -> None:
    """Noise does not grow from look-up to look-up: x -> x + 1, as often as there are messages, is x."""
    run = Run.of(VARIANTS["standard"], seed=3)
    p = run.scheme.parameters.plaintext_modulus
    table = run.scheme.table([(i + 1) % p for i in range(p)])
    messages = np.arange(16) % p
    c = run.encrypted(messages)
    for _ in range(p):
        c = run.scheme.lookup(run.keys, c, table)
    assert np.abs(run.errors(c, messages)).max() < run.allowed / 4


@pytest.mark.long
def test_sums_of_ciphertexts_are_sums_of_messages() -> None:
    run = Run.of(VARIANTS["standard"], seed=4)
    a, b = np.array([0, 1, 1, 0]), np.array([1, 1, 0, 0])
    ring = run.scheme.ring
    c = ring.add(run.encrypted(a), ring.scale(run.encrypted(b), 2))
    assert np.abs(run.errors(c, a + 2 * b)).max() < run.allowed
    table = run.scheme.table([3, 2, 1, 0])
    assert np.abs(run.errors(run.scheme.lookup(run.keys, c, table), 3 - a - 2 * b)).max() < run.allowed


@pytest.mark.long
def test_products_with_the_errors_of_doubles_are_right_and_are_not_the_exact_ones() -> None:
    """The same keys and ciphertexts: only the transforms differ."""
    exact, doubles = (Run.of(VARIANTS["standard"], 5, doubles) for doubles in (False, True))
    first, second = (looked_up(run, 16, 0) for run in (exact, doubles))
    assert np.abs(second).max() < doubles.allowed
    assert 0 < np.abs(first - second).max() < np.abs(first).max()
