"""OpenFHE's bootstrapping of CKKS: `EvalBootstrapSetup` and `EvalBootstrap` as a function of the request.

The rules are from `pke/lib/scheme/ckksrns/ckksrns-fhe.cpp` and `ckksrns-utils.cpp` [OpenFHE]. The wheel 1.6.1
differs from them. The bounds and degrees of its modular reductions are those of the Chebyshev series in it,
which agree to 1e-13 with the series of cos(2 pi (K x - 1/4) / 2^r) on [-1, 1]. The primes of the
key to the sparse secret were read from keys that it made.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import floor, log2

from fheasible.errors import UsageError
from fheasible.libraries.bootstrapping import Bootstrapping, BootstrapRequest
from fheasible.libraries.library import BootstrapSetting
from fheasible.libraries.openfhe import rns
from fheasible.libraries.openfhe.refresh import LEAST_LEVEL, UNIFORM_BOUND
from fheasible.libraries.parameters import CkksParameters, CkksRequest, Primes
from fheasible.schemes.rns.bootstrap import table
from fheasible.schemes.rns.bootstrap.method import LATE
from fheasible.schemes.rns.bootstrap.procedure import Procedure, Reduction, Table
from fheasible.schemes.rns.bootstrap.tables import reduction_depth

BUDGETS = (5, 4)  # levels of coefficients to slots, and of slots to coefficients
MOST_ITERATIONS = 2
MOST_ITERATION_BITS = 30  # it shifts a signed 32-bit number by as many bits
EPHEMERAL_BITS = 33
ENCAPSULATED = "sparse_encapsulated"
_TABLE = ("table_bits", "table_order")
_OWN = ("slots", "encode_levels", "decode_levels", "iterations", "iteration_bits", "message_bits", *_TABLE)
MOST_TABLE_BITS = 12


@dataclass(frozen=True, slots=True)
class SecretKind:
    """The modular reduction that a distribution of the secret asks for."""

    reduction: Reduction
    weight: int | None  # of the main secret; None: uniform ternary
    ephemeral: int | None  # the weight of the secret in which the modulus is raised; None: the main secret


SECRETS = {
    "uniform_ternary": SecretKind(Reduction(UNIFORM_BOUND, 104, 6), None, None),
    "sparse_ternary": SecretKind(Reduction(28, 48, 3), 192, None),
    ENCAPSULATED: SecretKind(Reduction(16, 36, 3), 192, 32),
}


@dataclass(frozen=True, slots=True)
class TableKind:
    """What tables are looked up by for a distribution of the secret: a squared cosine, or an exponential.

    The series are in the wheel 1.6.1, as those of the modular reductions are.
    """

    boolean: Reduction
    turning: Reduction


TABLE_SECRETS = {
    "sparse_ternary": TableKind(Reduction(28, 68, table.DOUBLINGS), Reduction(28, 69, table.DOUBLINGS)),
    ENCAPSULATED: TableKind(Reduction(16, 50, table.DOUBLINGS), Reduction(16, 46, table.DOUBLINGS)),
}
TABLE_TECHNIQUE = "fixedmanual"
TABLE_MESSAGE = 1  # bit that q_0 is larger than what it holds: all of the entries' numbers
TABLE_DIGITS = 3  # as in OpenFHE's own examples


def for_tables(request: CkksRequest) -> CkksRequest:
    """The request with the technique, the secret and the digits of table look-ups, where none are given."""
    if request.bootstrap is None or request.bootstrap.table_bits is None:
        return request
    first = request.first_bits or request.scale_bits
    return request.having(
        technique=request.technique or TABLE_TECHNIQUE,
        secret=request.secret or ENCAPSULATED,
        first_bits=first,
        digits=request.digits or TABLE_DIGITS,
    )


def with_defaults(request: CkksRequest) -> CkksRequest:
    """`request` with OpenFHE's default in place of each None of its bootstrapping.

    The slots stay None where they are all N/2, and the correction factor, which depends on N.
    UsageError for what OpenFHE's bootstrapping does not have.
    """
    asked = request.bootstrap
    if asked is None:
        return request
    for field in fields(asked):
        if field.name not in _OWN and getattr(asked, field.name) is not None:
            raise UsageError(
                f"OpenFHE's bootstrapping has no {field.name}", f"choose among {', '.join(_OWN)}"
            )
    most = stages(asked.slots) if asked.slots else max(BUDGETS)
    encode, decode = (min(levels, most) for levels in BUDGETS)
    filled = replace(
        asked,
        encode_levels=encode if asked.encode_levels is None else asked.encode_levels,
        decode_levels=decode if asked.decode_levels is None else asked.decode_levels,
        iterations=1 if asked.iterations is None else asked.iterations,
        table_order=1 if asked.table_bits and asked.table_order is None else asked.table_order,
    )
    return request.having(bootstrap=filled)


def whole(request: CkksRequest) -> CkksRequest:
    """The request for the whole chain, which has levels for the bootstrap too.

    InfeasibleParameters for a bootstrap that OpenFHE refuses, or in which it would end the process.
    """
    assert request.bootstrap is not None
    _check(request, request.bootstrap)
    return replace(request, depth=request.depth + depth(request), bootstrap=None)


def depth(request: CkksRequest) -> int:
    """The levels that a bootstrap uses up: `GetBootstrapDepth`, and one more for a second iteration.

    One goes to the division by N and K, the others to the factors of both transforms and to the reduction. A
    table has levels of its own (`GetFBTDepth`).
    """
    asked = request.bootstrap
    assert asked is not None
    transforms = (asked.encode_levels or 0) + (asked.decode_levels or 0)
    own = _table(asked)
    more = table.depth(own) if own else (asked.iterations or 1) - 1
    return 1 + transforms + reduction_depth(_reduction(request), LATE) + more


def _table(asked: BootstrapRequest) -> Table | None:
    return None if asked.table_bits is None else Table(asked.table_bits, asked.table_order or 1)


def _reduction(request: CkksRequest) -> Reduction:
    """The series that stands for the modular reduction, or leads to the table."""
    assert request.bootstrap is not None
    own, secret = _table(request.bootstrap), request.secret or ""
    if own is None:
        return SECRETS[secret].reduction
    kind = TABLE_SECRETS[secret]
    return kind.boolean if own.boolean else kind.turning


def bootstrapped(request: CkksRequest, p: CkksParameters) -> CkksParameters:
    """The parameters `p` of the whole chain as those of a set that is bootstrapped.

    A bootstrap leaves the lower levels. No value of a program has an extended limb, but fresh values may have
    all other levels.
    """
    asked, kind = request.bootstrap, SECRETS[p.secret]
    assert asked is not None
    slots = asked.slots or p.ring_dimension // 2
    if slots > p.ring_dimension // 2:
        reason = f"{slots} slots exceed the {p.ring_dimension // 2} slots of N = {p.ring_dimension}"
        raise rns.refusal(request, reason, "bootstrap fewer slots, or give a larger --ring-dimension")
    own = _table(asked)
    correction = TABLE_MESSAGE if own else asked.message_bits or _default_correction(p, slots)
    if own is None:
        _check_correction(request, p, correction)
    filled = replace(asked, slots=slots, message_bits=correction, iteration_bits=asked.iteration_bits or 0)
    procedure = Procedure(
        slots,
        factors(slots, asked.encode_levels or 0),
        factors(slots, asked.decode_levels or 0),
        _reduction(request),
        correction,
        kind.ephemeral,
        asked.iterations or 1,
        asked.iteration_bits or 0,
        table=own,
    )
    return replace(
        p,
        levels=request.depth,
        extended_limbs=0,
        bootstrap=Bootstrapping(
            procedure,
            p.q[: len(p.q) - p.extended_limbs],
            p.p,
            p.digits,
            kind.weight,
            _ephemeral_primes(request, p),
        ),
        request=request.having(bootstrap=filled),
    )


def _ephemeral_primes(request: CkksRequest, p: CkksParameters) -> Primes:
    """The special primes of the key to the sparse secret: the two largest of 33 bits."""
    if SECRETS[p.secret].ephemeral is None:
        return ()
    m = 2 * p.ring_dimension
    largest = rns.largest_of(request, EPHEMERAL_BITS, m)
    return largest, rns.shrink(request, largest, m)


def stages(slots: int) -> int:
    """How many stages a transform of so many slots has; of fewer than 4 slots it has one."""
    return 1 if slots < 3 else int(log2(slots))


@lru_cache(maxsize=1024)
def factors(slots: int, levels: int) -> tuple[int, ...]:
    """How many stages each factor of a transform has, the first applied first: `SelectLayers`.

    As many factors as possible have the same number of stages; the last has what remains.
    """
    count = stages(slots)
    each = -(-count // levels)
    if -(-count // each) < levels:
        each -= 1
    rows = count // each
    while rows + (count > rows * each) > levels:
        rows -= 1
    left = count - rows * each
    return (each,) * rows + ((left,) if left else ())


def _check(request: CkksRequest, asked: BootstrapRequest) -> None:
    """Raise InfeasibleParameters for what OpenFHE's bootstrapping refuses whatever the ring is."""
    if request.secret not in SECRETS:
        raise rns.refusal(
            request,
            f"its bootstrapping has no modular reduction for a {request.secret} secret",
            f"choose --secret among {', '.join(SECRETS)}",
        )
    if request.key_switching == "bv":
        reason = "it bootstraps with hybrid key switching alone"
        raise rns.refusal(request, reason, "use --key-switching hybrid")
    if asked.table_bits is not None or asked.table_order is not None:
        _check_table(request, asked)
    elif request.depth < LEAST_LEVEL:
        reason = "a bootstrap must leave at least 1 level, because it takes values of level 1 or more"
        raise rns.refusal(request, reason, "give a depth of 1 or more")
    _check_slots(request, asked)
    _check_iterations(request, asked)


