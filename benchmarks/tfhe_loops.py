"""TFHE-rs: the worker beside the crate's own loop, and what is predicted beside what is measured.

    .venv/bin/python benchmarks/tfhe_loops.py [loops] [times] [refit] [published] [failures] [noise]
        [--out benchmarks/results/tfhe_loops.json]

loops      one process times look-ups by the worker and by the crate's `shortint`, in turns.
times      calibrates, and times look-ups of sets that the calibration has not seen in the same passes, then
           whole programs, beside their predictions. The profile is stored. `refit` does the same
           with the seconds that are stored, after a change of what is counted.
published  TFHE-rs's published times of a key switch with a bootstrap, on an AMD EPYC 9R14, beside the
           prices of this machine times one constant. Source: cpu-pbs-benchmark-tuniform-2m128.svg in
           zama-ai/tfhe-rs, tfhe/docs/.gitbook/assets.
failures   look-ups that fail often enough to be counted, beside what is predicted.
noise      the variance of the noise of 10,000 look-ups.

Each part is stored in --out under its name, beside the machine and the time. Exit code 1 where a target is
missed.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import exp, log, log2
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from fheasible.calibration.lookup_profiles import at_hand, save
from fheasible.calibration.lookup_runs import KEYGEN, OPERATIONS, Sample, least_seconds, points
from fheasible.calibration.lookups import profile as profile_of
from fheasible.estimation.lookup_profile import LookupProfile
from fheasible.estimation.lookups import tasks_of
from fheasible.libraries.lookup_library import EVALUATION, LookupTask
from fheasible.libraries.tfhe_rs.library import SCHEME, TFHE_RS
from fheasible.measurement.environment import now
from fheasible.measurement.execute import RunOptions, RunPlan
from fheasible.measurement.lookups import execute, execute_on, measure_on
from fheasible.measurement.machine import this_machine
from fheasible.measurement.worker import Worker
from fheasible.noise.tfhe.noise import failure_of, noise_of
from fheasible.program.lookup_values import computed
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, ModulusSwitch, Order, TfheParameters, TUniform
from fheasible.store.store import Store

Json = dict[str, Any]
OUT = Path(__file__).parent / "results" / "tfhe_loops.json"
PUBLISHED_SECONDS = {"1_CARRY_1": 11.1e-3, "2_CARRY_2": 15.6e-3, "3_CARRY_3": 126e-3, "4_CARRY_4": 1.58}
LOOP_TARGET, TIME_TARGET, MEAN_TARGET, PUBLISHED_TARGET = 0.02, 0.10, 0.05, 0.15
RATE_TARGET, NOISE_TARGET = 2.0, 0.20


def named(name: str) -> TfheParameters:
    return TFHE_RS.named_set(name).parameters


def classic(bits: str) -> TfheParameters:
    return named(f"MESSAGE_{bits}_KS_PBS_TUNIFORM_2M128")


def loops() -> tuple[Json, bool]:
    """The ratio of the worker's time to the crate's own: the median over neighbouring look-ups."""
    chosen = {
        "MESSAGE_1_CARRY_1": classic("1_CARRY_1"),
        "MESSAGE_2_CARRY_2": classic("2_CARRY_2"),
        "MESSAGE_2_CARRY_2, bootstrap first": replace(classic("2_CARRY_2"), order=Order.PBS_KS),
    }
    found = {}
    with Worker(TFHE_RS.name, 1) as worker:
        for name, p in chosen.items():
            timed = measure_on(worker, p.to_json(), ("lookup", "lookup_by_shortint"), repetitions=120)
            ours, own = (timed.timings[key].cpu.seconds for key in ("lookup", "lookup_by_shortint"))
            ratio = median(a / b for a, b in zip(ours, own, strict=True))
            found[name] = {
                "worker_seconds": min(ours),
                "crate_seconds": min(own),
                "ratio": ratio,
                "ratio_of_least": min(ours) / min(own),
            }
            print(f"{name}: {1e3 * min(ours):.3f} ms, the crate's own {1e3 * min(own):.3f} ms: {ratio:.4f}")
    return found, all(abs(row["ratio"] - 1) < LOOP_TARGET for row in found.values())


def unseen() -> dict[str, TfheParameters]:
    """Sets that calibration has not run: TFHE-rs's own, and some of other shapes."""
    own = ("1_CARRY_1", "2_CARRY_2")
    groups = ("2_MESSAGE_1_CARRY_1", "3_MESSAGE_2_CARRY_2", "4_MESSAGE_2_CARRY_2")
    base = classic("2_CARRY_2")
    return {
        **{f"MESSAGE_{bits}": classic(bits) for bits in own},
        **{f"GROUP_{g}": named(f"MULTI_BIT_GROUP_{g}_KS_PBS_TUNIFORM_2M128") for g in groups},
        "n=500, N=1024, two levels": replace(
            base, lwe_dimension=500, polynomial_size=1024, pbs=Gadget(10, 2), ks=Gadget(2, 7)
        ),
        "n=700, k=3, N=512": replace(base, lwe_dimension=700, glwe_dimension=3, polynomial_size=512),
        "n=750, N=4096": replace(base, lwe_dimension=750, polynomial_size=4096, ks=Gadget(4, 5)),
        "n=850, N=2048, bootstrap first": replace(base, lwe_dimension=850, order=Order.PBS_KS),
        "MESSAGE_3_CARRY_3": classic("3_CARRY_3"),
        "n=630, k=5, N=256, two levels": replace(
            base, lwe_dimension=630, glwe_dimension=5, polynomial_size=256, pbs=Gadget(9, 2), ks=Gadget(3, 5)
        ),
        "n=912, k=2, N=1024, groups of 3": replace(
            base, lwe_dimension=912, glwe_dimension=2, polynomial_size=1024, grouping=3,
            modulus_switch=ModulusSwitch.STANDARD,
        ),
    }  # fmt: skip


