"""Bootstraps predicted beside measured: time, keys, memory and precision, in sets that no calibration ran.

    .venv/bin/python benchmarks/bootstraps.py [NAME...] [--store FILE] [--most-gib 8]
        [--out benchmarks/results/bootstraps.json] [--predict]

Run `fheasible calibrate --bootstrapping` before it. There are four settings of OpenFHE with N = 2^13 and
2^14, six with N = 2^15 and one with N = 2^16, Lattigo's own two sets with N = 2^15, and three literals drawn
at random for it. Each is run in a process of its own, twice or more after a warm-up; the least CPU time
counts. A set that is predicted to need more memory than `--most-gib` is left out, with the figure. The file
is written after each run, and keeps the figures of sets that are not run again. Precision is -log2 of the
standard deviation of the error over all slots and runs, for numbers that are uniform in [-1, 1], after
decryption. `--predict` runs nothing: it predicts the precision of each set in the file again, which no
machine matters for.
"""

import argparse
import json
from dataclasses import asdict, replace
from math import ceil, log2
from pathlib import Path
from typing import Any

import numpy as np

from fheasible.calibration.bootstraps import bootstrap_job
from fheasible.calibration.profiles import at_hand
from fheasible.errors import FheasibleError
from fheasible.estimation.estimate import band, cpu_seconds, peak_bytes
from fheasible.estimation.profile import Profile
from fheasible.estimation.sizes import sizes
from fheasible.libraries.bootstrapping import BootstrapRequest
from fheasible.libraries.catalogue import library
from fheasible.libraries.parameters import CkksParameters, CkksRequest
from fheasible.measurement.encryptions import results
from fheasible.measurement.execute import execute
from fheasible.measurement.machine import this_machine
from fheasible.measurement.records import Measurement
from fheasible.noise.ckks.precision import precision
from fheasible.noise.reach.gains import gains
from fheasible.program.types import Program
from fheasible.store.store import Store
from fheasible.units import GIB

Json = dict[str, Any]
SEED = 1702
ENCAPSULATED = "sparse_encapsulated"
NUMBERS, MOST_RUNS = 512, 8  # that the error is taken of, and in how many runs at most
TIMEOUT = 1800.0


def openfhe(
    log_n: int,
    depth: int,
    levels: tuple[int, int],
    slots: int | None = None,
    secret: str = "uniform_ternary",
    technique: str = "flexibleautoext",
    scale_bits: int = 50,
    twice: int | None = None,
) -> CkksRequest:
    """A request of OpenFHE, whose security is not required: only what it costs matters here.

    `levels` are those of both transforms. `twice`: the bits of the first of two iterations.
    """
    iterations = None if twice is None else 2
    return CkksRequest(
        scheme="ckks",
        depth=depth,
        security=None,
        ring_dimension=1 << log_n,
        scale_bits=scale_bits,
        first_bits=60,
        technique=technique,
        secret=secret,
        bootstrap=BootstrapRequest(slots, *levels, iterations, twice, message_bits=10),
    )


def default_set(
    primes: tuple[int, ...], special: tuple[int, ...], weight: int, encode: int, reduction: int
) -> CkksRequest:
    """One of Lattigo's sets with N = 2^15 [Lattigo, circuits/ckks/bootstrapping/default_parameters.go].

    All but the weight are bits, `encode` those of each of two factors. The scale is that of the last prime.
    """
    own = BootstrapRequest(
        weight=weight,
        encode_bits=(encode,) * 2,
        decode_bits=(30, 30),
        decode_levels=1,
        reduction_bits=reduction,
    )
    return CkksRequest(
        scheme="ckks",
        depth=len(primes) - 1,
        security=None,
        ring_dimension=1 << 15,
        prime_bits=primes,
        special_bits=special,
        scale_bits=primes[-1],
        bootstrap=own,
    )


