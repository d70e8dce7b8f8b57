"""How many buffers of each size each action of the live SEAL takes from its pool.

Run by the interpreter of SEAL's own environment, so it imports nothing of fheasible. It reads {"scheme", "n",
"q", "p", "t"} from stdin and writes {action: {limbs: buffers}} to stdout, both as JSON. The pool only grows,
by a larger part each time: ask for one chain in each process.

A pool grows when it has no free buffer of the size asked for. So the fewest free buffers with which it does
not grow are those that an action has in use at once, with its result's.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import seal

ENOUGH = 10  # free buffers of each size, more than any action needs
POOL = seal.MemoryManager.GetPool()


class Stock:
    """Free buffers of 1 to `most` limbs in the pool."""

    def __init__(self, n: int, most: int) -> None:
        self.n, self.most = n, most
        self.free = {limbs: self.counted(limbs) for limbs in range(1, most + 1)}

    def counted(self, limbs: int) -> int:
        """How many buffers of that size are free, `ENOUGH` at least. The pool may grow by this."""
        taken, grown = [], 0
        while not grown or len(taken) < ENOUGH:
            before = POOL.alloc_byte_count()
            taken.append(seal.Plaintext(self.n * limbs))
            grown = POOL.alloc_byte_count() - before or grown
        before = POOL.alloc_byte_count()
        while POOL.alloc_byte_count() == before:  # the rest of what it grew by, and one time more
            taken.append(seal.Plaintext(self.n * limbs))
        return len(taken) - 1 + (POOL.alloc_byte_count() - before) // (8 * self.n * limbs)

    def needs(self, run: Callable[[], Any]) -> dict[int, int]:
        """The fewest free buffers of each size with which the pool does not grow while `run` runs."""
        run()
        found = {}
        for limbs in range(1, self.most + 1):
            needed = 0
            while grown := self.growth(run, limbs, needed):
                self.free[limbs] += grown
                needed += 1
            if needed:
                found[limbs] = needed
        return found

    def growth(self, run: Callable[[], Any], limbs: int, free: int) -> int:
        """The buffers by which the pool grows with no more than that many free ones of the size."""
        held = [seal.Plaintext(self.n * limbs) for _ in range(self.free[limbs] - free)]
        before = POOL.alloc_byte_count()
        result = run()
        grown = POOL.alloc_byte_count() - before
        del held, result
        return grown // (8 * self.n * limbs)


def buffers(asked: dict[str, Any]) -> dict[str, dict[int, int]]:
    scheme, n, limbs = asked["scheme"], asked["n"], len(asked["q"])
    real = scheme == "ckks"
    parms = seal.EncryptionParameters(getattr(seal.scheme_type, scheme))
    parms.set_poly_modulus_degree(n)
    parms.set_coeff_modulus([seal.Modulus(x) for x in asked["q"] + asked["p"]])
    if not real:
        parms.set_plain_modulus(asked["t"])
    context = seal.SEALContext(parms, True, seal.sec_level_type.none)
    assert context.parameters_set(), context.parameter_error_message()
    generator, galois = seal.KeyGenerator(context), seal.GaloisKeys()
    encryptor = seal.Encryptor(context, generator.create_public_key())
    decryptor, evaluator = seal.Decryptor(context, generator.secret_key()), seal.Evaluator(context)
    encoder = seal.CKKSEncoder(context) if real else seal.BatchEncoder(context)
    values = np.linspace(0, 1, n // 2) if real else np.arange(n, dtype=np.int64) % 97

    def encode() -> Any:
        return encoder.encode(values, 2.0**20) if real else encoder.encode(values)

    def encrypt() -> Any:
        return encryptor.encrypt(encode())

    x, y = encrypt(), encrypt()
    actions: dict[str, Callable[[], Any]] = {
        "encrypt": encrypt,
        "add": lambda: evaluator.add(x, y),
        "neg": lambda: evaluator.negate(x),
        "mul": lambda: evaluator.multiply(x, y),
        "square": lambda: evaluator.square(x),
        "add_plain": lambda: evaluator.add_plain(x, encode()),
        "mul_plain": lambda: evaluator.multiply_plain(x, encode()),
        "decrypt": lambda: encoder.decode(decryptor.decrypt(x)),
    }
    if not real:
        actions["add_scalar"] = lambda: evaluator.add_plain(x, seal.Plaintext("3"))
        actions["mul_scalar"] = lambda: evaluator.multiply_plain(x, seal.Plaintext("3"))
    if asked["p"]:
        keys, product = generator.create_relin_keys(), evaluator.multiply(x, y)
        generator.create_galois_keys([1], galois)
        turn = evaluator.rotate_vector if real else evaluator.rotate_rows
        actions["relinearize"] = lambda: evaluator.relinearize(product, keys)
        actions["rotate"] = lambda: turn(x, 1, galois)
    if scheme != "bfv" and limbs > 2:
        lower = _identity(context, limbs - 2)
        actions["rescale"] = lambda: (evaluator.rescale_to_next if real else evaluator.mod_switch_to_next)(x)
        actions["drop"] = lambda: evaluator.mod_switch_to(x, lower)
    if scheme == "bgv" and limbs > 2:
        actions["encrypt below"] = lambda: _lowered(evaluator, encrypt(), lower)
    stock = Stock(n, 4 * limbs + 8)
    return {action: stock.needs(run) for action, run in actions.items()}


def _lowered(evaluator: Any, fresh: Any, lower: Any) -> Any:
    """As the worker lowers it, which holds the fresh value meanwhile."""
    return evaluator.mod_switch_to(fresh, lower)


def _identity(context: Any, limbs: int) -> Any:
    data = context.first_context_data()
    while data.chain_index() + 1 > limbs:
        data = data.next_context_data()
    return data.parms_id()


json.dump(buffers(json.load(sys.stdin)), sys.stdout)
