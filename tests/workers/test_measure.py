"""Every worker measures single operations, and each of them computes what numpy computes."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from .conftest import Workers
from .toys import PLAIN_MODULUS, TOYS, Toy

pytestmark = pytest.mark.worker

Json = dict[str, Any]
CKKS_ERROR = 1e-4
each_toy = pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)

PLAINLY = (
    "encode",
    "decode",
    "encrypt",
    "encrypt_secret",
    "encode_encrypt",
    "decrypt",
    "decrypt_decode",
    "key_switch",
)
KEYGENS = (
    "keygen_secret",
    "keygen_public",
    "keygen_pair",
    "keygen_relinearize",
    "keygen_rotate",
    "keygen_switch",
)
ROTATIONS = ("rotate", "rotate_hoist", "rotate_hoisted")
OTHERS = (
    "add", "sub", "negate", "mul", "square", "add_plain", "mul_plain", "add_scalar", "mul_scalar",
    "relinearize", "rescale", "drop", *ROTATIONS, "swap_rows",
)  # fmt: skip
ALL = (*PLAINLY, *OTHERS, *KEYGENS)

HALF_A_WORLD = {"decode", "decrypt", "keygen_secret", "keygen_public"}  # that OpenFHE has in one call alone
NOT_IN_SEAL = {"key_switch", "keygen_switch", "rotate_hoist", "rotate_hoisted"}
LACKING = {
    "seal": NOT_IN_SEAL,
    "node-seal": NOT_IN_SEAL,
    "openfhe": HALF_A_WORLD,
    "lattigo": set(),
}


def vectors(toy: Toy, slots: int) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(slots)
    if toy.scheme == "ckks":
        x, y = rng.uniform(-1, 1, (2, slots))
    else:
        x, y = rng.integers(-300, 300, (2, slots))
    return x, y


def request(workers: Workers, toy: Toy, slots: int, items: list[Json], **more: Any) -> Json:
    """The fields of a request for these items."""
    room = Path(tempfile.mkdtemp(dir=workers.folder))
    for name, values in zip("xy", vectors(toy, slots), strict=True):
        np.save(room / f"{name}.npy", values)
    return {
        "parameters": toy.parameters,
        "slots": slots,
        "two_rows": slots == toy.n,
        "automatic": toy.automatic,
        "items": items,
        "inputs": {name: str(room / f"{name}.npy") for name in "xy"},
        "scalar": 0.7 if toy.scheme == "ckks" else "3",
        "plan": {"repetitions": 2, "warmup": 1, "threads": 1},
        "folder": str(room),
        **more,
    }


def measured(workers: Workers, toy: Toy, slots: int, items: list[Json], **more: Any) -> Json:
    reply, _ = workers[toy.library].ask("measure", **request(workers, toy, slots, items, **more))
    assert reply["type"] == "timed", reply
    return reply


def expected(operation: str, toy: Toy, slots: int) -> NDArray[Any]:
    x, y = vectors(toy, slots)
    scalar = 0.7 if toy.scheme == "ckks" else 3
    rows = x.reshape(2 if slots == toy.n else 1, -1)
    if operation in ROTATIONS:
        return np.roll(rows, -1, axis=1).reshape(-1)
    values = {
        "add": x + y, "sub": x - y, "negate": -x, "mul": x * y, "square": x * x, "add_plain": x + y,
        "mul_plain": x * y, "add_scalar": x + scalar, "mul_scalar": x * scalar, "relinearize": x * y,
        "rescale": x * y, "swap_rows": rows[::-1].reshape(-1),
    }  # fmt: skip
    return values.get(operation, x)


def off(toy: Toy, got: NDArray[Any], wanted: NDArray[Any]) -> float:
    if toy.scheme == "ckks":
        return float(np.abs(got - wanted).max())
    return float(((got - wanted) % PLAIN_MODULUS != 0).mean())


def lacking(toy: Toy, slots: int) -> set[str]:
    """The operations that the library or the scheme does not have."""
    found = set(LACKING[toy.library])
    if toy.scheme == "bfv":
        found |= {"rescale", "drop"}
    if toy.automatic:
        found.add("drop")
    if slots != toy.n:
        found.add("swap_rows")
    return found


@each_toy
@pytest.mark.parametrize("slots", ["all", "few"])
def test_every_operation_computes_what_numpy_computes_or_is_refused_by_name(
    workers: Workers, toy: Toy, slots: str
) -> None:
    count = 8 if slots == "few" else toy.capacity if toy.scheme == "ckks" else toy.n
    items = [{"operation": name, "level": toy.levels} for name in ALL]
    reply = measured(workers, toy, count, items)
    for item, told in zip(items, reply["items"], strict=True):
        name = item["operation"]
        assert (told["operation"], told["level"]) == (name, toy.levels)
        if name in lacking(toy, count):
            assert told["refused"], name
            assert told["seconds"] == []
            continue
        assert told["refused"] is None, (name, told["refused"])
        assert np.shape(told["seconds"]) == (2, 2)
        assert (np.array(told["seconds"]) > 0).any()
        if name not in KEYGENS:
            assert off(toy, np.load(told["values"]), expected(name, toy, count)) < CKKS_ERROR, name


@pytest.mark.parametrize("toy", [t for t in TOYS if t.scheme != "bfv"], ids=lambda toy: toy.name)
def test_operations_below_the_top_are_on_fewer_limbs_and_right(workers: Workers, toy: Toy) -> None:
    names = ["encode", "encrypt", "encrypt_secret", "add", "mul", "relinearize", "rescale", "rotate"]
    items = [{"operation": name, "level": level} for level in (1, 2) for name in names]
    for told in measured(workers, toy, 8, items)["items"]:
        assert told["refused"] is None
        assert off(toy, np.load(told["values"]), expected(told["operation"], toy, 8)) < CKKS_ERROR


@pytest.mark.parametrize("toy", [t for t in TOYS if t.scheme == "ckks"], ids=lambda toy: toy.name)
def test_sparse_vectors_are_right_where_a_library_packs_them(workers: Workers, toy: Toy) -> None:
    names = ["encode", "encode_encrypt", "decrypt_decode", "add_plain", "mul_plain", "rescale", "rotate"]
    items = [{"operation": name, "level": toy.levels} for name in names]
    for slots in (1, 16, toy.capacity):
        reply, _ = workers[toy.library].ask("measure", **request(workers, toy, slots, items, sparse=True))
        if toy.library in ("seal", "node-seal"):
            assert (reply["type"], reply["kind"]) == ("refused", "UnsupportedOperation")
            continue
        assert reply["type"] == "timed", reply
        for told in reply["items"]:
            assert told["refused"] is None, told
            error = off(toy, np.load(told["values"]), expected(told["operation"], toy, slots))
            assert error < CKKS_ERROR, told["operation"]


@each_toy
def test_sizes_of_plaintexts_and_of_each_kind_of_key_are_told(workers: Workers, toy: Toy) -> None:
    items = [{"operation": name, "level": toy.levels} for name in ("add", "relinearize", "rotate")]
    sizes = measured(workers, toy, 8, items)["sizes"]
    told = {name for name, size in sizes.items() if size}
    assert told >= {"ciphertext", "public_key", "secret_key", "relinearization_key", "rotation_key"}
    if toy.library != "openfhe":  # its binding cannot write a plaintext
        assert 0 < sizes["plaintext"] < sizes["ciphertext"]


@pytest.mark.parametrize("library", LACKING)
def test_what_cannot_be_measured_is_refused_with_what_is_possible(workers: Workers, library: str) -> None:
    toy = next(t for t in TOYS if t.library == library and t.scheme == "bfv")
    unknown, _ = workers[library].ask("measure", **request(workers, toy, 8, [{"operation": "divide"}]))
    assert (unknown["type"], unknown["kind"]) == ("refused", "BadRequest")
    assert "encode" in unknown["message"]
    nothing, _ = workers[library].ask("measure", **request(workers, toy, 8, []))
    assert nothing["type"] == "refused"
    odd, _ = workers[library].ask("measure", **request(workers, toy, 3, [{"operation": "add"}]))
    assert odd["type"] == "refused"
    many, _ = workers[library].ask("measure", **request(workers, toy, 4 * toy.n, [{"operation": "add"}]))
    assert many["type"] == "refused"
    assert measured(workers, toy, 8, [{"operation": "add"}])["items"][0]["seconds"]