def _check_table(request: CkksRequest, asked: BootstrapRequest) -> None:
    """Raise InfeasibleParameters for a table that cannot be looked up."""
    if not 1 <= (asked.table_bits or 0) <= MOST_TABLE_BITS or asked.table_order not in table.ORDERS:
        reason = f"a table of 2^{asked.table_bits} entries and order {asked.table_order} cannot be looked up"
        remedy = f"give table_bits of 1 to {MOST_TABLE_BITS}, and table_order 1, 2 or 3"
        raise rns.refusal(request, reason, remedy)
    if request.technique != TABLE_TECHNIQUE or request.secret not in TABLE_SECRETS:
        reason = f"tables are looked up here with {TABLE_TECHNIQUE} and a sparse secret alone"
        remedy = f"--technique {TABLE_TECHNIQUE} --secret {ENCAPSULATED}, or leave both out"
        raise rns.refusal(request, reason, remedy)
    if request.first_bits != request.scale_bits:
        reason = "a table's ciphertext modulus is both the first prime and the scale, and they differ in bits"
        raise rns.refusal(request, reason, f"give first_bits={request.scale_bits}, or leave it out")
    if asked.iterations != 1 or asked.message_bits not in (None, TABLE_MESSAGE):
        raise rns.refusal(
            request, "a table has no iterations and no message_bits", "leave iterations and message_bits out"
        )


