"""What the paper's two tables of "SNR" hold, worked out from its own numbers.

They are no ratios of signal to noise: they are sizes. A vector, a plaintext and a ciphertext are stored as
words of 64 bits, and each table divides the numbers of their significant bits (the lengths of all words,
added up). A plaintext has N coefficients with a residue for every prime, a ciphertext twice as many; a
uniform residue of a prime of k bits has k - 1 significant bits. BFV's plaintexts are counted with all k
bits of every prime, its numbers with the 63 bits that uniform words have; a complex number of CKKS counts
128 bits. The rows of CKKS mix sets: their plaintexts are those of sets 1, 1, 2 and 2 (twice the first in
row 2, and twice the second in row 4), their ciphertexts those of sets 3, 3, 4 and 4 (half of the third in
row 1, and half of the fourth in row 3).
"""

from fheasible.studies.ckks_vs_bfv.printed import value
from fheasible.studies.ckks_vs_bfv.sets import CHAINS, LENGTHS, NUMBERS, data_bits, residue_bits

_PLAINTEXT_OF = {1: (1, 1.0), 2: (1, 2.0), 3: (2, 1.0), 4: (2, 2.0)}  # row: (set, times)
_CIPHERTEXT_OF = {1: (3, 0.5), 2: (3, 1.0), 3: (4, 0.5), 4: (4, 1.0)}
_LENGTH_OF = {128: 2048}  # the column of 128 holds what belongs to 2048


def plaintext(scheme: str, number: int) -> float:
    """The significant bits of a plaintext of that set."""
    chain = CHAINS[scheme, number]
    return chain.ring_dimension * float(residue_bits(chain))


def ciphertext(scheme: str, number: int) -> float:
    """The significant bits of a ciphertext of that set."""
    return 2 * plaintext(scheme, number)


def over_data(scheme: str, number: int, length: int) -> float:
    """Plaintext over data, both in significant bits, as it is at that set."""
    return plaintext(scheme, number) / (length * data_bits(scheme))


def over_plaintext(scheme: str, number: int) -> float:
    """Ciphertext over plaintext, as it is at that set."""
    return ciphertext(scheme, number) / plaintext(scheme, number)


def paper_over_data(scheme: str, number: int, length: int) -> float:
    """What our reading of Table 12 gives for its value there."""
    if scheme == "ckks":
        return _papers_plaintext(number) / (_LENGTH_OF.get(length, length) * data_bits(scheme))
    return _whole_primes(number) / (length * data_bits(scheme))


def paper_over_plaintext(scheme: str, number: int) -> float:
    """What our reading of Table 13 gives for its values in that row."""
    if scheme == "ckks":
        of, share = _CIPHERTEXT_OF[number]
        return share * ciphertext(scheme, of) / _papers_plaintext(number)
    return ciphertext(scheme, number) / _whole_primes(number)


def largest_difference(scheme: str, name: str) -> float:
    """The largest relative difference of a table's values from our reading of it."""
    return max(
        abs(value(name, scheme, number, length) / _reading(name, scheme, number, length) - 1)
        for number in NUMBERS
        for length in LENGTHS
    )


def _reading(name: str, scheme: str, number: int, length: int) -> float:
    if name == "plaintext_over_data":
        return paper_over_data(scheme, number, length)
    return paper_over_plaintext(scheme, number)


def _papers_plaintext(number: int) -> float:
    of, times = _PLAINTEXT_OF[number]
    return times * plaintext("ckks", of)


def _whole_primes(number: int) -> float:
    chain = CHAINS["bfv", number]
    return chain.ring_dimension * float(sum(chain.q))
