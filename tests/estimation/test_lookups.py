"""What programs of table look-ups take: counted by hand for a small one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from fheasible.aliases import Json
from fheasible.estimation.lookup_profile import LookupPoint, LookupProfile
from fheasible.estimation.lookups import Workload, estimate, most_ciphertexts, peak_bytes, tasks_of
from fheasible.libraries.library import Parallelism, Threading, WorkerSource
from fheasible.libraries.lookup_library import (
    LookupLibrary,
    LookupMemory,
    LookupSizes,
    LookupTask,
    NamedSet,
    Transforms,
)
from fheasible.program.lookups import Digits, LookupProgram, LookupStep, Step
from fheasible.schemes.tfhe.parameters import Gadget, Gaussian, TfheParameters

INSECURE_TOY = TfheParameters(
    lwe_dimension=10,
    glwe_dimension=1,
    polynomial_size=64,
    lwe_errors=Gaussian(1e-9),
    glwe_errors=Gaussian(1e-12),
    pbs=Gadget(8, 3),
    ks=Gadget(4, 5),
    message_modulus=4,
    carry_modulus=4,
)


class Toy(LookupLibrary):
    """A library whose look-up is 7 of kernel "a" and 2 of kernel "b", and everything else 1 of "a"."""

    def refusal(self, scheme: str, p: TfheParameters) -> str:
        return "it has no such ring" if p.polynomial_size == 32 else ""

    def transforms(self, p: TfheParameters) -> Transforms:
        return Transforms()

    def work(self, task: LookupTask, scheme: str, p: TfheParameters) -> Mapping[str, float]:
        return {"a": 7.0, "b": 2.0} if task is LookupTask.LOOKUP else {"a": 1.0}

    def samples(self) -> Sequence[tuple[str, TfheParameters]]:
        return (("tfhe", INSECURE_TOY),)

    def rotation(self, p: TfheParameters) -> str:
        return "7 of one kernel and 2 of another"

    def sizes(self, scheme: str, p: TfheParameters) -> LookupSizes:
        return LookupSizes(ciphertext=100, evaluation_key=10_000, secret_key=50)

    def memory(self, scheme: str, p: TfheParameters) -> LookupMemory:
        return LookupMemory(1_000, 10_000, key_generation=10, ciphertext=100, lookup=30, table=5)

    def worker_parameters(self, scheme: str, p: TfheParameters) -> Json:
        return p.to_json()


def toy(**facts: object) -> Toy:
    """The library, with other facts where they are given."""
    usual = {
        "name": "toy",
        "title": "Toy",
        "version": "1",
        "worker_of": "toy",
        "worker": WorkerSource("rust"),
        "schemes": ("tfhe",),
        "threading": Threading(Parallelism.OPERATIONS, by_default=1, limits="none"),
        "named": {"usual": NamedSet("USUAL", INSECURE_TOY, "tfhe")},
        "custom": True,
    }
    return Toy(**(usual | facts))  # type: ignore[arg-type]


PRICES = LookupProfile(
    machine="here",
    library="toy",
    version="1",
    created="2026-01-01",
    prices={"a": 1.0, "b": 10.0},
    tasks={"encrypt": {"a": 5.0}},
    error_band=0.1,
    wall_factor=2.0,
    gains={"4": 2.5},
    points=(LookupPoint("lookup", "tfhe", {}, {"a": 1.0}, 1.0),),
)
PROGRAM = LookupProgram(
    modulus=16,
    steps=(
        LookupStep(Step.ENCRYPT, 0, 6, source="x"),
        LookupStep(Step.ENCRYPT, 1, 6, source="y"),
        LookupStep(Step.LINEAR, 2, 6, args=(0, 1), weights=(1, 3), plain=np.array([1]), frees=(0,)),
        LookupStep(Step.LOOKUP, 3, 6, args=(2,), frees=(2,)),
        LookupStep(Step.FOLD, 4, 2, args=(3,), group=3, frees=(3,)),
        LookupStep(Step.PICK, 5, 1, args=(4,), plain=np.array([1])),
        LookupStep(Step.JOIN, 6, 3, args=(4, 5)),
        LookupStep(Step.TRIVIAL, 7, 1, plain=np.array([2])),
    ),
    tables=(tuple(range(16)),),
    inputs=(Digits("x", 6, (0,), 4), Digits("y", 6, (1,), 4)),
    outputs=(Digits("z", 3, (6, 7), 4),),
)


def test_the_tasks_of_every_step_are_counted() -> None:
    assert dict(tasks_of(PROGRAM)) == {
        LookupTask.KEYGEN: 1,
        LookupTask.ENCRYPT: 12,
        LookupTask.SCALE: 6,  # y times 3; x is added to that
        LookupTask.ADD: 6 + 4,  # the sum; two sums of three
        LookupTask.ADD_PLAIN: 6,
        LookupTask.LOOKUP: 6,
        LookupTask.COPY: 2 + 1 + 3,
        LookupTask.TRIVIAL: 1,
        LookupTask.DECRYPT: 6,  # three elements of two digits
    }


def test_a_sum_without_factors_copies_its_first_summand() -> None:
    steps = (
        LookupStep(Step.ENCRYPT, 0, 5, source="x"),
        LookupStep(Step.LINEAR, 1, 5, args=(0, 0, 0), weights=(1, 1, 1)),
    )
    program = replace(PROGRAM, steps=steps, outputs=())
    assert dict(tasks_of(program)) == {
        LookupTask.KEYGEN: 1,
        LookupTask.ENCRYPT: 5,
        LookupTask.COPY: 5,
        LookupTask.ADD: 10,
    }


def test_values_that_are_freed_take_no_memory_any_more() -> None:
    assert most_ciphertexts(PROGRAM) == 18  # x, y and their sum; y is never freed
    kept = replace(PROGRAM, steps=tuple(replace(s, frees=()) for s in PROGRAM.steps))
    assert most_ciphertexts(kept) == sum(s.length for s in PROGRAM.steps)


def test_an_output_stays_in_memory_though_it_is_freed() -> None:
    freed = replace(PROGRAM, steps=(*PROGRAM.steps, LookupStep(Step.LOOKUP, 8, 40, args=(6,), frees=(6, 7))))
    assert most_ciphertexts(freed) == 6 + 2 + 1 + 3 + 1 + 40


def test_times_are_counts_times_prices() -> None:
    work = Workload.of(PROGRAM)
    found = estimate(
        work, toy(), "tfhe", INSECURE_TOY, PRICES, log2_failure=-50, log2_lookup_failure=-60,
        security_bits=1.0, threads=4,
    )  # fmt: skip
    assert found.cpu_seconds == {
        "keygen": 1.0,
        "encrypt": 12 * 5.0,  # at its own price
        "evaluate": 6 + 10 + 6 + 6 + 1 + 6 * 27.0,
        "decrypt": 6.0,
        "total": 60 + 191 + 6.0,
    }
    assert found.wall_seconds is not None
    assert found.wall_seconds["evaluate"] == pytest.approx(191 * 2 / 2.5)
    assert found.wall_seconds["decrypt"] == 12.0
    assert found.to_json()["log2_failure"] == -50


def test_memory_has_keys_values_tables_and_what_each_thread_works_in() -> None:
    work = Workload.of(PROGRAM)
    assert peak_bytes(work, toy(), "tfhe", INSECURE_TOY, None, 2) == 1_000 + 10_000 + 18 * 100 + 2 * 30 + 5
    fitted = replace(PRICES, memory_factor=2.0, memory_bytes=7.0)
    assert peak_bytes(work, toy(), "tfhe", INSECURE_TOY, fitted) == 1_007 + 2 * (10_000 + 1_800 + 30 + 5)


def test_times_are_absent_without_a_profile_and_less_certain_with_one_from_elsewhere() -> None:
    def of(profile: LookupProfile | None) -> Json:
        return estimate(
            Workload.of(PROGRAM), toy(), "tfhe", INSECURE_TOY, profile, log2_failure=-50,
            log2_lookup_failure=-60, security_bits=1.0,
        ).to_json()  # fmt: skip

    assert of(None)["cpu_seconds"]["total"] is None
    assert of(PRICES)["calibrated"]
    elsewhere = of(replace(PRICES, origin="another processor"))
    assert not elsewhere["calibrated"]
    assert elsewhere["error_band"] == 0.5


def test_a_profile_is_the_same_after_storage() -> None:
    assert LookupProfile.from_json(PRICES.to_json()) == PRICES
