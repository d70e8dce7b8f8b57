"""What noise is multiplied by where a program says a number: by hand, and by live libraries (INSECURE)."""

from collections.abc import Iterator
from math import log2

import numpy as np
import pytest

from fheasible.libraries.block import block_of
from fheasible.libraries.catalogue import CATALOGUE
from fheasible.libraries.openfhe.bgv import plain_scales
from fheasible.libraries.parameters import Parameters, request_for
from fheasible.measurement.encryptions import encryptions
from fheasible.measurement.registry import command
from fheasible.measurement.worker import Worker
from fheasible.noise.integers.plain_numbers import Numbers
from fheasible.noise.primitive import variant
from fheasible.program.schedule import with_frees
from fheasible.program.types import Action, Operation, Packed, Program, Scheme

INSECURE_N, T, BITS = 1024, 12289, 50
NUMBERS = (1, 3, 1000, T // 2, -1, -3, -1000, -(T // 2))
PLACES = [
    ("seal", "bfv", None), ("seal", "bgv", None), ("lattigo", "bfv", None), ("lattigo", "bgv", None),
    ("openfhe", "bfv", None), ("openfhe", "bgv", "fixedmanual"), ("openfhe", "bgv", "fixedauto"),
    ("openfhe", "bgv", "flexibleauto"), ("openfhe", "bgv", "flexibleautoext"),
]  # fmt: skip
AROUND_ZERO = PLACES[1:4]


def asked(library: str, scheme: str, technique: str | None, depth: int = 2, t: int = T) -> Parameters:
    primes = {} if library == "openfhe" else {"prime_bits": (BITS,) * (depth + 1), "special_bits": (BITS,)}
    request = request_for(
        scheme, depth, None, ring_dimension=INSECURE_N, plain_modulus=t, technique=technique, **primes
    )  # fmt: skip
    return CATALOGUE[library].parameters(request)


def top(p: Parameters) -> int:
    return 0 if p.scheme == "bfv" else p.limbs - 1 - p.extended_limbs


def test_by_hand() -> None:
    """The residue around 0, or that in [0, t)."""
    for place in PLACES[:7]:
        found = Numbers([asked(*place)])
        minus_three = 3 if place in AROUND_ZERO else T - 3
        assert found.bits(3, 0) == pytest.approx(log2(3))
        assert found.bits(-3, 0) == found.bits(T - 3, 0) == pytest.approx(log2(minus_three))
        assert found.bits(T, 0) == found.bits(0, 0) == 0


def test_the_scales_of_flexible_techniques_are_those_of_values_there() -> None:
    """A value has the scale s of its level: its square s^2 is divided by the level's prime."""
    p = asked("openfhe", "bgv", "flexibleauto", depth=4)
    scales = plain_scales(p)
    assert scales[-1] == p.q[-1] % T
    for level in range(p.limbs - 1, 0, -1):
        assert (scales[level] ** 2 - scales[level - 1] * p.q[level]) % T == 0
    extended = asked("openfhe", "bgv", "flexibleautoext", depth=4)
    assert plain_scales(extended)[0] == 0
    assert plain_scales(extended)[-2:] == (extended.q[-2] % T, extended.q[-1] % T)


def test_a_block_has_the_figures_of_each_of_its_sets() -> None:
    sets = [asked("openfhe", "bgv", "flexibleauto", t=T).request for _ in range(2)]
    made = [
        CATALOGUE["openfhe"].parameters(request.having(eval_add_count=count))
        for request, count in zip(sets, (5, 90), strict=True)
        if request
    ]
    both = Numbers([block_of(made)]).bits(3, 1)
    assert both == pytest.approx([Numbers([p]).bits(3, 1) for p in made])
    assert both[0] != both[1]


@pytest.mark.parametrize("place", PLACES)
def test_programs_are_written_as_the_library_takes_numbers(
    place: tuple[str, str, str | None],
) -> None:
    """OpenFHE's flexible techniques make any number of any, so that a negation would gain nothing."""
    library, scheme, technique = place
    signed = CATALOGUE[library].style(scheme, technique).signed_numbers
    flexible = (technique or "").startswith("flexible")
    assert signed == (flexible or variant(asked(*place)).signed_numbers)


@pytest.fixture(scope="module", params=CATALOGUE)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    if not command(request.param).installed:
        pytest.skip(f"{request.param} is not installed")
    with Worker(request.param) as running:
        yield running


def multiples(p: Parameters, automatic: bool) -> Program:
    """x, and x times each number: of one encryption."""
    level = top(p)
    operations = [Operation(Action.ENCRYPT, 0, (), level, source="x")]
    for i in range(len(NUMBERS)):
        operations.append(Operation(Action.MUL_SCALAR, i + 1, (0,), level, plain=i))
    values = range(len(operations))
    return Program(
        Scheme(p.scheme), INSECURE_N, level, with_frees(tuple(operations), list(values)),
        tuple(np.array([c]) for c in NUMBERS), (Packed("x", INSECURE_N, (0,)),),
        tuple(Packed(f"x{v}", INSECURE_N, (v,)) for v in values), automatic, True,
    )  # fmt: skip


@pytest.mark.worker
def test_noise_is_multiplied_by_it(worker: Worker) -> None:
    """But for what of the message the product carries beyond t, a twelfth of noise's variance and less."""
    draw = np.random.default_rng(1)
    for library, scheme, technique in PLACES:
        if library != worker.library:
            continue
        p = asked(library, scheme, technique)
        program = multiples(p, (technique or "").endswith(("auto", "autoext")))
        data = {"x": draw.integers(-(T // 2), T // 2, INSECURE_N)}
        found = encryptions(worker, program, p, data, 2, 1).noise_bits
        before, numbers = found["x0"].mean(), Numbers([p])
        for i, c in enumerate(NUMBERS):
            grown = found[f"x{i + 1}"].mean() - before
            assert grown == pytest.approx(numbers.bits(c, top(p)), abs=0.1), (library, scheme, technique, c)


@pytest.mark.worker
def test_flexibleautoext_has_no_plain_scale_for_the_last_level() -> None:
    """A summand there is taken as zero, without a word: seen in the decrypted result."""
    if not command("openfhe").installed:
        pytest.skip("openfhe is not installed")
    lost = {technique: _added_at_the_end(technique) for technique in ("flexibleauto", "flexibleautoext")}
    assert lost == {"flexibleauto": 5, "flexibleautoext": 0}


def _added_at_the_end(technique: str) -> int:
    """What 1 * 1 + 5 is more than 1."""
    p = asked("openfhe", "bgv", technique, depth=1, t=T)
    extended = p.extended_limbs
    steps = [(Action.ENCRYPT, (), 1 + extended, None)]
    steps += [(Action.RESCALE, (0,), 1, None)] * extended
    steps += [
        (Action.SQUARE, (extended,), 1, None),
        (Action.RELINEARIZE, (1 + extended,), 1, None),
        (Action.RESCALE, (2 + extended,), 0, None),
        (Action.ADD_SCALAR, (3 + extended,), 0, 0),
    ]
    operations = tuple(
        Operation(action, i, args, level, plain, source="x" if i == 0 else "")
        for i, (action, args, level, plain) in enumerate(steps)
    )
    last = len(operations) - 1
    program = Program(
        Scheme.BGV, 8, 1, with_frees(operations, [last]), (np.array([5]),), (Packed("x", 8, (0,)),),
        (Packed("y", 8, (last,)),), True,
    )  # fmt: skip
    with Worker("openfhe") as running:
        found = encryptions(running, program, p, {"x": np.ones(8, dtype=np.int64)}, 1, 1)
    (value,) = set(found.results["y"].ravel().tolist())
    return int(value) - 1