def profile_here() -> LookupProfile:
    with Store.open(reading=True) as store:
        found = at_hand(store, [TFHE_RS.name]).get(TFHE_RS.name)
    if found is None or found.origin:
        sys.exit("there is no profile of this machine: run the part `times` first")
    return found


def times() -> tuple[Json, bool]:
    """Calibrates, with the sets that it does not see in the same passes: both meet the same load."""
    known, others = TFHE_RS.samples(), unseen()
    found = least_seconds(TFHE_RS, [*known, *map(_sample, others.values())], _told)
    seconds = {
        "calibration": found[: len(known)],
        "sets": dict(zip(others, found[len(known) :], strict=True)),
    }
    programs = {name: _ran(program) for name, program in _programs().items()}
    return judged(seconds | {"programs": programs})


def refit() -> tuple[Json, bool]:
    """The same, from the stored seconds: after a change of what is counted."""
    return judged(json.loads(OUT.read_text())["times"]["found"]["seconds"])


def _sample(p: TfheParameters) -> Sample:
    return SCHEME, p


def judged(seconds: Json) -> tuple[Json, bool]:
    """The predictions from the calibration's seconds, beside the others."""
    pairs = zip(TFHE_RS.samples(), seconds["calibration"], strict=True)
    profile = profile_of(TFHE_RS, [point for p, least in pairs for point in points(TFHE_RS, p, least)])
    with Store.open() as store:
        save(store, profile)
    rows = {name: _beside(profile, p, seconds["sets"][name]) for name, p in unseen().items()}
    programs = {
        name: _compared(_predicted(profile, program), seconds["programs"][name])
        for name, program in _programs().items()
    }
    for name, row in rows.items():
        print(f"{name}: " + ", ".join(f"{k} {v['error']:+.1%}" for k, v in row.items()))
    for name, one in programs.items():
        print(f"{name}: {one['error']:+.1%}")
    off = [abs(row["lookup"]["error"]) for row in rows.values()] + [
        abs(r["error"]) for r in programs.values()
    ]
    print(f"look-ups and programs: mean {mean(off):.1%}, largest {max(off):.1%}", flush=True)
    good = mean(off) < MEAN_TARGET and max(off) < TIME_TARGET
    whole = {"sets": rows, "programs": programs, "mean": mean(off), "largest": max(off)}
    told = {"prices": dict(profile.prices), "error_band": profile.error_band, "seconds": seconds}
    return whole | told, good


def _told(what: str, done: int, total: int) -> None:
    if done % 26 == 0:
        print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)


def _beside(profile: LookupProfile, p: TfheParameters, least: Mapping[str, float]) -> Json:
    asked = {**OPERATIONS, KEYGEN: LookupTask.KEYGEN}
    return {
        name: _compared(profile.seconds(task, TFHE_RS.work(task, SCHEME, p)), least[name])
        for name, task in asked.items()
    }


def _compared(predicted: float, measured: float) -> Json:
    return {"measured": measured, "predicted": predicted, "error": predicted / measured - 1}


