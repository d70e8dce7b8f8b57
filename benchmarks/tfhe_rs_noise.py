"""The noise of table look-ups in TFHE-rs: predicted variances and failure rates beside measured ones.

    .venv/bin/python benchmarks/tfhe_rs_noise.py [--lookups 2000] [--keys 5] [--threads 2] [--only WORD]
        [--out benchmarks/results/tfhe_rs_noise.json]

It needs the library `tfhe_rs` (`fheasible libraries install tfhe_rs`). For each set, look-ups of fresh
ciphertexts are made with several keys, and the errors of their results are measured against the variance that
`noise/tfhe` predicts. Sets that are made to fail are the cheapest ones that fail once in 2^6 to 2^10 look-ups
of three times a value: the elements whose last result is another one are counted, whichever of two look-ups
failed.
"""

import argparse
import json
import sys
from dataclasses import replace
from math import log2, sqrt
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from fheasible.exploration.lookups.optimiser import Asked, optimised  # noqa: E402
from fheasible.measurement.execute import RunOptions, RunPlan  # noqa: E402
from fheasible.measurement.lookups import execute_on  # noqa: E402
from fheasible.measurement.worker import Worker  # noqa: E402
from fheasible.noise.tfhe.noise import noise_of  # noqa: E402
from fheasible.noise.tfhe.program import failures  # noqa: E402
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step  # noqa: E402
from fheasible.schemes.tfhe.parameters import ModulusSwitch, TfheParameters  # noqa: E402
from noise.tfhe.sets import named_set  # noqa: E402

Json = dict[str, Any]
LIBRARY = "tfhe_rs"
NAMED = (
    "PARAM_MESSAGE_1_CARRY_1_KS_PBS_TUNIFORM_2M128",
    "PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128",
    "PARAM_MESSAGE_2_CARRY_2_KS_PBS_GAUSSIAN_2M128",
    "PARAM_MULTI_BIT_GROUP_2_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128",
    "PARAM_MULTI_BIT_GROUP_3_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128",
    "PARAM_MULTI_BIT_GROUP_4_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128",
    "PARAM_MESSAGE_3_CARRY_3_KS_PBS_TUNIFORM_2M128",
)
NORM = 3  # of the sums whose look-ups fail
FAILING = (
    ("2 bits, centered", Asked(plaintext_modulus=4, norm2=NORM, log2_failure=-6)),
    ("2 bits, centered", Asked(plaintext_modulus=4, norm2=NORM, log2_failure=-8)),
    ("4 bits, centered", Asked(plaintext_modulus=16, norm2=NORM, log2_failure=-8)),
    (
        "4 bits, standard",
        Asked(
            plaintext_modulus=16,
            norm2=NORM,
            log2_failure=-8,
            modulus_switch=ModulusSwitch.STANDARD,
            tuniform=False,
        ),
    ),
    (
        "2 bits, three at once",
        Asked(
            plaintext_modulus=4,
            norm2=NORM,
            log2_failure=-8,
            groupings=(3,),
            modulus_switch=ModulusSwitch.STANDARD,
        ),
    ),
    ("2 bits, centered", Asked(plaintext_modulus=4, norm2=NORM, log2_failure=-10)),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lookups", type=int, default=2000, help="with each key")
    parser.add_argument("--keys", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", default="", help="sets whose name has this word")
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "tfhe_rs_noise.json")
    given = parser.parse_args()
    rows: list[Json] = []
    for name in NAMED:
        if given.only in name:
            rows.append(variance_row(name, named_set(f"V1_7_{name}").parameters, given))
            print(json.dumps(rows[-1]), flush=True)
    for kind, asked in FAILING:
        name = f"{kind}, 2^{asked.log2_failure:g}"
        if given.only in name:
            rows.append(failure_row(name, asked, given))
            print(json.dumps(rows[-1]), flush=True)
    lines = ",\n".join(json.dumps(row) for row in rows)
    given.out.write_text(f'{{"library": "{LIBRARY}", "rows": [\n{lines}\n]}}\n')


def variance_row(name: str, p: TfheParameters, given: argparse.Namespace) -> Json:
    """The variance of the results of look-ups, as a part of what is predicted."""
    table = tuple(range(p.plaintext_modulus))
    steps = (fresh(given.lookups), LookupStep(Step.LOOKUP, 1, given.lookups, (0,)))
    program = one_table(table, steps)
    messages = np.random.default_rng(0).integers(0, p.plaintext_modulus, given.lookups)
    found = [measured(program, p, messages, given.threads) for _ in range(given.keys)]
    errors = np.concatenate([noise for _, noise in found])
    variances = [float(np.mean(noise**2)) for _, noise in found]
    wrong = sum(int(np.sum(numbers != messages)) for numbers, _ in found)
    predicted = noise_of(p).looked_up
    measured_variance = float(np.mean(errors**2))
    return {
        "name": name,
        "lookups": len(errors),
        "wrong": wrong,
        "predicted_log2_std": round(log2(predicted) / 2, 3),
        "measured_log2_std": round(log2(measured_variance) / 2, 3),
        "predicted_over_measured": round(predicted / measured_variance, 4),
        "by_key": [round(predicted / each, 4) for each in variances],
        "mean_over_std": round(float(errors.mean()) / sqrt(measured_variance), 4),
    }


def failure_row(name: str, asked: Asked, given: argparse.Namespace) -> Json:
    """How many look-ups of `NORM` times a value 0 fail, beside how many should."""
    p = optimised(asked)[0].parameters
    count = given.lookups
    steps = (
        fresh(count),
        LookupStep(Step.LOOKUP, 1, count, (0,), frees=(0,)),
        LookupStep(Step.LINEAR, 2, count, (1,), (NORM,), frees=(1,)),
        LookupStep(Step.LOOKUP, 3, count, (2,), frees=(2,)),
    )
    program = one_table(tuple(range(p.plaintext_modulus)), steps)
    messages = np.zeros(count, dtype=np.int64)
    found = [measured(program, p, messages, given.threads)[0] for _ in range(given.keys)]
    failed = sum(int(np.sum(numbers != 0)) for numbers in found)
    total = count * given.keys
    expected = 2.0 ** failures(program, p).expected
    return {
        "name": name,
        "lookups": total,
        "failed": failed,
        "predicted": round(expected * given.keys, 1),
        "predicted_over_measured": round(expected * given.keys / failed, 3) if failed else None,
        "predicted_log2": round(log2(expected / count), 2),
        "parameters": replace(p).to_json(),
    }


def fresh(count: int) -> LookupStep:
    return LookupStep(Step.ENCRYPT, 0, count, source="x")


def one_table(table: tuple[int, ...], steps: tuple[LookupStep, ...]) -> LookupProgram:
    """A program on the input `x` whose output `y` is what the last step makes."""
    x, y = (Digits(name, s.length, (s.out,), len(table)) for name, s in (("x", steps[0]), ("y", steps[-1])))
    return LookupProgram(len(table), steps, (table,), (x,), (y,))


def measured(
    program: LookupProgram, p: TfheParameters, messages: np.ndarray, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """(the results, the errors of their phases) with new keys."""
    with Worker(LIBRARY, threads) as worker:
        options = RunOptions(noise=True, sizes=False)
        found = execute_on(worker, program, p.to_json(), {"x": messages}, RunPlan(threads=threads), options)
    return found.outputs["y"].ravel(), found.noise["y"].ravel()


if __name__ == "__main__":
    main()
