"""The server: `python -m server` evaluates what is in to_server/ and writes to_client/."""

import gc
from time import perf_counter

import numpy as np

from common.parameters import FOLDER, PARAMETERS, REAL, TO_CLIENT, TO_SERVER, ciphertexts
from server.evaluate import evaluate
from server.operations import Server


def constants():
    """The plain vectors of the application, each of which fills all slots, in full precision."""
    path = FOLDER / "server" / "constants.bin"
    kind = "<f8" if REAL else "<i8"
    return np.fromfile(path, dtype=kind).reshape(-1, PARAMETERS["slots"]) if path.is_file() else []


def main():
    server = Server(TO_SERVER, constants())
    inputs = {
        v["name"]: [server.load(path) for path in ciphertexts(TO_SERVER, v)] for v in PARAMETERS["inputs"]
    }
    gc.disable()  # ciphertexts are freed as soon as nothing needs them
    start = perf_counter()
    outputs = evaluate(server, inputs)
    seconds = perf_counter() - start
    TO_CLIENT.mkdir(exist_ok=True)
    for vector in PARAMETERS["outputs"]:
        for value, path in zip(outputs[vector["name"]], ciphertexts(TO_CLIENT, vector), strict=True):
            server.save(value, path)
    print(f"evaluated in {seconds:.3f} s")


if __name__ == "__main__":
    main()
