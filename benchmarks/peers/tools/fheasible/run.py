"""Fheasible: `fh.verify` recommends a set for the application and runs it.

Takes what harness.py says, the bits of precision that real results are to have, and a store with a
calibration of this machine; without one, the times that choose are those that Fheasible ships.
"""

import argparse
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

import fheasible as fh

APPLICATIONS = Path(__file__).parent.parent.parent
PHASES = {"keygen": "keys", "encrypt": "encrypt", "evaluate": "evaluate", "decrypt": "decrypt"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("application")
    parser.add_argument("inputs")
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--bits", type=float)
    parser.add_argument("--store")
    given = parser.parse_args()
    file = APPLICATIONS / f"{given.application}.py"
    data = {"x": np.load(given.inputs)["x"]}
    wish = {} if given.bits is None else {"precision": given.bits}
    found = fh.verify(file, given.repetitions, store=given.store, data=data, **wish)
    told = {
        "version": version("fheasible"),
        "parameters": chosen(found.parameters),
        "cpu_seconds": {name: found.measured[f"cpu_seconds.{phase}"] for phase, name in PHASES.items()},
        "outputs": np.concatenate(list(found.result.values())).tolist(),
    }
    print(json.dumps(told))


def chosen(p):
    return {
        "library": p.library,
        "scheme": p.scheme,
        "technique": p.technique,
        "ring_dimension": p.ring_dimension,
        "q_bits": [q.bit_length() for q in p.primes],
        "p_bits": [q.bit_length() for q in p.special_primes],
        "scale_bits": p.scale_bits,
    }


if __name__ == "__main__":
    main()