def _programs() -> dict[str, LookupProgram]:
    """A table for each of 4 numbers, and the number of pairs whose sum is found in a table."""
    table = tuple((3 * v + 1) % 16 for v in range(16))
    steps = (LookupStep(Step.ENCRYPT, 0, 4, source="x"), LookupStep(Step.LOOKUP, 1, 4, (0,)))
    alone = LookupProgram(16, steps, (table,), (Digits("x", 4, (0,), 16),), (Digits("y", 4, (1,), 16),))
    steps = (
        LookupStep(Step.ENCRYPT, 0, 8, source="x"),
        LookupStep(Step.FOLD, 1, 4, (0,), group=2),
        LookupStep(Step.LOOKUP, 2, 4, (1,), table=0),
        LookupStep(Step.LINEAR, 3, 4, (2, 1), (2, 1), np.array([1])),
        LookupStep(Step.LOOKUP, 4, 4, (3,), table=1),
        LookupStep(Step.FOLD, 5, 1, (4,), group=4),
        LookupStep(Step.LOOKUP, 6, 1, (5,), table=0),
    )
    small = tuple(v % 3 for v in range(16)), tuple(int(v == 9) for v in range(16))
    sums = LookupProgram(16, steps, small, (Digits("x", 8, (0,), 3),), (Digits("y", 1, (6,), 16),))
    return {"4 look-ups": alone, "sums and 9 look-ups": sums}


def _ran(program: LookupProgram) -> float:
    """The least CPU seconds of the evaluation, of runs that decrypt rightly, in a fresh process."""
    inputs = {d.name: np.arange(d.length) % d.base for d in program.inputs}
    told = classic("2_CARRY_2").to_json()
    measured = execute(TFHE_RS.name, program, told, inputs, RunPlan(repetitions=24, warmup=1))
    right = computed(program, inputs)
    if any(list(right[k]) != list(v[0]) for k, v in measured.outputs.items()):
        sys.exit("a program decrypted wrongly")
    return min(measured.phases.evaluate.cpu.seconds)


def _predicted(profile: LookupProfile, program: LookupProgram) -> float:
    p, tasks = classic("2_CARRY_2"), tasks_of(program)
    return sum(tasks[t] * profile.seconds(t, TFHE_RS.work(t, SCHEME, p)) for t in EVALUATION)


def published() -> tuple[Json, bool]:
    """The shape of the cost: one constant, that of least squares of logarithms."""
    profile = profile_here()
    own = {
        bits: profile.seconds(LookupTask.LOOKUP, TFHE_RS.work(LookupTask.LOOKUP, SCHEME, classic(bits)))
        for bits in PUBLISHED_SECONDS
    }
    constant = exp(mean(log(PUBLISHED_SECONDS[bits] / own[bits]) for bits in own))
    rows = {bits: {"published": PUBLISHED_SECONDS[bits], "scaled": constant * own[bits]} for bits in own}
    for bits, row in rows.items():
        row["error"] = row["scaled"] / row["published"] - 1
        print(f"{bits}: {row['published']:.4g} s published, {row['scaled']:.4g} s: {row['error']:+.1%}")
    good = all(abs(row["error"]) < PUBLISHED_TARGET for row in rows.values())
    return {"constant": constant, "sets": rows}, good


INSECURE = TfheParameters(
    lwe_dimension=500, glwe_dimension=1, polynomial_size=64, lwe_errors=Gaussian(2.0**-19),
    glwe_errors=Gaussian(2.0**-42), pbs=Gadget(10, 2), ks=Gadget(5, 3), message_modulus=2, carry_modulus=2,
)  # fmt: skip
"""What fails does so for the modulus switch, mostly, as in all sets."""
BATCH = 8192
MODULUS = INSECURE.plaintext_modulus
ENOUGH, MOST = 25, 600_000  # failures, and look-ups
NOISES = 10_000  # look-ups whose noise is measured


def failing() -> Iterator[tuple[str, TfheParameters]]:
    """INSECURE sets whose look-ups fail once in 2^8 to 2^14, by the dimension of the small key."""
    for modulus_switch in ModulusSwitch:
        for bits in (8, 11, 14):
            yield f"{modulus_switch}, 2^-{bits}", _failing(modulus_switch, bits)


def _failing(modulus_switch: ModulusSwitch, bits: int) -> TfheParameters:
    """The set with the dimension that is predicted to fail closest to once in 2^bits."""

    def off(n: int) -> float:
        return abs(_rate(replace(INSECURE, lwe_dimension=n, modulus_switch=modulus_switch)) + bits)

    return replace(INSECURE, lwe_dimension=min(range(60, 600), key=off), modulus_switch=modulus_switch)