def literals(count: int) -> dict[str, CkksRequest]:
    """Literals of Lattigo, drawn at random but the same in every run."""
    draw, found = np.random.default_rng(SEED), {}
    for number in range(count):
        log_n, scale = int(draw.integers(13, 15)), int(draw.choice([35, 40, 45]))
        slots = 1 << int(draw.integers(5, log_n))
        own = BootstrapRequest(slots, int(draw.integers(2, 5)), int(draw.integers(2, 4)))
        found[f"literal{number + 1}"] = CkksRequest(
            scheme="ckks",
            depth=int(draw.integers(1, 7)),
            security=None,
            ring_dimension=1 << log_n,
            scale_bits=scale,
            first_bits=scale + 15,
            bootstrap=own,
        )
    return found


def requests() -> dict[str, tuple[str, CkksRequest]]:
    """The library and the request of each set by its name, in the order in which they are run."""
    ours = {
        "openfhe13": openfhe(13, 5, (2, 2), 64),
        "openfhe13full": openfhe(13, 2, (2, 3)),
        "openfhe14": openfhe(14, 4, (3, 3), 1024),
        "openfhe14full": openfhe(14, 3, (3, 3)),
        "openfhe15": openfhe(15, 2, (3, 3), 256),
        "openfhe15dense": openfhe(15, 2, (1, 1), 16, "sparse_ternary", "flexibleauto"),
        "openfhe15twice": openfhe(15, 1, (2, 2), 64, ENCAPSULATED, scale_bits=56, twice=12),
        "openfhe15manual": openfhe(15, 2, (2, 2), 1024, ENCAPSULATED, "fixedmanual", 55),
        "openfhe15auto": openfhe(15, 2, (2, 3), 512, technique="fixedauto", scale_bits=55),
        "openfhe15full": openfhe(15, 2, (4, 3), None, ENCAPSULATED, "flexibleauto", 58),
        "openfhe16full": openfhe(16, 2, (4, 4), None, ENCAPSULATED, "flexibleauto", 55),
    }
    theirs = {
        "N15QP768H192H32": default_set((33, 50, 25), (51, 51), 192, 49, 50),
        "N15QP880H16384H32": default_set((40, *(31,) * 4), (56, 56), 16384, 52, 55),
    }
    made = {name: ("openfhe", each) for name, each in ours.items()}
    return made | {name: ("lattigo", each) for name, each in (literals(3) | theirs).items()}


def measured(name: str, asked: CkksRequest, profile: Profile, most: float) -> Json:
    """The figures of one set, or why it was not run."""
    lib = library(name)
    p = lib.parameters(asked)
    assert isinstance(p, CkksParameters)
    assert p.bootstrap is not None
    runs = min(max(2, ceil(NUMBERS / p.bootstrap.procedure.slots)), MOST_RUNS)
    job = bootstrap_job(lib, p, runs, sizes=True, timeout=TIMEOUT)
    found = described(p) | {"predicted": predicted(job.program, p, profile, job.inputs["x"])}
    needed = found["predicted"]["peak_bytes"]
    if needed > most:
        return found | {"left_out": f"it needs {needed / GIB:.1f} GiB, more than {most / GIB:.1f} GiB"}
    options = replace(job.options, every_output=True)
    m = execute(name, job.program, job.worker_parameters, job.inputs, job.plan, options, timeout=TIMEOUT)
    return found | {"measured": seen(job.program, job.inputs["x"], m)}


def described(p: CkksParameters) -> Json:
    assert p.bootstrap is not None
    own = p.bootstrap
    return {
        "library": p.library,
        "ring_dimension": p.ring_dimension,
        "levels": p.levels,
        "limbs": len(own.q),
        "special_limbs": len(own.p),
        "digits": own.digits,
        "procedure": asdict(own.procedure),
    }


def predicted(program: Program, p: CkksParameters, profile: Profile, values: Any) -> Json:
    times, keys = cpu_seconds(program, p, profile), sizes(program, p)
    return {
        "evaluate_seconds": times["evaluate"],
        "keygen_seconds": times["keygen"],
        "key_bytes": keys.evaluation_key_bytes,
        "keys": keys.evaluation_keys,
        "peak_bytes": peak_bytes(program, p, profile),
        "precision_bits": precision_bits(program, p, values),
        "error_band": band(profile, 1, program),
    }


