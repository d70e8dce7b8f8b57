"""The noise of TFHE's steps, measured on the exact ring, beside the formulas of `noise/tfhe/`.

    .venv/bin/python benchmarks/tfhe_noise.py [--out benchmarks/results/tfhe_noise.json]
        [--figure docs/tfhe_noise.svg] [--table]

The sets are TFHE-rs's, with their polynomials, decompositions and errors, but keys of few bits: what a
bootstrap adds is the same for each bit of the small key, and what a key switch adds does not depend on how
long the new key is. Predictions are for the same short keys, half of whose bits are 1. Every coefficient of
a rotated table is one sample. A bootstrap is run twice: with exact products, and with one FFT in double
precision, as in libraries.

Failures: sets made to fail, with so much noise before the table that a look-up takes another entry at rates
of 2^-8, 2^-11 and 2^-14. The modulus switch decides which entry a look-up reads; it is run at the real
dimension. With --table nothing is measured.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from math import log2, sqrt
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.noise.tfhe.sets import named_sets  # noqa: E402

from fheasible.noise.tfhe.noise import failure_of, noise_of, room  # noqa: E402
from fheasible.noise.tfhe.variances import key_switch_variance, packing_variance  # noqa: E402
from fheasible.reports.charts import write  # noqa: E402
from fheasible.reports.figures import FigureSamples, Scatter  # noqa: E402
from fheasible.rings.torus.element import Domain, Torus  # noqa: E402
from fheasible.rings.torus.exact import ExactTorusRing  # noqa: E402
from fheasible.rings.torus.ring import TorusRing  # noqa: E402
from fheasible.schemes.tfhe import bootstrap, glwe, lwe, packing  # noqa: E402
from fheasible.schemes.tfhe.exact import exact_ring  # noqa: E402
from fheasible.schemes.tfhe.parameters import (  # noqa: E402
    Errors,
    Gadget,
    Gaussian,
    ModulusSwitch,
    TfheParameters,
    TUniform,
)

Json = dict[str, Any]
Found = NDArray[np.float64]
OUT, FIGURE = ROOT / "benchmarks" / "results" / "tfhe_noise.json", ROOT / "docs" / "tfhe_noise.svg"
PREFIX, SUFFIX = "V1_7_PARAM_", "_KS_PBS_TUNIFORM_2M128"
SETS = (
    "MESSAGE_1_CARRY_1", "MESSAGE_2_CARRY_2", "MESSAGE_3_CARRY_3", "MULTI_BIT_GROUP_2_MESSAGE_1_CARRY_1",
    "MULTI_BIT_GROUP_2_MESSAGE_2_CARRY_2", "MULTI_BIT_GROUP_3_MESSAGE_1_CARRY_1",
    "MULTI_BIT_GROUP_3_MESSAGE_2_CARRY_2", "MULTI_BIT_GROUP_4_MESSAGE_2_CARRY_2",
)  # fmt: skip
BITS, KEYS, AT_ONCE = 48, 6, 3  # of the short keys; new keys; ciphertexts for each
PACKINGS = {"glwe dimension 4, N = 256": (4, 256, Gadget(6, 2), TUniform(43), 2048)}  # TFHE-rs's compression
TRIES, CHUNK = {-8: 100_000, -11: 300_000, -14: 1_000_000}, 5_000  # by log2 of the rate
EXACT = Gaussian(0.0)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--figure", type=Path, default=FIGURE)
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    if not asked.table:
        begun = process_time()
        steps, failures = list(all_steps()), list(all_failures())
        told = {"cpu_seconds": round(process_time() - begun), "steps": steps, "failures": failures}
        asked.out.write_text(json.dumps(told, indent=1) + "\n")
    told = json.loads(asked.out.read_text())
    print("\n".join(table(told)))
    write(figure(told["steps"]), asked.figure)
    return 0


# -- what each step adds


def all_steps() -> Iterator[Json]:
    known = {each.name: each.parameters for each in named_sets()}
    for name in SETS:
        p = known[PREFIX + name + SUFFIX]
        short = replace(p, lwe_dimension=BITS)
        for doubles in (False, True):
            found = np.concatenate([rotated(short, key, doubles) for key in range(KEYS)])
            predicted = noise_of(short, None) if not doubles else noise_of(short)
            step = "bootstrap" if p.grouping == 1 else f"bootstrap, {p.grouping} bits"
            yield row(name, step + (", doubles" if doubles else ""), predicted.bootstrap, found)
        predicted_switch = key_switch_variance(p.large_dimension, *of(p.ks), p.lwe_errors.variance)
        yield row(name, "key switch", float(predicted_switch), key_switched(p))
        if p.grouping == 1:
            for how in ModulusSwitch:
                one = replace(p, modulus_switch=how)
                yield row(name, f"modulus switch, {how}", noise_of(one).modulus_switch, modulus_switched(one))
    for name, (k, n, gadget, errors, old) in PACKINGS.items():
        predicted_packing = float(packing_variance(old, *of(gadget), errors.variance, n))
        yield row(name, "packing key switch", predicted_packing, packed(k, n, gadget, errors, old))


def of(gadget: Gadget) -> tuple[int, int]:
    return gadget.base_log, gadget.level


def row(name: str, step: str, predicted: float, found: Found) -> Json:
    """Samples share keys, so that the interval is that of as many independent ones as the variance of
    blocks says."""
    print(f"{name}: {step}", file=sys.stderr)
    measured = float(found.var())
    blocks = np.array([block.var() for block in np.array_split(found, 16)])
    return {
        "set": name,
        "step": step,
        "samples": len(found),
        "predicted": predicted,
        "measured": measured,
        "half_interval": 2 * float(blocks.std() / sqrt(len(blocks))),
    }


def signed(words: NDArray[np.uint64]) -> Found:
    return words.view(np.int64) * 2.0**-64


def batch(ring: TorusRing, c: Torus) -> Torus:
    """The ciphertexts of an array, as many at once."""
    return ring.given(c.shape[1:], Domain.WORDS, c.data)


def rotated(p: TfheParameters, seed: int, doubles: bool) -> Found:
    """The errors of all coefficients of a table that is 1/4 everywhere, after its rotation."""
    ring = exact_ring(p, seed, doubles)
    ones = np.arange(p.lwe_dimension) % 2  # shuffled: half of the bits, as predicted
    small = ring.given((BITS,), Domain.DIGITS, np.random.default_rng(seed).permutation(ones))
    large = ring.binary((p.glwe_dimension, p.polynomial_size))
    key = bootstrap.bootstrap_key(ring, small, large, p.pbs, p.glwe_errors, p.grouping)
    quarter = ring.offset(ring.zero((p.polynomial_size,)), 1 << 62)
    start = glwe.encrypt(exact_ring(p, seed), large, quarter, EXACT)  # a random mask, as after a few steps
    c = batch(ring, ring.uniform((AT_ONCE, p.lwe_dimension + 1)))
    if p.grouping > 1:
        result = bootstrap.blind_rotate_groups(ring, start, c, key, p.pbs)
    else:
        exponents = ring.exponents(c, bootstrap.exponent_bits(p.polynomial_size))
        result = bootstrap.blind_rotate(ring, start, exponents, key, p.pbs)
    phases = glwe.phase(exact_ring(p, seed), large, result).data
    return signed((phases + np.uint64(1 << 62)) << np.uint64(1)).ravel() / 2  # nearest of 1/4 and -1/4


def key_switched(p: TfheParameters) -> Found:
    """A short new key: the noise is that of any."""
    found = []
    for key in range(KEYS):
        ring = ExactTorusRing(key)
        old, new = ring.binary((p.large_dimension,)), ring.binary((BITS,))
        switch = lwe.switch_key(ring, old, new, p.ks, p.lwe_errors)
        c = batch(ring, lwe.encrypt(ring, old, ring.zero((250,)), EXACT))
        found.append(signed(lwe.phase(ring, new, lwe.key_switch(ring, c, switch, p.ks)).data[:, 0]))
    return np.concatenate(found)


def modulus_switched(p: TfheParameters) -> Found:
    """Without the half step by which the body is shifted."""
    found, bits = [], bootstrap.exponent_bits(p.polynomial_size)
    for key in range(KEYS * 4):
        ring = ExactTorusRing(key)
        secret = ring.binary((p.lwe_dimension,))
        c = batch(ring, lwe.encrypt(ring, secret, ring.zero((1000,)), EXACT))
        found.append(_off(ring, secret, lwe.modulus_switch(ring, c, bits, p.modulus_switch), bits))
    centered = p.modulus_switch is ModulusSwitch.CENTERED
    return np.concatenate(found) + (2.0 ** -(bits + 1) if centered else 0.0)


def _off(ring: TorusRing, secret: Torus, exponents: Torus, bits: int) -> Found:
    words = exponents.data.view(np.uint64) << np.uint64(64 - bits)
    return signed(lwe.phase(ring, secret, ring.given(exponents.shape, Domain.WORDS, words)).data[:, 0])


def packed(k: int, n: int, gadget: Gadget, errors: Errors, dimension: int) -> Found:
    ring = ExactTorusRing(1)
    old, new = ring.binary((dimension,)), ring.binary((k, n))
    key = packing.packing_key(ring, old, new, gadget, errors)
    found = []
    for _ in range(2):
        c = lwe.encrypt(ring, old, ring.zero((n,)), EXACT)
        found.append(signed(glwe.phase(ring, new, packing.pack(ring, c, key, gadget)).data[0]))
    return np.concatenate(found)


# -- how often a look-up takes another entry


def all_failures() -> Iterator[Json]:
    shape = next(
        each.parameters for each in named_sets() if each.name == PREFIX + "MESSAGE_2_CARRY_2" + SUFFIX
    )
    for how in ModulusSwitch:
        for rate, tries in TRIES.items():
            p = replace(shape, modulus_switch=how)
            before = noise_for(p, rate)
            wrong = sum(failing(p, before, seed) for seed in range(tries // CHUNK))
            predicted = failure_of(before + noise_of(p).modulus_switch, p.plaintext_modulus)
            print(f"{how}: 2^{predicted:.2f} predicted, {wrong} of {tries}", file=sys.stderr)
            yield {"modulus_switch": how, "predicted": predicted, "wrong": wrong, "tries": tries}


def noise_for(p: TfheParameters, rate: float) -> float:
    """The variance before the modulus switch with which look-ups fail at this rate, by bisection."""
    low, high = 0.0, room(p.plaintext_modulus) ** 2
    for _ in range(60):
        middle = (low + high) / 2
        fails = failure_of(middle + noise_of(p).modulus_switch, p.plaintext_modulus) > rate
        low, high = (low, middle) if fails else (middle, high)
    return low


def failing(p: TfheParameters, variance: float, seed: int) -> int:
    """How many of CHUNK random messages are read as another one; a box has the coefficients -h, ..., h - 1
    around its middle."""
    ring, bits, values = ExactTorusRing(seed), bootstrap.exponent_bits(p.polynomial_size), p.plaintext_modulus
    secret = ring.binary((p.lwe_dimension,))
    messages = np.random.default_rng(seed).integers(0, values, CHUNK)
    words = messages.astype(np.uint64) << np.uint64(63 - int(log2(values)))
    c = lwe.encrypt(ring, secret, ring.given((CHUNK,), Domain.WORDS, words), Gaussian(sqrt(variance)))
    exponents = lwe.modulus_switch(ring, batch(ring, c), bits, p.modulus_switch)
    phases = np.rint((_off(ring, secret, exponents, bits) % 1) * 2**bits).astype(np.int64)
    box = p.polynomial_size // values
    read = (phases + box // 2) % (2 * p.polynomial_size) // box
    return int((read != messages).sum())


# -- what is shown


def table(told: Json) -> Iterator[str]:
    yield "| set | step | samples | predicted, log2 | measured / predicted |"
    yield "|---|---|---|---|---|"
    for each in told["steps"]:
        ratio, half = (each[name] / each["predicted"] for name in ("measured", "half_interval"))
        yield (
            f"| {each['set']} | {each['step']} | {each['samples']:,} | {log2(each['predicted']):.2f} "
            f"| {ratio:.3f} ± {half:.3f} |"
        )
    yield ""
    yield "| modulus switch | predicted | failed | measured / predicted |"
    yield "|---|---|---|---|"
    for each in told["failures"]:
        expected = each["tries"] * 2 ** each["predicted"]
        yield (
            f"| {each['modulus_switch']} | 2^{each['predicted']:.2f} | {each['wrong']} of {each['tries']:,} "
            f"| {each['wrong'] / expected:.2f} ± {2 / sqrt(expected):.2f} |"
        )


def figure(steps: list[Json]) -> Scatter:
    """Bits of noise: half the log2 of variances."""
    series = []
    for kind in dict.fromkeys(_kind(each["step"]) for each in steps):
        rows = [each for each in steps if _kind(each["step"]) == kind]
        series.append(
            FigureSamples(
                kind,
                tuple(log2(each["measured"]) / 2 for each in rows),
                tuple(log2(each["predicted"]) / 2 for each in rows),
                tuple(each["half_interval"] / each["measured"] / 2 / np.log(2) for each in rows),
            )
        )
    title = "Noise of TFHE's steps: predicted less measured, log2 of the standard deviation"
    band = log2(1.2) / 2  # 20 % of a variance
    return Scatter(
        title, "measured (bit)", "predicted - measured (bit)", tuple(series), -band, band, difference=True
    )


def _kind(step: str) -> str:
    if not step.startswith("bootstrap"):
        return step.split(",")[0]
    return "bootstrap, " + ("doubles" if "doubles" in step else "exact")


if __name__ == "__main__":
    raise SystemExit(main())