def _rate(p: TfheParameters) -> float:
    """log2 of how often the look-up of a look-up's result fails."""
    return failure_of(noise_of(p).before_table(1.0), p.plaintext_modulus)


def failures() -> tuple[Json, bool]:
    """Each look-up's result is looked up once more, in the identity. Those that differ are counted."""
    rows, good = {}, True
    with Worker(TFHE_RS.name, 1) as worker:
        for name, p in failing():
            predicted, wrong, count = _rate(p), 0, 0
            while wrong < ENOUGH and count < MOST:
                wrong, count = wrong + _wrong(worker, p), count + BATCH
            measured = log2(wrong / count)
            rows[name] = {
                "lwe_dimension": p.lwe_dimension,
                "predicted": predicted,
                "measured": measured,
                "wrong": wrong,
                "lookups": count,
            }
            good = good and abs(measured - predicted) < log2(RATE_TARGET)
            print(f"{name}: 2^{measured:.2f} of {count}, predicted 2^{predicted:.2f}", flush=True)
    return rows, good


def _wrong(worker: Worker, p: TfheParameters) -> int:
    """How many of BATCH second look-ups gave another value."""
    steps = (
        LookupStep(Step.ENCRYPT, 0, BATCH, source="x"),
        LookupStep(Step.LOOKUP, 1, BATCH, (0,)),
        LookupStep(Step.LOOKUP, 2, BATCH, (1,)),
    )
    outputs = (Digits("first", BATCH, (1,), MODULUS), Digits("second", BATCH, (2,), MODULUS))
    program = LookupProgram(
        MODULUS, steps, (tuple(range(MODULUS)),), (Digits("x", BATCH, (0,), MODULUS),), outputs
    )
    x = {"x": np.arange(BATCH) % MODULUS}
    found = execute_on(worker, program, p.to_json(), x, RunPlan(repetitions=1, warmup=0)).outputs
    return int((found["second"] != found["first"]).sum())


def noise() -> tuple[Json, bool]:
    """The variance of the noise of look-ups' results, of several keys."""
    base = classic("2_CARRY_2")
    quick = replace(base, lwe_dimension=99, polynomial_size=1024, glwe_errors=TUniform(25))
    chosen = {
        "N=1024, one level": quick,
        "N=1024, two levels": replace(quick, pbs=Gadget(12, 2)),
        "N=1024, groups of 3": replace(quick, grouping=3, modulus_switch=ModulusSwitch.STANDARD),
        "N=1024, bootstrap first": replace(quick, order=Order.PBS_KS),
        "MESSAGE_2_CARRY_2": base,
    }
    rows, good = {}, True
    with Worker(TFHE_RS.name, 1) as worker:
        for name, p in chosen.items():
            measured, predicted = _variance(worker, p, NOISES), noise_of(p).looked_up
            ratio = measured / predicted
            rows[name] = {"predicted": predicted, "measured": measured, "ratio": ratio, "lookups": NOISES}
            good = good and abs(ratio - 1) < NOISE_TARGET
            print(f"{name}: variance {measured:.3g}, {ratio:.3f} times what is predicted", flush=True)
    return rows, good


def _variance(worker: Worker, p: TfheParameters, count: int) -> float:
    steps = (LookupStep(Step.ENCRYPT, 0, count, source="x"), LookupStep(Step.LOOKUP, 1, count, (0,)))
    program = LookupProgram(
        16, steps, (tuple(range(16)),), (Digits("x", count, (0,), 16),), (Digits("y", count, (1,), 16),)
    )
    x = {"x": np.arange(count) % 16}
    plan, options = RunPlan(repetitions=1, warmup=0), RunOptions(noise=True, sizes=False)
    return float(np.mean(execute_on(worker, program, p.to_json(), x, plan, options).noise["y"] ** 2))


PARTS: dict[str, Callable[[], tuple[Json, bool]]] = {
    "loops": loops, "times": times, "refit": refit, "published": published, "failures": failures,
    "noise": noise,
}  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("part", nargs="*", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    stored = json.loads(given.out.read_text()) if given.out.is_file() else {}
    all_good = True
    for name in given.part or [name for name in PARTS if name != "refit"]:
        found, good = PARTS[name]()
        part = "times" if name == "refit" else name
        stored[part] = {"cpu": this_machine().cpu, "created": now(), "within_target": good, "found": found}
        given.out.write_text(json.dumps(stored, indent=1) + "\n")
        all_good = all_good and good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
