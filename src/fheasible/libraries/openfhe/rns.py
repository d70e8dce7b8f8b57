"""What OpenFHE's three schemes share: the security check, the digits of key switching, the primes of P.

The rules are from `pke/lib/schemerns/rns-cryptoparameters.cpp`,
`pke/lib/scheme/gen-cryptocontext-params-validation.cpp` and `core/lib/lattice/stdlatticeparms.cpp` [OpenFHE].
Where the wheel 1.6.1 differs from the public 1.5.1 (the headroom of P), the rule was measured on the wheel.
"""

from collections.abc import Sequence
from functools import reduce
from math import ceil, prod, sqrt
from operator import add

from fheasible.errors import InfeasibleParameters
from fheasible.libraries.parameters import Chain, IntegerRequest, Request
from fheasible.libraries.primes import PrimeNotFound, first_prime, last_prime, previous_prime
from fheasible.security.tables import OPENFHE, min_ring_dimension

MAX_BITS = 60  # of a limb; every prime of P has as many
MIN_BITS = 14
EXTRA_BITS = 20  # what FLEXIBLEAUTOEXT reserves for its extra limb
HEADROOM_BITS = 4  # P exceeds the largest digit by this many bits; 1.5.1 asks for none
BEYOND_TABLE = 1 << 18  # the ring dimension it takes where its table ends
MAX_DEPTH = 1000
SIGMA = 3.190000057220459  # of the error: 3.19 in single precision
ASSURANCE = 36.0


def refusal(request: Request, reason: str, remedy: str) -> InfeasibleParameters:
    return InfeasibleParameters(f"OpenFHE {request.scheme.upper()}: {reason}", remedy)


def check_ring(request: Request, needs_dimension: bool = True) -> None:
    """Raise InfeasibleParameters for what OpenFHE's own validation refuses in every scheme.

    `needs_dimension`: without a security level it does not choose the ring dimension (BFV does).
    """
    n = request.ring_dimension
    if n is not None and (n < 1 or n & (n - 1)):
        raise refusal(request, f"ring dimension {n} is not a power of two", "choose a power of two")
    if needs_dimension and n is None and request.security is None:
        raise refusal(
            request,
            "neither a ring dimension nor a security level is given",
            "ask for --security 128, 192 or 256, or give --ring-dimension",
        )
    if not 0 <= request.depth <= MAX_DEPTH:
        raise refusal(request, f"depth {request.depth} is outside 0 to {MAX_DEPTH}", "lower the depth")


def plain_modulus(request: IntegerRequest) -> int:
    """The plain modulus t of a request. InfeasibleParameters without one, because BGV and BFV need it."""
    t = request.plain_modulus
    if t is None or t < 2:
        raise refusal(request, f"plain modulus {t} is not at least 2", "give --plain-modulus, such as 65537")
    return t


def check_batch(request: Request, n: int, slots: int) -> None:
    batch = request.batch or 0
    if batch > slots:
        raise refusal(request, f"batch {batch} exceeds the {slots} slots of N = {n}", "lower --batch")
    if batch & (batch - 1):
        raise refusal(request, f"batch {batch} is not a power of two", "choose a power of two")


def security_dimension(request: Request, log_q: int) -> int:
    """The ring dimension that OpenFHE's table demands for `log_q` bits; 0 where security is not checked."""
    if request.security is None:
        return 0
    secret = "gaussian" if request.secret == "gaussian" else "ternary"  # a sparse secret is judged as ternary
    return min_ring_dimension(OPENFHE, log_q, secret, request.security, request.quantum) or BEYOND_TABLE


def ring_dimension(request: Request, log_q: int) -> int:
    """The ring dimension asked for, or the smallest one that is secure for `log_q` bits where none is.

    InfeasibleParameters where the one asked for is not secure.
    """
    needed = security_dimension(request, log_q)
    wished = request.ring_dimension or 0
    if wished and needed > wished:
        raise refusal(
            request,
            f"ring dimension {wished} does not comply with its security table, which requires {needed} "
            f"({request.security} bits, log2(QP) up to {log_q})",
            f"give --ring-dimension {needed} or more, or lower the depth or the primes' bits",
        )
    return wished or needed


def check_security(request: Request, n: int, q: Sequence[int], p: Sequence[int]) -> None:
    """Raise InfeasibleParameters where the primes found have more bits than the estimate behind n foresaw."""
    log_qp = (prod(q) * prod(p)).bit_length()
    needed = security_dimension(request, log_qp)
    if n < needed:
        raise refusal(
            request,
            f"ring dimension {n} does not meet its security requirements: log2(QP) is {log_qp}",
            f"give --ring-dimension {needed}",
        )


