"""The work of each task in TFHE-rs, as kernel counts with one price each, whatever the parameters.

butterflies      of transforms, N/4 log2(N/2) for a polynomial, which is N/2 complex values
words_in         words that are cut into digits and converted to doubles
words_out        doubles that are rounded to words
pointwise        products of two complex values, added to a sum
monomial         products of a complex value with a monomial's, added to a sum
monomial_values  values of monomials, each read from a table of roots of unity
multiply_add     products of a digit and a word, added to a word
rows             words that are cut into digits in the key switch, one for each digit
steps            external products
handovers        external products whose key another thread has put together: with groups of bits
switched         words whose modulus is switched
karatsuba        products of words in the multiplication of two polynomials
uniform          random words; errors of either distribution are "gaussian" and "tuniform"
words            words that are added or copied
scaled           words that are multiplied by a plain number
ciphertexts      ciphertexts that are made
"""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import log2
from typing import Final

from fheasible.libraries.lookup_library import LookupTask
from fheasible.schemes.tfhe import sizes
from fheasible.schemes.tfhe.counted import key_switch_work, lookup_work
from fheasible.schemes.tfhe.parameters import Errors, Order, TfheParameters, TUniform

KARATSUBA_STOP: Final = 64  # polynomials of no more coefficients are multiplied as at school

Work = Counter[str]


def work(task: LookupTask, p: TfheParameters) -> Mapping[str, float]:
    """Kernel counts of one task, on one ciphertext."""
    return _TASKS[task](p)


@lru_cache(maxsize=65536)
def lookup(p: TfheParameters) -> Work:
    """One look-up: key switch, modulus switch, blind rotation and extraction."""
    counted = lookup_work(p)
    found: Work = Counter()
    for name, count in counted.items():
        kind, _, size = name.partition(":")
        if kind in ("fft", "ifft"):
            n = int(size)
            found["butterflies"] += count * _butterflies(n)
            found["words_in" if kind == "fft" else "words_out"] += count * n
    found |= {name: counted[name] for name in ("pointwise", "monomial", "monomial_values", "multiply_add")}
    found["rows"] = p.large_dimension * p.ks.level
    found["steps"] = p.lwe_dimension // p.grouping
    found["handovers"] = found["steps"] if p.grouping > 1 else 0
    found["switched"] = p.lwe_dimension + 1
    found["ciphertexts"] = 1
    return +found


def key_switch(p: TfheParameters) -> Work:
    """The part of a look-up that is its key switch."""
    counted = key_switch_work(p.large_dimension, p.lwe_dimension, p.ks)
    rows = p.large_dimension * p.ks.level
    return Counter({"multiply_add": counted["multiply_add"], "rows": rows, "ciphertexts": 1})


def _butterflies(n: int) -> int:
    return int(n / 4 * log2(n / 2))


def key_generation(p: TfheParameters) -> Work:
    """All keys. The masks of the bootstrapping key are multiplied by the secret key with Karatsuba's method,
    before the key is transformed."""
    k, n = p.glwe_dimension, p.polynomial_size
    rows = sizes.bootstrap_key(p).full // ((k + 1) * n)
    switched = sizes.switch_key(p)
    found = Counter(
        {
            "karatsuba": rows * k * _karatsuba(n),
            "uniform": rows * k * n + switched.full,
            "multiply_add": switched.full,
            "butterflies": rows * (k + 1) * _butterflies(n),
            "words_in": rows * (k + 1) * n,
        }
    )
    found[_drawn(p.glwe_errors)] += rows * n
    found[_drawn(p.lwe_errors)] += switched.seeded
    return found


def _drawn(errors: Errors) -> str:
    """The kernel that draws an error of that distribution."""
    return "tuniform" if isinstance(errors, TUniform) else "gaussian"


def _karatsuba(n: int) -> int:
    """Products of words for one product of two polynomials."""
    return n * n if n <= KARATSUBA_STOP else 3 * _karatsuba(n // 2)


def _dimension(p: TfheParameters) -> int:
    """Of the ciphertexts between look-ups."""
    return p.large_dimension if p.order is Order.KS_PBS else p.lwe_dimension


def _encryption(p: TfheParameters) -> Work:
    n = _dimension(p)
    drawn = _drawn(p.lwe_errors if p.order is Order.PBS_KS else p.glwe_errors)
    return Counter({"uniform": n, "multiply_add": n, drawn: 1, "ciphertexts": 1})


def _decryption(p: TfheParameters) -> Work:
    return Counter({"multiply_add": _dimension(p), "ciphertexts": 1})


def _wordwise(p: TfheParameters) -> Work:
    return Counter({"words": _dimension(p) + 1, "ciphertexts": 1})


def _scaled(p: TfheParameters) -> Work:
    return Counter({"scaled": _dimension(p) + 1, "ciphertexts": 1})


def _plain(p: TfheParameters) -> Work:
    return Counter({"ciphertexts": 1})


_TASKS: Final[Mapping[LookupTask, Callable[[TfheParameters], Work]]] = {
    LookupTask.KEYGEN: key_generation,
    LookupTask.ENCRYPT: _encryption,
    LookupTask.TRIVIAL: _wordwise,
    LookupTask.COPY: _wordwise,
    LookupTask.ADD: _wordwise,
    LookupTask.SCALE: _scaled,
    LookupTask.ADD_PLAIN: _plain,
    LookupTask.LOOKUP: lookup,
    LookupTask.DECRYPT: _decryption,
}
