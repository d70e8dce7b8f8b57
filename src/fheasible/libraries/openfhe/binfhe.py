"""OpenFHE's BinFHE: what its operations compute, what its keys weigh in a file and in memory.

The algorithms are those of [DucMic15] (AP), [CGGI20] (GINX) and [LMKCDEY23], as `binfhe/lib` has them
[OpenFHE]. The layout of files was read from keys of the wheel 1.6.1.
"""

from collections import Counter
from math import ceil, log2

from fheasible.libraries.gates import DECRYPT, ENCRYPT, KEYGEN, PREFIX, SECRET
from fheasible.libraries.openfhe.binfhe_sets import ERROR_BOUND, bin_set
from fheasible.schemes.fhew.parameters import FhewSet
from fheasible.schemes.fhew.rotation import products as key_products
from fheasible.schemes.fhew.rotation import turns

__all__ = ["bin_set", "ciphertext_bytes", "key_bytes", "lacking", "memory_bytes", "secret_bytes", "work"]
FUNCTION, FLOOR, SIGN = "binfhe_function", "binfhe_floor", "binfhe_sign"

_WORDWISE = (SECRET, ENCRYPT, DECRYPT)  # operations that take a few steps for each word of the secret key
_HEAD = {4: 125, 8: 641}  # bytes of a file of keys, beside its vectors; by the bytes of a word
_POLYNOMIAL = {4: 33, 8: 37}  # of a polynomial, beside its coefficients
_VECTOR = 8  # the length that stands before a vector, or a pointer to nothing
_CIPHERTEXT, _SECRET = 45, 37
_HEAP = 112  # bytes that a polynomial takes in memory, beside its coefficients
_SWITCH_HEAP = 72  # the same for a vector of a key-switching key of 64 bits


def lacking(of: FhewSet, operation: str) -> str:
    """Why the set has not that operation; empty where it has."""
    if operation == FUNCTION and not (of.log_q and of.arbitrary):
        return "any function needs a set with log_q and arbitrary=true (--param log_q=12)"
    if operation in (FLOOR, SIGN) and (of.log_q is None or of.arbitrary):
        return "large numbers need a set with log_q and arbitrary=false (--param log_q=23, arbitrary=false)"
    if operation in ("binfhe_gate", ENCRYPT, DECRYPT) and of.log_q is not None:
        return "bits have sets without log_q"
    return ""


def lookups(of: FhewSet, operation: str) -> int:
    """How many blind rotations an operation takes, each with a key switch."""
    if operation in (FUNCTION, FLOOR):
        return 2
    if operation == SIGN:
        return 2 * _floors(of) + 1
    return int(operation not in (KEYGEN, *_WORDWISE))


def _floors(of: FhewSet) -> int:
    """How often EvalSign takes the lowest bits away, each time log2(q / 2 beta) of them."""
    assert of.log_q is not None
    step = log2(of.q) - log2(2 * ERROR_BOUND)
    return max(0, ceil((of.log_q - log2(of.q)) / step))


def work(of: FhewSet, method: str, operation: str) -> Counter[str]:
    """Kernel counts: butterflies of transforms, products of coefficients, and additions of a key switch."""
    if operation == KEYGEN:
        return key_work(of, method)
    if operation in _WORDWISE:
        name = operation.removeprefix(PREFIX)
        return Counter({f"{name}_words": of.n, f"{name}_calls": 1})
    one = rotation_work(of, method)
    one["switch_adds"] = switch_adds(of)
    return Counter({name: round(count * lookups(of, operation)) for name, count in one.items()})


def switch_adds(of: FhewSet) -> int:
    """Additions of a key switch: a row of its key for each digit of each coefficient."""
    return of.ring * of.switch_digits * (of.n + 1)


def rotation_work(of: FhewSet, method: str) -> dict[str, float]:
    """A blind rotation: per step, two inverse transforms and one for each row, and the rows' products.

    GINX takes the products twice, for both signs of a ternary digit, and four by a monomial. AP takes as many
    steps as a number has digits, but for zeros. LMKCDEY has automorphisms beside the steps.
    """
    ring, butterflies = of.ring, of.ring // 2 * round(log2(of.ring))
    transforms = products = 0.0
    for base, count in key_products(of, method):
        rows = of.rows(base)
        transforms += count * (2 + rows)
        products += count * (4 * rows + 4 if method == "ginx" else 2 * rows)
    rows, turned = of.levels(of.gadget[0][0]), turns(of, method)
    transforms += turned * (1 + rows)
    products += turned * 2 * rows
    return {"butterflies": transforms * butterflies, "products": products * ring}


def key_work(of: FhewSet, method: str) -> Counter[str]:
    """The making of keys: three transforms, a product and an error for each row; a product for each number of
    the key-switching key."""
    rows = sum(count * of.rows(base) for base, count in units(of, method).items())
    entries = of.ring * of.switch_entries
    return Counter(
        key_butterflies=round(3 * rows * of.ring // 2 * log2(of.ring)),
        key_errors=rows * of.ring,
        switch_products=entries * of.n,
    )


def units(of: FhewSet, method: str) -> dict[int, int]:
    """How many ring keys there are for each base of the gadget, those of automorphisms apart."""
    each = {"ginx": 2, "ap": (of.refresh - 1) * of.refresh_digits, "lmkcdey": 1}[method]
    return {base: steps * each for base, steps in of.gadget}


def key_bytes(of: FhewSet, method: str) -> int:
    """The bytes of a file of the bootstrapping key and the key-switching key."""
    word, ring = of.word, of.ring
    row = 2 * (ring * word + _POLYNOMIAL[word])
    total = _HEAD[word] + _nested(of, method)
    total += sum(count * (_VECTOR + of.rows(base) * row) for base, count in units(of, method).items())
    if method == "lmkcdey":
        rows = of.levels(of.gadget[0][0])
        total += (of.automorphisms + 1) * (_VECTOR + rows * row)
    return total + _switch_bytes(of)


def _nested(of: FhewSet, method: str) -> int:
    """The lengths of nested vectors, and the pointers to keys that are not there."""
    if method == "ap":
        return of.n * (_VECTOR + of.refresh * _VECTOR + of.refresh_digits * _VECTOR)
    missing = of.n - of.automorphisms - 1 if method == "lmkcdey" else 0
    return 3 * _VECTOR + missing * _VECTOR


def _switch_bytes(of: FhewSet) -> int:
    """The key-switching key: one array of 32-bit words, or vectors of vectors of 64-bit ones."""
    entries = of.switch_entries
    if of.word == 4:
        return of.ring * entries * (of.n + 1) * 4
    return of.ring * (2 * _VECTOR * of.base_ks + entries * (8 * of.n + 24))


def ciphertext_bytes(of: FhewSet) -> int:
    return 8 * (of.n + 1) + _CIPHERTEXT


def secret_bytes(of: FhewSet) -> int:
    return 8 * of.n + _SECRET


def memory_bytes(of: FhewSet, method: str) -> int:
    """The resident bytes of the keys and of the context, whose monomials GINX keeps."""
    polynomial = of.ring * of.word + _HEAP
    polynomials = sum(2 * of.rows(base) * count for base, count in units(of, method).items())
    polynomials += 2 * of.ring if method == "ginx" else 0
    entries = of.ring * of.switch_entries
    switch = entries * (of.n + 1) * 4 if of.word == 4 else entries * (8 * (of.n + 1) + _SWITCH_HEAP)
    return polynomials * polynomial + switch