def error_bound() -> float:
    """The bound on an error coefficient that BGV and BFV use: 6 sigma."""
    return SIGMA * sqrt(ASSURANCE)


def default_digits(wished: int | None, depth: int) -> int:
    """The number of digits of hybrid key switching: `wished`, or 1 at depth 0, 2 up to depth 3, 3 above."""
    return wished or (3 if depth > 3 else 2 if depth > 0 else 1)


def digit_limbs(p: Chain) -> int:
    """How many limbs a digit of key switching has; the last digit may have fewer."""
    return 1 if p.key_switching == "bv" else -(-p.limbs // max(p.digits, 1))


def limbs_per_digit(request: Request, limbs: int, digits: int) -> int:
    """How many limbs a digit has: ceil(limbs / digits). InfeasibleParameters where a digit would be empty."""
    each = ceil(limbs / digits)
    if limbs <= each * (digits - 1):
        even = [d for d in range(1, limbs + 1) if limbs > ceil(limbs / d) * (d - 1)]
        raise refusal(
            request,
            f"cannot distribute {limbs} limbs over {digits} digits of hybrid key switching",
            f"choose --digits among {', '.join(map(str, even))}",
        )
    return each


def foreseen_special_limbs(request: Request, bits: Sequence[float], digits: int, margin: bool) -> int:
    """The number of primes of P that OpenFHE expects before any prime is known, from the limbs' bits.

    `margin` adds a bit to the largest digit, for primes that scatter about a power of two.
    """
    each = limbs_per_digit(request, len(bits), digits)
    # Added one by one, as OpenFHE does: Python's own sum of doubles may round differently.
    largest = max(int(reduce(add, bits[i : i + each])) for i in range(0, len(bits), each))
    return special_limbs(largest + int(margin and largest != MAX_BITS))


def special_limbs(digit_bits: int) -> int:
    """How many 60-bit primes P has beside digits of up to `digit_bits` bits."""
    return ceil((digit_bits + HEADROOM_BITS) / MAX_BITS)


def special_primes(
    request: Request, q: Sequence[int], digits: int, step: int, foreseen: int = 0
) -> tuple[int, ...]:
    """The primes of P: the largest 60-bit ones that are 1 modulo `step` and not in q, in descending order.

    OpenFHE fails where it needs more than `foreseen`, the number with which it chose a secure ring dimension
    (0: it chose none).
    """
    each = limbs_per_digit(request, len(q), digits)
    largest = max(prod(q[i : i + each]).bit_length() for i in range(0, len(q), each))
    needed = special_limbs(largest)
    if 0 < foreseen < needed:
        reason = f"key switching needs {needed} special primes, but its estimate expected {foreseen}"
        raise refusal(request, reason, "raise the primes' bits, or choose other --digits")
    found: list[int] = []
    prime = grow(request, MAX_BITS, step)
    while len(found) < needed:
        prime = shrink(request, prime, step)
        if prime not in q:
            found.append(prime)
    return tuple(found)


def grow(request: Request, bits: int, step: int) -> int:
    """OpenFHE's FirstPrime: the smallest prime above 2^bits that is 1 modulo `step`."""
    if bits > MAX_BITS:
        raise refusal(
            request, f"a prime of {bits} bits exceeds its limit of {MAX_BITS}", "lower the primes' bits"
        )
    return first_prime(bits, step)


def shrink(request: Request, prime: int, step: int) -> int:
    """OpenFHE's PreviousPrime: the next smaller prime in steps of `step`. It fails where none is left."""
    try:
        return previous_prime(prime, step)
    except PrimeNotFound:
        raise too_few(request, f"there is no prime below {prime} in steps of {step}") from None


def largest_of(request: Request, bits: int, step: int) -> int:
    """OpenFHE's LastPrime: the largest prime of exactly `bits` bits that is 1 modulo `step`."""
    if bits > MAX_BITS:
        raise refusal(
            request, f"a prime of {bits} bits exceeds its limit of {MAX_BITS}", "lower the primes' bits"
        )
    try:
        return last_prime(bits, step)
    except PrimeNotFound:
        raise too_few(request, f"no prime of {bits} bits is 1 modulo {step}") from None


def too_few(request: Request, reason: str) -> InfeasibleParameters:
    return refusal(request, reason, "raise the primes' bits, or take a smaller ring dimension or depth")
