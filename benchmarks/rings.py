"""The ring schemes: multiplication beside SEAL's, sweeps, a large run, `count`, and predicted memory.

    .venv/bin/python benchmarks/rings.py [--out benchmarks/results/rings.json]

Prints a table, and keeps every sample with its environment. CPU times are the least of the samples: other
load on the machine only ever adds. Multiplications need SEAL's environment (make libraries).
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fheasible.circuit.load import load
from fheasible.exploration.sweeps.axes import Axis, Combinations
from fheasible.exploration.sweeps.ring_analysis import Subject, analyse, analyses
from fheasible.exploration.sweeps.ring_grid import Grid, Point, parameters
from fheasible.measurement.environment import observe
from fheasible.measurement.machine import load as load_average
from fheasible.measurement.ring_job import RingJob
from fheasible.measurement.ring_run import LIBRARY, attempt, execute, hello
from fheasible.rings.element import Element
from fheasible.rings.exact import ExactRing
from fheasible.schemes.call import ALL
from fheasible.schemes.catalogue import SCHEMES
from fheasible.schemes.fv import FV
from fheasible.schemes.parameters import RingParameters

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[1]
SEAL = (str(ROOT / "workers/seal/.venv/bin/python"), str(ROOT / "benchmarks/seal_multiply.py"))
TEN_PRODUCTS = ROOT / "examples/7_ten_products.py"
FHEASIBLE = str(Path(sys.executable).with_name("fheasible"))
MIB = 2**20
ROUNDS = 8  # turns of each process
SIZES = ((4096, 300), (2048, 150), (8192, 300), (16384, 420), (32768, 880))
COUNT = ["count", "fv", "multiply", "--n", "4096", "--log-q", "300", "--log-w", "2", "--t", "2", "--json"]
LARGE = {"n": 32768, "log_q": 880, "t": 2, "log_w": 60, "sigma": 3.2}
SETS = (
    Axis("n", (1024, 2048, 4096, 8192, 16384, 32768)),
    Axis("log_w", (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 60)),
    Axis("log_q", tuple(range(60, 900, 4))),
)
MEMORY = (
    ("fv", 2048, 60, 4), ("fv", 4096, 300, 2), ("fv", 4096, 300, 60), ("fv", 8192, 220, 20),
    ("fv", 32768, 880, 60),
    ("yashe", 4096, 300, 2), ("yashe", 8192, 440, 30), ("yashe", 16384, 500, 8),
    ("fntru", 2048, 60, 2), ("fntru", 4096, 100, 4), ("fntru", 8192, 200, 20),
    ("shield", 1024, 60, 1), ("shield", 2048, 110, 6), ("shield", 4096, 110, 20),
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks/results/rings.json")
    out = parser.parse_args().out
    before = observe(LIBRARY, seed=1, hello=hello())
    found = {
        "multiplication": shown(multiplications(), multiplication_line),
        "sweep": shown(sweeps(), sweep_line),
        "count": shown(counts(), count_line),
        "large_run": shown(large_run(), large_line),
        "memory": shown(memory(), memory_line),
    }
    document = {"environment": before.finished().to_json(), **found}
    out.write_text(json.dumps(document, indent=1) + "\n")


def shown(rows: Iterator[Json], line: Callable[[Json], str]) -> list[Json]:
    kept = []
    for row in rows:
        print(line(row), flush=True)
        kept.append(row)
    return kept


# -- one product of ciphertexts, beside SEAL's


def multiplications() -> Iterator[Json]:
    """At equal n and equal ciphertext modulus; SEAL's special prime comes on top. At the first size also with
    the special prime among the bits, where SEAL's ciphertexts have a smaller modulus."""
    for n, log_q in SIZES:
        yield against_seal(n, log_q, [*primes(log_q), 60])
    n, log_q = SIZES[0]
    yield against_seal(n, log_q, primes(log_q))