def _check_slots(request: CkksRequest, asked: BootstrapRequest) -> None:
    slots = asked.slots
    if slots is not None and (slots < 1 or slots & (slots - 1)):
        reason = f"{slots} slots cannot be bootstrapped, because their number is not a power of two"
        raise rns.refusal(request, reason, "bootstrap a power of two of slots")
    most = stages(slots or (request.ring_dimension or 1 << 16) // 2)
    for name, levels in (("encode_levels", asked.encode_levels), ("decode_levels", asked.decode_levels)):
        if not 1 <= (levels or 0) <= most:
            many = "all" if slots is None else slots
            reason = f"{name} {levels} is outside 1 to {most}, the number of stages for {many} slots"
            raise rns.refusal(request, reason, f"choose {name} in this range")


def _check_iterations(request: CkksRequest, asked: BootstrapRequest) -> None:
    iterations, bits = asked.iterations or 0, asked.iteration_bits
    if not 1 <= iterations <= MOST_ITERATIONS:
        reason = f"{iterations} iterations are outside 1 to {MOST_ITERATIONS}"
        raise rns.refusal(request, reason, "bootstrap once or twice")
    if iterations > 1 and not 1 <= (bits or 0) <= MOST_ITERATION_BITS:
        reason = f"a second iteration needs 1 to {MOST_ITERATION_BITS} iteration_bits, and has {bits or 0}"
        raise rns.refusal(request, reason, "give the precision in bits that one iteration has")


def _check_correction(request: CkksRequest, p: CkksParameters, correction: int) -> None:
    """Raise InfeasibleParameters for a correction factor below log2 of q_0 over the scale."""
    least = least_correction(p)
    if not least <= correction < rns.MAX_BITS:
        raise rns.refusal(
            request,
            f"a correction factor of {correction} bits is outside {least}, which its first prime is longer "
            f"than the scale, to {rns.MAX_BITS - 1}",
            f"give message_bits {least} or more, or a first prime closer to the scale",
        )


def least_correction(p: CkksParameters) -> int:
    """The smallest correction factor: the bits by which the first prime is longer than the scale."""
    return floor(log2(p.q[0] / p.nominal) + 0.5)


def _default_correction(p: CkksParameters, slots: int) -> int:
    """OpenFHE's default: a line fitted to its authors' measurements of precision, within limits."""
    size = 2 * log2(p.ring_dimension) + log2(slots)
    if p.technique.startswith("flexible"):
        return min(max(floor(-0.2419 * size + 19.081 + 0.5), 7), 14)
    return min(max(floor(-0.1516 * size + 14.284 + 0.5), 6), 13)


def settings() -> Iterator[BootstrapSetting]:
    """The settings that are explored.

    The sparse secret of weight 192 without encapsulation is left out: its reduction is left too often. So are
    techniques in which every level has the same scale, because a bootstrap is then less precise.
    """
    for secret in (ENCAPSULATED, "uniform_ternary"):
        for scale_bits, correction in ((59, 9), (59, 12), (55, 9), (50, 10)):
            for encode, decode in ((4, 4), (3, 3), (2, 2)):
                asked = BootstrapRequest(encode_levels=encode, decode_levels=decode, message_bits=correction)
                for digits in (3, 5):
                    yield BootstrapSetting("flexibleauto", secret, scale_bits, 60, asked, digits)
