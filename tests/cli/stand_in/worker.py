"""A stand-in for a library of table look-ups, on the protocol of workers/PROTOCOL.md.

Ciphertexts are LWE's, modulo 2^64: sums and products with plain numbers are done on them. A table look-up
is done with the secret key: it decrypts, looks up, and encrypts anew. So it proves a protocol, and no scheme.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

REPLIES = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
OPERATIONS = ("encrypt", "decrypt", "add", "mul_scalar", "key_switch", "lookup")
NUMBERS = ("lwe_dimension", "glwe_dimension", "polynomial_size", "message_modulus", "carry_modulus")
RANDOM = np.random.default_rng()
KEPT = {}  # keys by their parameters


class Refused(Exception):
    def __init__(self, kind, message):
        super().__init__(message)
        self.kind, self.message = kind, message


def bad(message):
    return Refused("BadRequest", message)


def send(message):
    REPLIES.write(json.dumps(message) + "\n")
    REPLIES.flush()


class Keys:
    def __init__(self, p):
        try:
            _, k, size, message, carry = (int(p[name]) for name in NUMBERS)
        except (KeyError, TypeError, ValueError) as error:
            raise bad(f"parameters: {error!r}") from None
        if size & (size - 1) or size < 32:
            raise Refused("InfeasibleParameters", f"polynomials of size {size}: no power of two from 32 on")
        self.size, self.modulus, self.dimension = size, message * carry, k * size
        self.delta = np.uint64(2**63 // self.modulus)
        self.secret = RANDOM.integers(0, 2, self.dimension, dtype=np.uint64)

    def encrypt(self, numbers):
        mask = RANDOM.integers(0, 2**64, (len(numbers), self.dimension), dtype=np.uint64)
        errors = RANDOM.integers(-(2**20), 2**20, len(numbers)).astype(np.uint64)
        body = mask @ self.secret + np.asarray(numbers).astype(np.uint64) * self.delta + errors
        return np.concatenate([mask, body[:, None]], axis=1)

    def trivial(self, numbers):
        found = np.zeros((len(numbers), self.dimension + 1), dtype=np.uint64)
        found[:, -1] = np.asarray(numbers).astype(np.uint64) * self.delta
        return found

    def decrypt(self, x):
        phase = x[:, -1] - x[:, :-1] @ self.secret
        return ((phase + self.delta // np.uint64(2)) // self.delta).astype(np.int64) % (2 * self.modulus)

    def look_up(self, x, table):
        return self.encrypt(np.asarray(table)[self.decrypt(x) % self.modulus])


def described(keys):
    return {"ring_dimension": keys.size, "q": [str(2**64)], "p": [], "digits": None}


def timed(work):
    cpu, wall = time.process_time(), time.perf_counter()
    made = work()
    return made, [time.process_time() - cpu, time.perf_counter() - wall]


def made(step, values, inputs, program, keys):
    kind, args = step["step"], [values[arg] for arg in step.get("args", [])]
    plain, length = step.get("plain"), step["length"]
    if kind == "encrypt":
        return keys.encrypt(inputs[step["source"]][step.get("digit", 0)])
    if kind == "trivial":
        return keys.trivial(plain)
    if kind == "linear":
        total = keys.trivial(np.broadcast_to(np.array(plain if plain is not None else [0]), (length,)))
        for arg, weight in zip(args, step.get("weights", []), strict=True):
            total = total + arg * np.array(weight).astype(np.uint64)
        return total
    if kind == "pick":
        return args[0][plain]
    if kind == "join":
        return np.concatenate(args)
    if kind == "fold":
        starts = range(0, len(args[0]), step["group"])
        return np.stack([args[0][i : i + step["group"]].sum(axis=0, dtype=np.uint64) for i in starts])
    if kind == "lookup":
        return keys.look_up(args[0], program["tables"][step.get("table", 0)])
    raise Refused("UnsupportedOperation", f"no step {kind}")


def check(program, keys):
    for name in ("modulus", "tables", "steps", "inputs", "outputs"):
        if name not in (program or {}):
            raise bad(f"a program without {name}")
    if program["modulus"] != keys.modulus:
        raise bad(f"the program has modulus {program['modulus']}, the parameters {keys.modulus}")
    for place, table in enumerate(program["tables"]):
        if len(table) != keys.modulus or not all(0 <= entry < keys.modulus for entry in table):
            raise bad(f"table {place} does not have {keys.modulus} entries below that")
    known = set()
    for place, step in enumerate(program["steps"]):
        if not known.issuperset(step.get("args", [])):
            raise bad(f"step {place}: an argument does not exist then")
        known.add(step["out"])
        known -= set(step.get("frees", []))
    if not known.issuperset(v for out in program["outputs"] for v in out["values"]):
        raise bad("an output does not exist")


def once(request, keys, other, inputs):
    program, values, samples = request["program"], {}, []
    kept = {v for each in program["inputs"] + program["outputs"] for v in each["values"]}
    for step in program["steps"]:
        values[step["out"]], took = timed(lambda step=step: made(step, values, inputs, program, keys))
        samples.append(took)
        for freed in set(step.get("frees", [])) - kept:
            del values[freed]

    def rows(each):
        found = [other.decrypt(values[v]) for v in each["values"]]
        return np.stack([np.broadcast_to(row, (each["length"],)) for row in found])

    outputs, took = timed(lambda: {each["name"]: rows(each) for each in program["outputs"]})
    return samples, outputs, {each["name"]: rows(each) for each in program["inputs"]}, took


def run(request):
    keys, keygen = timed(lambda: Keys(request["parameters"]))
    check(request.get("program"), keys)
    plan, options, folder = request["plan"], request.get("options", {}), Path(request["folder"])
    other = Keys(request["parameters"]) if options.get("wrong_key") else keys
    inputs = {name: np.load(path) for name, path in request["inputs"].items()}
    total, found, start = plan["warmup"] + plan["repetitions"], [], time.perf_counter()
    while len(found) < total or time.perf_counter() - start < plan.get("min_seconds", 0):
        found.append(once(request, keys, other, inputs))
        done = {"phase": "run", "done": len(found), "total": max(total, len(found))}
        send({"type": "progress", "id": request["id"], **done})
    found = found[plan["warmup"] :]
    samples = np.array([each[0] for each in found])
    encrypts = np.array([step["step"] == "encrypt" for step in request["program"]["steps"]])
    np.save(folder / "samples.npy", samples)
    for name in found[-1][1]:
        every = np.stack([each[1][name] for each in found])
        np.save(folder / f"{name}.npy", every if options.get("every_output") else every[-1])
    if options.get("check_inputs"):
        (folder / "inputs_after").mkdir()
        for name, rows in found[-1][2].items():
            np.save(folder / "inputs_after" / f"{name}.npy", rows)
    return {
        "type": "measured",
        **described(keys),
        "outputs": {name: str(folder / f"{name}.npy") for name in found[-1][1]},
        "samples": str(folder / "samples.npy"),
        "phases": {
            "context": [[0.0, 0.0]],
            "keygen": [keygen],
            "encrypt": samples[:, encrypts].sum(axis=1).tolist(),
            "evaluate": samples[:, ~encrypts].sum(axis=1).tolist(),
            "decrypt": [each[3] for each in found],
        },
        "sizes": {"ciphertext": 8 * (keys.dimension + 1), "bootstrap_key": None, "key_switch_key": None},
        "memory": {},
    }


def measure(request):
    name = json.dumps(request["parameters"], sort_keys=True)
    keys, keygen = (KEPT[name], None) if name in KEPT else timed(lambda: Keys(request["parameters"]))
    if request.get("keep"):
        KEPT[name] = keys
    one = keys.encrypt([1])
    table = [(x + 1) % keys.modulus for x in range(keys.modulus)]
    work = {
        "encrypt": lambda: keys.encrypt([1]),
        "decrypt": lambda: keys.decrypt(one),
        "add": lambda: one + one,
        "mul_scalar": lambda: one * np.uint64(2),
        "key_switch": lambda: one.copy(),
        "lookup": lambda: keys.look_up(one, table),
    }
    items, warmup = [], request["plan"]["warmup"]
    for number, item in enumerate(request["items"]):
        operation = item["operation"]
        if operation not in work:
            raise bad(f"no operation {operation}; there are {', '.join(work)}")
        taken = [timed(work[operation]) for _ in range(warmup + request["plan"]["repetitions"])]
        left, path = taken[-1][0], Path(request["folder"]) / f"{number}.npy"
        np.save(path, left if operation == "decrypt" else keys.decrypt(left))
        seconds = [took for _, took in taken[warmup:]]
        items.append({"operation": operation, "seconds": seconds, "values": str(path), "refused": None})
    return {
        "type": "timed", **described(keys), "items": items, "keygen": keygen, "sizes": {}, "memory": {}
    }  # fmt: skip


def answered(request):
    if not isinstance(request, dict):
        raise bad("a request is an object")
    kind = request.get("type")
    if kind == "describe":
        return {"type": "described", **described(Keys(request["parameters"]))}
    if kind == "run":
        return run(request)
    if kind == "measure":
        return measure(request)
    raise bad(f"no request {kind}")


def main():
    send(
        {
            "type": "hello", "protocol": 1, "library": "stand-in", "version": "0.1", "binding": "numpy",
            "build": {}, "runtime": f"CPython {sys.version.split()[0]}", "schemes": ["tfhe"],
            "operations": list(OPERATIONS),
        }
    )  # fmt: skip
    for line in sys.stdin:
        request = {}
        try:
            try:
                request = json.loads(line)
            except ValueError:
                raise bad("not a line of JSON") from None
            reply = answered(request)
        except Refused as refused:
            reply = {"type": "refused", "kind": refused.kind, "message": refused.message}
        send({**reply, "id": request.get("id") if isinstance(request, dict) else None})


if __name__ == "__main__":
    main()