def precision_bits(program: Program, p: CkksParameters, values: Any) -> float:
    """The predicted precision of the decrypted result."""
    noise = precision(program, p, gains(program, {"x": values}), {"result": values})
    return -log2(noise.noise**2 + noise.approximation**2) / 2


def foreseen(name: str) -> float:
    """The predicted precision of the set of this name."""
    of, asked = requests()[name]
    lib = library(of)
    p = lib.parameters(asked)
    assert isinstance(p, CkksParameters)
    job = bootstrap_job(lib, p)
    return precision_bits(job.program, p, job.inputs["x"])


def seen(program: Program, values: Any, m: Measurement) -> Json:
    least = {name: min(timing.cpu.seconds) for name, timing in m.phases.named().items()}
    error = results(program, m)["result"] - values
    assert m.memory is not None
    assert m.sizes is not None
    return {
        "evaluate_seconds": least["evaluate"],
        "evaluate_samples": list(m.phases.evaluate.cpu.seconds),
        "keygen_seconds": least["keygen"],
        "key_bytes": m.sizes.evaluation_key_bytes,
        "peak_bytes": m.memory.peak_bytes,
        "precision_bits": -log2(float(np.mean(np.square(error)))) / 2,
    }


def row(name: str, one: Json) -> str:
    """The line of a set: predicted / measured of each figure, and bits of precision."""
    head = f"{name:18} N={one.get('ring_dimension', 0):6} limbs={one.get('limbs', 0):3}"
    if "measured" not in one:
        return f"{head} {one.get('left_out')}"
    p, m = one["predicted"], one["measured"]

    def ratio(figure: str) -> str:
        return f"{p[figure] / m[figure]:6.3f}"

    return (
        f"{head} time {ratio('evaluate_seconds')} of {m['evaluate_seconds']:6.2f} s  "
        f"keygen {ratio('keygen_seconds')} of {m['keygen_seconds']:6.2f} s  "
        f"keys {'equal' if p['key_bytes'] == m['key_bytes'] else ratio('key_bytes')}  "
        f"memory {ratio('peak_bytes')} of {m['peak_bytes'] / GIB:5.2f} GiB  "
        f"bits {p['precision_bits']:5.2f} for {m['precision_bits']:5.2f}"
    )


def main() -> None:
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("names", nargs="*", help=", ".join(requests()))
    parser.add_argument("--store", default=None)
    parser.add_argument("--predict", action="store_true")
    parser.add_argument("--most-gib", type=float, default=8.0)
    parser.add_argument("--out", type=Path, default=None)
    given = parser.parse_args()
    known = requests()
    if unknown := [name for name in given.names if name not in known]:
        parser.error(f"there is no set {unknown[0]}; choose among {', '.join(known)}")
    told: Json = json.loads(given.out.read_text()) if given.out and given.out.exists() else {}
    with Store.open(given.store) as store:
        profiles = at_hand(store, ("openfhe", "lattigo"))
    for name in given.names or known:
        if not given.predict:
            told[name] = ran(*known[name], profiles, given.most_gib * GIB)
        elif "measured" in told.get(name, {}):
            told[name]["predicted"]["precision_bits"] = foreseen(name)
        else:
            continue
        print(row(name, told[name]), flush=True)
        if given.out:
            given.out.write_text(json.dumps(told, indent=1, default=str) + "\n")


def ran(of: str, asked: CkksRequest, profiles: dict[str, Profile], most: float) -> Json:
    """The figures of a set of this library, with its calibration and the machine."""
    profile = profiles[of]
    try:
        one = measured(of, asked, profile, most)
    except FheasibleError as error:
        one = {"library": of, "left_out": error.message}
    own = profile.bootstraps
    one["calibrated"] = {"profile": profile.created, "bootstraps": own.created if own else None}
    one["machine"] = this_machine().fingerprint
    return one


if __name__ == "__main__":
    main()
