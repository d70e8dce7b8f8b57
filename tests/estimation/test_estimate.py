"""Estimates of whole programs, against loops over their operations."""

from collections import Counter
from dataclasses import replace

import pytest

from fheasible.estimation.estimate import cpu_seconds, estimate, live_bytes, peak_bytes, tally, work
from fheasible.estimation.features import Shape, features
from fheasible.estimation.profile import MemoryModel, Profile
from fheasible.libraries.parameters import Parameters
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

from .programs import CASES, made, profile

every_case = pytest.mark.parametrize(("library", "scheme", "technique"), CASES)
automatic_case = pytest.mark.parametrize(
    ("library", "scheme", "technique"), [c for c in CASES if c[2] and c[2] != "fixedmanual"]
)
JUDGED = {"precision_bits": 12.5, "security_bits": 131.0, "standard_bits": 128, "library_bits": None}


def shape_at(p: Parameters, level: int, polys: int, dropped: int = 0) -> Shape:
    limbs = len(p.q) if p.scheme == "bfv" else level + 1
    return Shape(p.ring_dimension, limbs, len(p.p), p.limbs_per_digit, polys, p.scheme, dropped)


def steps(program: Program, p: Parameters) -> list[tuple[str, str, Shape]]:
    """(phase, action, shape) of everything that is done, in order, keys apart."""
    levels: dict[int, int] = {}
    polys: dict[int, int] = {}
    found: list[tuple[str, str, Shape]] = []
    for o in program.operations:
        levels[o.out] = o.level
        polys[o.out] = max((polys[a] for a in o.args), default=2)
        if o.action in ("mul", "square"):
            polys[o.out] = 3
        elif o.action == "relinearize":
            polys[o.out] = 2
        dropped = levels[o.args[0]] - o.level if o.action == "drop" else 0
        at = o.level + 1 if o.action == "rescale" else o.level
        phase = "encrypt" if o.action == "encrypt" else "evaluate"
        found.append((phase, o.action.value, shape_at(p, at, polys[o.out], dropped)))
        found += [("evaluate", action, shape_at(p, level, 2)) for action, level in o.internal]
    wanted = [v for packed in program.outputs for v in packed.values]
    return found + [("decrypt", "decrypt", shape_at(p, levels[v], 2)) for v in wanted]


def keys_of(program: Program) -> int:
    turns = {o.steps for o in program.operations if o.action == "rotate"}
    actions = {o.action for o in program.operations}
    return len(turns) + ("relinearize" in actions) + ("swap_rows" in actions)


def seconds(known: Profile, action: str, s: Shape) -> float:
    found = known.coefficients[f"{s.scheme}/{action}"]
    return sum(c * f for c, f in zip(found, features(action, s), strict=True))


@every_case
def test_the_time_of_a_program_is_that_of_its_operations(
    library: str, scheme: str, technique: str | None
) -> None:
    program, p = made(library, scheme, technique)
    known = profile(scheme)
    expected: Counter[str] = Counter()
    for phase, action, s in steps(program, p):
        expected[phase] += seconds(known, action, s)  # type: ignore[assignment]
    expected["keygen"] = seconds(known, "keygen", shape_at(p, len(p.q) - 1, keys_of(program)))  # type: ignore[assignment]
    found = cpu_seconds(program, p, known)
    assert found is not None
    expected["total"] = expected["encrypt"] + expected["evaluate"] + expected["decrypt"]
    assert found == pytest.approx(dict(expected))
    assert min(found.values()) > 0


@automatic_case
def test_what_a_library_does_unasked_costs_too(library: str, scheme: str, technique: str) -> None:
    program, p = made(library, scheme, technique)
    known = profile(scheme)
    unasked = [i for o in program.operations for i in o.internal]
    assert unasked
    silent = replace(program, operations=tuple(replace(o, internal=()) for o in program.operations))
    with_them, without = cpu_seconds(program, p, known), cpu_seconds(silent, p, known)
    assert with_them is not None
    assert without is not None
    more = sum(seconds(known, action, shape_at(p, level, 2)) for action, level in unasked)
    assert with_them["evaluate"] - without["evaluate"] == pytest.approx(more)
    assert with_them["encrypt"] == without["encrypt"]


@every_case
def test_a_tally_counts_every_step_once(library: str, scheme: str, technique: str | None) -> None:
    program, p = made(library, scheme, technique)
    counted: Counter[tuple[str, str, Shape]] = Counter()
    for item, number in tally(program).items():
        counted[item.phase, item.action, item.shape(p)] += number
    assert counted == Counter(steps(program, p))
    assert work(program, p) == pytest.approx(sum(sum(features(a, s)) for _, a, s in steps(program, p)))


@pytest.mark.parametrize("action", ["encrypt", "relinearize", "decrypt", "keygen"])
def test_a_profile_that_lacks_an_operation_predicts_no_time(action: str) -> None:
    program, p = made("seal", "ckks", None)
    known = profile("ckks")
    lacking = {k: c for k, c in known.coefficients.items() if k != f"ckks/{action}"}
    assert cpu_seconds(program, p, known) is not None
    assert cpu_seconds(program, p, replace(known, coefficients=lacking)) is None
    assert cpu_seconds(program, p, profile("bgv")) is None
    e = estimate(program, p, replace(known, coefficients=lacking), **JUDGED)
    assert (e.calibrated, e.wall_seconds, e.error_band) == (False, None, None)