def primes(log_q: int) -> list[int]:
    """Bits of the fewest primes of at most 60 that make log_q, as equal as may be."""
    count = -(-log_q // 60)
    return [log_q // count + (i < log_q % count) for i in range(count)]


def against_seal(n: int, log_q: int, bits: list[int]) -> Json:
    """Two processes that take turns: CPU seconds of each tensor product, rounded and reduced."""
    each = max(2, 2**17 // n)
    multiply, correct = our_product(n, log_q)
    ours, theirs, loads = [], [], []
    with seal(n, bits) as told:
        head = json.loads(told.stdout.readline())
        for number in range(ROUNDS + 1):
            own = [cpu(multiply) for _ in range(each)]
            told.stdin.write(f"{each}\n")
            told.stdin.flush()
            other = json.loads(told.stdout.readline())
            if number:  # the first turn warms up
                ours, theirs, loads = ours + own, theirs + other, [*loads, load_average()]
        told.stdin.close()
    return {
        "n": n,
        "log_q": log_q,
        "seal_primes": bits,
        "seal_log_q": head["log_q"],
        "seal_version": head["version"],
        "correct": correct and head["correct"],
        "ours_seconds": min(ours),
        "seal_seconds": min(theirs),
        "ratio": min(ours) / min(theirs),
        "ours_samples": ours,
        "seal_samples": theirs,
        "loads": loads,
    }


def seal(n: int, bits: Sequence[int]) -> "subprocess.Popen[str]":
    command = (*SEAL, str(n), ",".join(map(str, bits)))
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def our_product(n: int, log_q: int) -> tuple[Callable[[], Element], bool]:
    """FV's tensor product, and whether it decrypts to the product of what was encrypted."""
    p = RingParameters(n, log_q, 2, 60)
    assert p.modulus is not None
    ring = ExactRing(n, p.modulus, 1)
    scheme = FV(ring, p.spec)
    keys = scheme.keygen()
    c, d = (scheme.encrypt(keys, scheme.message(bits)) for bits in ([1, 0, 0, 1], [0, 1, 0, 0, 0, 0, 0, 1]))
    plain = scheme.decrypt(keys, scheme.relinearize(keys, scheme.tensor(c, d)))
    places = [i for i, bit in enumerate(ring.coefficients(plain)[0, 0]) if bit]
    return lambda: scheme.tensor(c, d), places == [1, 4, 7, 10]


def cpu(function: Callable[[], Any]) -> float:
    begun = time.process_time()
    function()
    return time.process_time() - begun


# -- parameter sets a second


def sweeps() -> Iterator[Json]:
    application = load(str(TEN_PRODUCTS)).trace()
    for kind in SCHEMES.values():
        for subject in (Subject.function(kind, ALL), Subject.of_application(kind, application)):
            yield sweep(subject)


def sweep(subject: Subject, repetitions: int = 5) -> Json:
    """The analyses alone, and with every row written to a table by the command line, its start included."""
    grid = Combinations(SETS, {"t": 2, "sigma": 3.2})
    analysed = [cpu(lambda: consume(subject, grid)) for _ in range(repetitions)]
    commanded = [command_seconds(swept(subject)) for _ in range(2)]
    return {
        "scheme": subject.scheme.name,
        "what": subject.what,
        "sets": len(grid),
        "sets_per_second": len(grid) / min(analysed),
        "command_sets_per_second": len(grid) / min(c["cpu"] for c in commanded),
        "samples": analysed,
        "command_samples": commanded,
        "load": load_average(),
    }


def consume(subject: Subject, grid: Grid) -> int:
    """All figures of all sets, row by row."""
    return sum(1 for found in analyses(subject, grid) for _ in found.rows())


def swept(subject: Subject) -> list[str]:
    name = subject.scheme.name
    what = [name] if subject.application is None else [str(TEN_PRODUCTS), "--scheme", name]
    vary = [f"{axis.name}={','.join(map(str, axis.values))}" for axis in SETS]
    options = [word for setting in vary for word in ("--vary", setting)]
    return [
        "sweep",
        *([subject.scheme.name] if subject.application is None else what),
        *options,
        "--fix",
        "t=2",
    ]


def command_seconds(arguments: Sequence[str]) -> Json:
    """Wall and CPU seconds of the command line in a process of its own."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        table = ["--csv", f"{folder}/sets.csv"] if arguments[0] == "sweep" else []
        subprocess.run([FHEASIBLE, *arguments, *table], check=True, capture_output=True)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall": wall, "cpu": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


# -- the command `count`


def counts(repetitions: int = 9) -> Iterator[Json]:
    samples = [command_seconds(COUNT) for _ in range(repetitions)]
    least = {f"{clock}_seconds": min(s[clock] for s in samples) for clock in ("wall", "cpu")}
    worst = {"worst_wall_seconds": max(s["wall"] for s in samples)}
    command = " ".join(("fheasible", *COUNT))
    yield {"command": command, **least, **worst, "samples": samples, "load": load_average()}


# -- really run


def large_run() -> Iterator[Json]:
    """Key generation, encryption, addition, multiplication and decryption, each result compared."""
    predicted = predicted_bytes("fv", LARGE)
    record = attempt(RingJob(FV, ALL, parameters([LARGE]), repetitions=3), predicted)
    assert record.measurement is not None, record.message
    yield {
        "parameters": LARGE,
        "predicted_bytes": predicted,
        "predicted_correct": bool(analyse(Subject.function(FV, ALL), [LARGE]).correct[0]),
        **record.measurement,
        "process_bytes": record.measurement["baseline_bytes"] + record.measurement["peak_bytes"],
        "loads": [record.environment[key] for key in ("load_before", "load_after")],
    }


def memory() -> Iterator[Json]:
    """Bytes above those of the process before, predicted without a profile and measured."""
    for name, n, log_q, log_w in MEMORY:
        point = {"n": n, "log_q": log_q, "t": 2, "log_w": log_w, "sigma": 3.2}
        predicted = predicted_bytes(name, point)
        answer = execute(RingJob(SCHEMES[name], ALL, parameters([point]), repetitions=1))
        measured = answer["peak_bytes"]
        told = {key: answer[key] for key in ("baseline_bytes", "phase_peak_bytes", "correct")}
        figures = {
            "predicted_bytes": predicted,
            "measured_bytes": measured,
            "error": predicted / measured - 1,
        }
        yield {"scheme": name, **point, **figures, **told}


def predicted_bytes(name: str, point: Point) -> int:
    return int(analyse(Subject.function(SCHEMES[name], ALL), [point]).peak_bytes[0])


# -- one line each


def multiplication_line(r: Json) -> str:
    ours, theirs = 1e3 * r["ours_seconds"], 1e3 * r["seal_seconds"]
    return (
        f"FV product  n = {r['n']:5}  log q = {r['log_q']:3}  ours {ours:8.2f} ms   SEAL "
        f"({r['seal_log_q']} bits + {r['seal_primes'][-1]}) {theirs:8.2f} ms   ratio {r['ratio']:.2f}"
    )


def sweep_line(r: Json) -> str:
    return (
        f"sweep  {r['scheme']:7}{r['what']:14}{r['sets']:6} sets  {r['sets_per_second']:9,.0f} a second"
        f"   with the command's start and a table {r['command_sets_per_second']:8,.0f}"
    )


def count_line(r: Json) -> str:
    return (
        f"count  wall {r['wall_seconds']:.2f} s (worst {r['worst_wall_seconds']:.2f}), "
        f"CPU {r['cpu_seconds']:.2f} s"
    )


def large_line(r: Json) -> str:
    phases = "  ".join(f"{name} {times['min']:.2f} s" for name, times in r["cpu_seconds"].items())
    return (
        f"FV n = {LARGE['n']}, log q = {LARGE['log_q']}, log w = {LARGE['log_w']}: peak "
        f"{r['peak_bytes'] / MIB:.0f} MiB, predicted {r['predicted_bytes'] / MIB:.0f}, whole process "
        f"{r['process_bytes'] / MIB:.0f};  {phases};  correct: {r['correct']}"
    )


def memory_line(r: Json) -> str:
    predicted, measured = (r[f"{kind}_bytes"] / MIB for kind in ("predicted", "measured"))
    return (
        f"memory  {r['scheme']:7} n = {r['n']:5}  log q = {r['log_q']:3}  log w = {r['log_w']:2}   predicted "
        f"{predicted:7.1f} MiB   measured {measured:7.1f}   {r['error']:+.1%}"
    )


if __name__ == "__main__":
    main()
