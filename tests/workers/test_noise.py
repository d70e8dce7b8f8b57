"""Many encryptions of one program, and their noise: polynomials that every worker must read alike."""

import subprocess
from math import floor, log2

import numpy as np
import pytest

from fheasible.measurement.conformance.client import Arrays, Json, Measured, Worker
from fheasible.measurement.conformance.scripts import Script
from fheasible.measurement.conformance.vectors import CKKS_ERROR, data, everything

from .conftest import ROOT, Workers, command
from .test_conformance import each_integer_toy, each_toy
from .toys import CHAINED, PLAIN_MODULUS, TOYS, Toy, chain_toy

pytestmark = pytest.mark.worker

REPETITIONS = 2
ALL = {"every_output": True, "noise": True, "sizes": False}
PLAN = {"repetitions": REPETITIONS, "warmup": 1, "threads": 1, "min_seconds": 0}
SIGMA = 3.19
ENCRYPTIONS = 8  # whose variance, in a ring of 2,048, is known to 2.5 % under each key
SPREAD = 6 * 0.025


def run(workers: Workers, script: Script, options: Json) -> Measured:
    worker: Worker = workers[script.toy.library]
    return worker.run(script.toy.parameters, script.message(), script.data(), PLAN, options)


def noise(measured: Measured) -> Arrays:
    return {name: np.load(path) for name, path in measured.reply["noise"].items()}


@each_toy
def test_every_repetition_encrypts_anew_and_returns_its_outputs(workers: Workers, toy: Toy) -> None:
    script = everything(toy, 8)
    measured = run(workers, script, {"every_output": True})
    for name, got in measured.outputs.items():
        expected = script.expected(name)
        assert got.shape == (REPETITIONS, *expected.shape)
        assert np.abs(got - expected).max() < CKKS_ERROR
        if toy.scheme == "ckks":
            assert len({one.tobytes() for one in got}) == REPETITIONS
    assert "noise" not in measured.reply


@each_integer_toy
def test_the_noise_of_a_sum_is_the_sum_of_the_noises(workers: Workers, toy: Toy) -> None:
    script = Script(toy, 8)
    x, y = script.encrypt("x", data(script, 1)), script.encrypt("y", data(script, 2))
    product = script.relinearize(script.mul(x, y))
    x, y, product = (script.rescale(v) for v in (x, y, product))
    for name, value in {"x": x, "y": y, "product": product}.items():
        script.output(name, value)
    script.output("sum", script.add(x, y))
    script.output("double", script.add(product, product))
    found = noise(run(workers, script, ALL))
    assert found["x"].shape == (REPETITIONS, 1, toy.n)
    rounding = 1e-15 * np.abs(found["sum"]).max()  # of doubles
    assert np.allclose(found["sum"], found["x"] + found["y"], rtol=1e-12, atol=rounding)
    assert np.array_equal(found["double"], 2 * found["product"])
    assert np.abs(found["product"]).max() < 0.5


@each_integer_toy
def test_decryption_fails_where_the_noise_reaches_half_the_modulus(workers: Workers, toy: Toy) -> None:
    """Doubling a value doubles its noise, until it wraps around: not a doubling sooner, nor one later.
    OpenFHE's BFV is seen to be right at 514 / 1024 of noise, and wrong at 510 / 1024."""
    border = 0.02 if (toy.library, toy.scheme) == ("openfhe", "bfv") else 0.0
    left = floor(_budget(noise(run(workers, _doubled(toy, ()), ALL))["fresh"]))
    times = range(left - 1, left + 3)
    script = _doubled(toy, tuple(times))
    measured = run(workers, script, ALL)
    for repetition, fresh in enumerate(noise(measured)["fresh"]):
        for k in times:
            right = np.array_equal(
                measured.outputs[f"doubled{k}"][repetition], script.expected(f"doubled{k}")
            )
            if abs(k - _budget(fresh)) > border:
                assert right == (k < _budget(fresh)), (k, _budget(fresh))


def _budget(one: np.ndarray) -> float:
    return -log2(2 * np.abs(one).max())


def _doubled(toy: Toy, times: tuple[int, ...]) -> Script:
    """A fresh value, and what it is after so many doublings."""
    script = Script(toy, 8)
    value = script.encrypt("x", data(script, 1))
    script.output("fresh", value)
    for k in range(1, max(times, default=0) + 1):
        value = script.add(value, value)
        if k in times:
            script.output(f"doubled{k}", value)
    return script