# Two inputs at level 2, added and multiplied; x is freed by the sum, y by the product.
BY_HAND = Program(
    Scheme.CKKS,
    slots=4,
    levels=2,
    operations=(
        Operation(Action.ENCRYPT, 0, level=2, source="x"),  # 2 * 3 limbs: 6 alive
        Operation(Action.ENCRYPT, 1, level=2, source="y"),  # 12
        Operation(Action.ADD, 2, (0, 1), level=2, frees=(0,)),  # 18, then 12
        Operation(Action.MUL, 3, (2, 1), level=2, frees=(1, 2)),  # 12 + 3 * 3 = 21, then 9
        Operation(Action.RELINEARIZE, 4, (3,), level=2, frees=(3,)),  # 15, then 6
        Operation(Action.RESCALE, 5, (4,), level=1, frees=(4,)),  # 6 + 2 * 2
    ),
    plains=(),
    inputs=(Packed("x", 4, (0,)), Packed("y", 4, (1,))),
    outputs=(Packed("result", 4, (5,)),),
)
N = 8192


def by_hand(library: str, scheme: str = "ckks") -> Parameters:
    digits = 2 if library == "openfhe" else 3
    return Parameters(
        library, scheme, N, q=(97, 193, 257), p=(769,), digits=digits, key_switching="hybrid", levels=2
    )


@pytest.mark.parametrize("library", ["openfhe", "seal", "lattigo"])
def test_living_ciphertexts_by_hand(library: str) -> None:
    assert live_bytes(BY_HAND, by_hand(library)) == 21 * 8 * N


def test_living_ciphertexts_of_bfv_always_have_the_whole_chain() -> None:
    flat = tuple(replace(o, level=0) for o in BY_HAND.operations if o.action != "rescale")
    program = replace(BY_HAND, scheme=Scheme.BFV, levels=0, operations=flat, outputs=(Packed("r", 4, (4,)),))
    # at most 2 + 2 + 3 polynomials, each of the chain's 3 limbs
    assert live_bytes(program, by_hand("openfhe", "bfv")) == 7 * 3 * 8 * N


def test_peak_memory_by_hand() -> None:
    known = profile("ckks", memory={"ckks": MemoryModel(1e6, 10.0, 2.0, 3.0)})
    # 3 primes of q and one of p; the public key has 2 * 3 limbs in OpenFHE, the secret one 3; the only
    # evaluation key relinearises, with 2 digits of 2 * (3 + 1) limbs
    keys = (2 * 3 + 3 + 2 * 2 * 4) * 8 * N
    expected = 1e6 + 10 * 4 * N + 2 * keys + 3 * 21 * 8 * N
    assert peak_bytes(BY_HAND, by_hand("openfhe"), known) == expected
    # Lattigo: the other keys have the special prime too, and there are 3 digits
    keys = (2 * 4 + 4 + 3 * 2 * 4) * 8 * N
    assert peak_bytes(BY_HAND, by_hand("lattigo"), known) == 1e6 + 10 * 4 * N + 2 * keys + 3 * 21 * 8 * N


def test_seals_worker_has_one_context_more_for_each_lower_level_that_a_vector_is_encoded_at() -> None:
    context_alone = profile("ckks", memory={"ckks": MemoryModel(0.0, 1.0, 0.0, 0.0)})
    vectors = [
        Operation(Action.MUL_PLAIN, 6, (5,), level=1, plain=0),
        Operation(Action.ADD_PLAIN, 7, (5,), level=1, plain=0),
        Operation(Action.ADD_SCALAR, 8, (5,), level=0, plain=1),
    ]
    program = replace(BY_HAND, operations=(*BY_HAND.operations, *vectors))
    assert peak_bytes(BY_HAND, by_hand("seal"), context_alone) == 4 * N
    assert peak_bytes(program, by_hand("seal"), context_alone) == 2 * 4 * N
    assert peak_bytes(program, by_hand("lattigo"), context_alone) == 4 * N


def test_a_scheme_without_a_memory_model_has_no_peak() -> None:
    assert peak_bytes(BY_HAND, by_hand("seal"), profile("ckks", memory={})) is None


def test_wall_time_is_cpu_time_by_the_factor_seen_while_calibrating() -> None:
    program, p = made("lattigo", "bgv", None)
    e = estimate(program, p, profile("bgv", wall_factor=1.25, error_band=0.07), **JUDGED)
    assert e.cpu_seconds is not None
    assert e.wall_seconds == pytest.approx({k: 1.25 * v for k, v in e.cpu_seconds.items()})
    assert (e.calibrated, e.error_band) == (True, 0.07)
    assert e.peak_bytes is not None


def test_without_a_profile_times_are_null_and_everything_else_is_there() -> None:
    program, p = made("openfhe", "bfv", None)
    shown = estimate(program, p, None, **JUDGED).to_json()
    nothing = dict.fromkeys(("keygen", "encrypt", "evaluate", "decrypt", "total"))
    assert shown["cpu_seconds"] == shown["wall_seconds"] == nothing
    assert (shown["calibrated"], shown["peak_bytes"], shown["error_band"]) == (False, None, None)
    assert {k: shown[k] for k in JUDGED} == JUDGED
    for name in ("ciphertext_bytes", "public_key_bytes", "evaluation_key_bytes", "secret_key_bytes"):
        assert shown[name] > 0
