"""GLWE ciphertexts [CGGI20]: polynomials (A_1, ..., A_k, B) with B = sum_i A_i·S_i + message + error."""

from fheasible.rings.torus.element import Torus
from fheasible.rings.torus.ring import TorusRing
from fheasible.schemes.tfhe.lwe import errors
from fheasible.schemes.tfhe.parameters import Errors


def encrypt(ring: TorusRing, secret: Torus, messages: Torus, distribution: Errors) -> Torus:
    """Ciphertexts (..., k + 1, N) of polynomials (..., N)."""
    *count, n = messages.shape
    mask = ring.uniform((*count, secret.shape[0], n))
    body = ring.add(_product(ring, secret, mask), ring.reshape(messages, (*count, 1, n)))
    body = ring.add(body, errors(ring, (*count, 1, n), distribution))
    return ring.join((mask, body), -2)


def _product(ring: TorusRing, secret: Torus, mask: Torus) -> Torus:
    """sum_i A_i·S_i, of shape (..., 1, N)."""
    *count, k, n = mask.shape
    columns = ring.transform(ring.reshape(mask, (*count, k, 1, n)))
    return ring.back(ring.products(ring.transform(secret), columns))


def phase(ring: TorusRing, secret: Torus, c: Torus) -> Torus:
    """message + error of one ciphertext, of shape (1, N)."""
    k = secret.shape[0]
    return ring.subtract(ring.slice(c, k, k + 1), _product(ring, secret, ring.slice(c, 0, k)))


def as_lwe_secret(ring: TorusRing, secret: Torus) -> Torus:
    """The bits (k·N,) of the secret of ciphertexts that are extracted."""
    k, n = secret.shape
    return ring.reshape(secret, (k * n,))


def trivial(ring: TorusRing, polynomial: Torus, k: int) -> Torus:
    """(0, ..., 0, polynomial): what anyone can make."""
    n = polynomial.shape[-1]
    return ring.join((ring.zero((k, n)), ring.reshape(polynomial, (1, n))), -2)


def sample_extract(ring: TorusRing, c: Torus) -> Torus:
    """The LWE ciphertext (k·N + 1,) of the message's constant coefficient."""
    k, n = c.shape[0] - 1, c.shape[1]
    mask = ring.reshape(ring.reversed(ring.slice(c, 0, k)), (k * n,))
    return ring.join((mask, ring.slice(ring.part(c, k), 0, 1)), -1)


def constants(ring: TorusRing, words: Torus, n: int) -> Torus:
    """Polynomials (..., N) with these constant coefficients, and 0 elsewhere."""
    lowest = ring.reshape(words, (*words.shape, 1))
    return ring.join((lowest, ring.zero((*words.shape, n - 1))), -1)