@pytest.mark.parametrize("scheme", ["bfv", "bgv"])
@pytest.mark.parametrize("library", CHAINED)
def test_fresh_noise_is_that_of_public_key_encryption(workers: Workers, library: str, scheme: str) -> None:
    """Both divide the encryption's own noise by a prime: what rounding both polynomials leaves remains, of
    variance (1 + 2n/3) / 12."""
    toy = chain_toy(library, scheme)
    spread = _fresh(workers, toy).var(axis=0, ddof=1).mean()
    assert 12 * spread / (1 + 2 / 3 * toy.n) == pytest.approx(1, abs=SPREAD)


def test_openfhe_s_fresh_noise_is_that_of_public_key_encryption(workers: Workers) -> None:
    """v e + e_0 + e_1 s of Gaussians of standard deviation 3.19 and ternary v and s."""
    toy = next(t for t in TOYS if t.name == "openfhe-bgv-fixedmanual")
    spread = _fresh(workers, toy).var(axis=0, ddof=1).mean()
    assert spread / SIGMA**2 / (1 + 4 / 3 * toy.n) == pytest.approx(1, abs=SPREAD)


@pytest.mark.parametrize("library", CHAINED)
def test_only_seal_s_bgv_rounds_what_it_divides_to_one_side(workers: Workers, library: str) -> None:
    """Into [0, t), so that half of t is common to all coefficients of both polynomials. In the slot next to
    1, of an encryption, the square of that is 12 n / pi^2 times the rest's, but where the secret is next to
    -1 there: 2^-8 of that once in 160,000 keys. Without it, eight times the mean's square over the variance
    is above 100 once in 200 million runs."""
    toy = chain_toy(library, "bgv")
    found = _fresh(workers, toy) @ np.exp(1j * np.pi / toy.n * np.arange(toy.n))
    common = ENCRYPTIONS * abs(found.mean()) ** 2 / found.var(ddof=1)
    if library != "lattigo":
        assert np.log2(common / (ENCRYPTIONS * 12 * toy.n / np.pi**2)) == pytest.approx(0, abs=8)
    else:
        assert common < 100


def _fresh(workers: Workers, toy: Toy) -> np.ndarray:
    """The noise of a few encryptions under one key, in units of t / Q: (encryption, coefficient)."""
    script, plan = _doubled(toy, ()), PLAN | {"repetitions": ENCRYPTIONS}
    measured = workers[toy.library].run(toy.parameters, script.message(), script.data(), plan, ALL)
    modulus = np.prod([int(q) for q in measured.reply["q"]], dtype=object)
    return noise(measured)["fresh"][:, 0] * float(modulus) / PLAIN_MODULUS


@pytest.mark.parametrize("toy", [t for t in TOYS if t.scheme == "ckks"], ids=lambda toy: toy.name)
def test_the_noise_of_ckks_is_refused(workers: Workers, toy: Toy) -> None:
    script = _doubled(toy, ())
    reply, progress = workers[toy.library].try_run(
        toy.parameters, script.message(), script.data(), PLAN, {"noise": True}
    )
    assert (reply["type"], reply["kind"], progress) == ("refused", "UnsupportedOperation", [])


_ASK_SEAL = """
from math import floor, log2
import numpy, seal
from seal_backend import LIBRARY
from worker.request import Program

q, t = {q}, {t}
for scheme in ("bfv", "bgv"):
    chain = {{"ring_dimension": {n}, "q": q[:-1], "p": q[-1:], "plain_modulus": t}}
    backend = LIBRARY.open({{"scheme": scheme, **chain}})
    backend.prepare(Program(scheme, 8, 0, False, False, {{}}, (), (), (), (), False, True, False))
    backend.keygen()
    x = backend.encrypt(numpy.arange(8), len(q) - 2 if scheme == "bgv" else 0)
    for value in (x, backend.mul(x, x, 0), backend.relinearize(backend.square(x, 0), 0)):
        own = seal.Decryptor(backend._context, backend._secret).invariant_noise_budget(value)
        print(own, floor(-log2(2 * abs(backend.noise(value)).max())))
"""


def test_the_budget_is_what_seal_itself_says(workers: Workers) -> None:
    toy = chain_toy("seal", "bfv")
    assert workers["seal"].hello["library"] == "seal"  # skipped where it is not installed
    chain = [int(x) for x in (*toy.parameters["q"], *toy.parameters["p"])]
    script = _ASK_SEAL.format(q=chain, t=PLAIN_MODULUS, n=toy.n)
    done = subprocess.run(
        [command("seal")[0], "-c", script], cwd=ROOT / "python", capture_output=True, text=True, check=True
    )
    told = [line.split() for line in done.stdout.splitlines()]
    assert len(told) == 6
    assert all(own == ours for own, ours in told), told
