"""Single operations on operands that are made before their time is taken."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from worker.backend import Backend, Cipher, Switching, Tables
from worker.items import Request

Step = Callable[[], Any]  # what is timed

SWITCHING = ("ckks_to_fhew", "compare_by_switching", "minimum_by_switching", "maximum_by_switching")
TABLES = ("table_lookup", "table_angles", "table_entries", "table_decode")
_DECODED = ("decode", "decrypt_decode")  # operations whose results are values


class Bench:
    """Operands at one level, each made when it is first wanted."""

    def __init__(self, backend: Backend, request: Request, level: int, other: Any) -> None:
        self.backend, self.level, self.other = backend, level, other
        self.x, self.y, self.scalar = request.x, request.y, request.scalar
        self.top = request.program.levels  # of a bootstrap's result

    @cached_property
    def plain(self) -> Any:
        return self.backend.encode(self.x, self.level)

    @cached_property
    def a(self) -> Cipher:
        return self.backend.encrypt(self.x, self.level)

    @cached_property
    def b(self) -> Cipher:
        return self.backend.encrypt(self.y, self.level)

    @cached_property
    def decrypted(self) -> Any:
        return self.backend.decrypted(self.a, self.backend.secret())

    @cached_property
    def product(self) -> Cipher:
        return self.backend.mul(self.a, self.b, self.level)

    @cached_property
    def relinearized(self) -> Cipher:
        return self.backend.relinearize(self.product, self.level)

    @cached_property
    def digits(self) -> Any:
        return self.backend.digits(self.a)

    @cached_property
    def switching_key(self) -> Any:
        return self.backend.switching_key(self.other)

    @cached_property
    def switching(self) -> Switching:
        return self.backend.switching()

    @property
    def switching_bytes(self) -> int:
        """The memory that scheme switching took; 0 where no operation wanted it."""
        return self.switching.bytes if "switching" in vars(self) else 0

    @cached_property
    def tables(self) -> Tables:
        return self.backend.tables()

    @property
    def made_tables(self) -> Tables | None:
        return self.tables if "tables" in vars(self) else None

    @cached_property
    def numbers(self) -> Cipher:
        return self.tables.encrypt(self.x)

    @cached_property
    def angles(self) -> Any:
        return self.tables.angles(self.numbers)

    @cached_property
    def entries(self) -> Cipher:
        return self.tables.entries(self.angles)

    def _entries(self, operation: str, made: Any) -> NDArray[Any]:
        """The result of an operation on tables, finished and decrypted."""
        made = self.tables.entries(made) if operation == "table_angles" else made
        finished = operation in ("table_lookup", "table_decode")
        return self.tables.decrypt(made if finished else self.tables.decode(made))

    def values(self, operation: str, made: Any) -> NDArray[Any]:
        """What the result of an operation stands for: decrypted and decoded, as far as it is not yet."""
        if operation in _DECODED:
            return np.array(made)
        if operation in SWITCHING:
            return self.switching.values(made, lambda x: self.backend.decrypt(x, self.backend.secret()))
        if operation in TABLES:
            return self._entries(operation, made)
        if operation == "encode":
            made = self.backend.encrypted(made, self.level)
        if operation == "decrypt":
            return np.array(self.backend.decode(made))
        key = self.other if operation == "key_switch" else self.backend.secret()
        return np.array(self.backend.decrypt(made, key))


def _hoist(b: Bench) -> Cipher:
    return b.backend.rotate_hoisted(b.a, b.backend.digits(b.a), 1, b.level)


STEPS: dict[str, Callable[[Bench], Step]] = {
    "encode": lambda b: partial(b.backend.encode, b.x, b.level),
    "decode": lambda b: partial(b.backend.decode, b.decrypted),
    "encrypt": lambda b: partial(b.backend.encrypted, b.plain, b.level),
    "encrypt_secret": lambda b: partial(b.backend.encrypted_by_secret, b.plain, b.level),
    "encode_encrypt": lambda b: partial(b.backend.encrypt, b.x, b.level),
    "decrypt": lambda b: partial(b.backend.decrypted, b.a, b.backend.secret()),
    "decrypt_decode": lambda b: partial(b.backend.decrypt, b.a, b.backend.secret()),
    "add": lambda b: partial(b.backend.add, b.a, b.b, b.level),
    "sub": lambda b: partial(b.backend.sub, b.a, b.b, b.level),
    "negate": lambda b: partial(b.backend.neg, b.a, b.level),
    "mul": lambda b: partial(b.backend.mul, b.a, b.b, b.level),
    "square": lambda b: partial(b.backend.square, b.a, b.level),
    "add_plain": lambda b: partial(b.backend.add_plain, b.a, b.y, b.level),
    "mul_plain": lambda b: partial(b.backend.mul_plain, b.a, b.y, b.level),
    "add_scalar": lambda b: partial(b.backend.add_scalar, b.a, b.scalar, b.level),
    "mul_scalar": lambda b: partial(b.backend.mul_scalar, b.a, b.scalar, b.level),
    "relinearize": lambda b: partial(b.backend.relinearize, b.product, b.level),
    "rescale": lambda b: partial(b.backend.rescale, b.relinearized, b.level - 1),
    "drop": lambda b: partial(b.backend.drop, b.a, b.level - 1),
    "rotate": lambda b: partial(b.backend.rotate, b.a, 1, b.level),
    "rotate_hoist": lambda b: partial(_hoist, b),
    "rotate_hoisted": lambda b: partial(b.backend.rotate_hoisted, b.a, b.digits, 1, b.level),
    "swap_rows": lambda b: partial(b.backend.swap_rows, b.a, b.level),
    "bootstrap": lambda b: partial(b.backend.bootstrap, b.a, b.top),
    "ckks_to_fhew": lambda b: partial(b.switching.leave, b.a),
    "compare_by_switching": lambda b: partial(b.switching.compare, b.a, b.b),
    "minimum_by_switching": lambda b: partial(b.switching.minimum, b.a),
    "maximum_by_switching": lambda b: partial(b.switching.maximum, b.a),
    "table_lookup": lambda b: partial(b.tables.look_up, b.numbers),
    "table_angles": lambda b: partial(b.tables.angles, b.numbers),
    "table_entries": lambda b: partial(b.tables.entries, b.angles),
    "table_decode": lambda b: partial(b.tables.decode, b.entries),
    "key_switch": lambda b: partial(b.backend.key_switch, b.a, b.switching_key),
}
"""What is timed of each operation on ciphertexts and plaintexts."""

KEYGENS: dict[str, Callable[[Backend], Step]] = {
    "keygen_secret": lambda k: k.make_secret,
    "keygen_public": lambda k: partial(k.make_public, k.key_maker()),
    "keygen_pair": lambda k: k.make_pair,
    "keygen_relinearize": lambda k: partial(k.make_relinearization, k.key_maker()),
    "keygen_rotate": lambda k: partial(k.make_rotation, k.key_maker()),
    "keygen_switch": lambda k: partial(k.make_switching, k.key_maker(), k.key_maker()),
}
"""The same of each kind of key, made of a fresh secret key."""
