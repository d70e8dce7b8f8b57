"""Code that `fheasible emit` writes, built and run: is its result right, and does it take what `run` takes?

    .venv/bin/python benchmarks/emitted.py [--example 4] [--target lattigo-go] [--passes 3] [--seal FOLDER]
        [--again] [--store FILE] [--out benchmarks/results/emitted.json]

For each example and each target it emits the set that `explore` recommends for the target's library, on the
example's own data, builds the code and starts client and server as processes of their own. The results are
compared with the cleartext ones: integers exactly, reals with the predicted precision.

For the time, the server and the library's worker (which `run` measures with) evaluate in turn, pass by pass,
each in a new process, once, with one thread and from the same state: no repetition before it. Both
are measured in CPU seconds by the worker's clock (that of the thread in Go, else of the process), and the
least of all passes counts. For this the server's clock is replaced; the rest of the code is what was emitted.

SEAL in C++ is looked for in --seal, as CMAKE_PREFIX_PATH; without it that target is left out. TFHE-rs is
compiled with what the worker was built from. What the file has is not run again, unless --again is given.
--table prints what it has as a table.
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from fheasible.api.emitting import Emitted, choose, emit_chosen
from fheasible.api.options import Options
from fheasible.api.platform import Silent
from fheasible.emission.targets.catalogue import TARGETS, target
from fheasible.errors import FheasibleError
from fheasible.exploration.judging.candidate import Candidate
from fheasible.exploration.lookups.candidate import LookupCandidate
from fheasible.exploration.problem.problem import Problem
from fheasible.libraries.catalogue import library
from fheasible.measurement.execute import RunOptions, RunPlan, execute
from fheasible.measurement.lookups import execute as execute_lookups
from fheasible.measurement.machine import this_machine
from fheasible.measurement.records import Measurement
from fheasible.measurement.registry import command

Json = dict[str, Any]
EXAMPLES = Path(__file__).parents[1] / "examples"
OUT = Path(__file__).parent / "results" / "emitted.json"
MARGIN_BITS = 2.0  # by which one run may be less precise than 999 of 1000 are
LIMIT = 3600.0  # seconds that any of the processes may take
ONCE = RunPlan(repetitions=1, warmup=0)


@dataclass(frozen=True, slots=True)
class Language:
    """How the code of a target is built and started, in its folder. `clock`: what is replaced in which file,
    so that the server tells its CPU seconds, to the microsecond; `added`: files that this takes."""

    build: Sequence[Sequence[str]]
    client: Sequence[str]
    server: Sequence[str]
    clock: tuple[str, Mapping[str, str]]
    added: Mapping[str, str]


def python(name: str) -> Language:
    own = command(name).argv[0]
    clock = {
        "from time import perf_counter": "from time import process_time as perf_counter",
        "{seconds:.3f}": "{seconds:.6f}",
    }
    return Language((), (own, "-m", "client"), (own, "-m", "server"), ("server/__main__.py", clock), {})


GO_CLOCK = """package main

import (
	"runtime"
	"syscall"
)

// cpuSeconds are those of the executing thread, as in the worker: garbage is collected in others.
func cpuSeconds() float64 {
	runtime.LockOSThread()
	const thread = 1 // RUSAGE_THREAD
	var used syscall.Rusage
	if err := syscall.Getrusage(thread, &used); err != nil {
		panic(err)
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}
"""


def go() -> Language:
    clock = {
        "start := time.Now()": "start := cpuSeconds()",
        "time.Since(start).Seconds()": "cpuSeconds() - start",
        '\t"time"\n': "",
        "%.3f": "%.6f",
    }
    build = (("mkdir", "-p", "bin"), ("go", "build", "-o", "bin/", "./client", "./server"))
    return Language(
        build, ("bin/client",), ("bin/server",), ("server/main.go", clock), {"server/clock.go": GO_CLOCK}
    )


def cpp(prefix: Path) -> Language:
    clock = {
        "#include <chrono>": "#include <ctime>",
        "const auto start = std::chrono::steady_clock::now();": "const auto start = std::clock();",
        "const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;": (
            "const double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;"
        ),
        "seconds.count()": "seconds",
    }
    build = (
        ("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}"),
        ("cmake", "--build", "build"),
    )
    return Language(build, ("build/client",), ("build/server",), ("server/main.cpp", clock), {})


RUST_CLOCK = """fn cpu_seconds() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) }, 0);
    t.tv_sec as f64 + 1e-9 * t.tv_nsec as f64
}

fn main() {"""


def rust(place: Path) -> Language:
    """With hard links to what cargo compiled for the worker: TFHE-rs itself takes minutes."""
    built = place / "cargo"
    if not built.exists():
        shutil.copytree(command("tfhe_rs").folder / "target", built, copy_function=os.link)
    clock = {
        "use std::time::Instant;\n": "",
        "fn main() {": RUST_CLOCK,
        "let start = Instant::now();": "let start = cpu_seconds();",
        "start.elapsed().as_secs_f64()": "cpu_seconds() - start",
        "{seconds:.3}": "{seconds:.6}",
    }
    build = (
        # with libc's usual features, which the worker uses, cargo need not compile TFHE-rs anew
        ("sed", "-i", 's/^\\[dependencies\\]$/[dependencies]\\nlibc = "0.2"/', "Cargo.toml"),
        ("env", f"CARGO_TARGET_DIR={built}", "cargo", "build", "--release", "--quiet", "--offline"),
    )
    programs = built / "release"
    return Language(build, (f"{programs}/client",), (f"{programs}/server",), ("server/main.rs", clock), {})


def language(name: str, place: Path, seal: Path | None) -> Language | str:
    """How the target is built and started, or why that cannot be done here."""
    if name == "openfhe-cpp":
        return "not built: OpenFHE has no C++ library here"
    if name == "seal-cpp":
        return cpp(seal) if seal else "not built: --seal was not given"
    if name == "lattigo-go":
        return go()
    return rust(place) if name == "tfhe-rs" else python(target(name).library)


def main() -> None:
    given = arguments()
    found = json.loads(given.out.read_text()) if given.out.exists() else {"cases": {}}
    if given.table:
        print("\n".join(table(found["cases"])))
        return
    files = sorted(EXAMPLES.glob("[0-9]*.py"), key=lambda file: int(file.name.partition("_")[0]))
    with tempfile.TemporaryDirectory() as place:
        for file in files:
            if given.example and int(file.name.partition("_")[0]) not in given.example:
                continue
            for name in given.target or TARGETS:
                key = f"{file.stem} {name}"
                if key in found["cases"] and not given.again:
                    continue
                case = tried(file, name, Path(place), given)
                if case is None:
                    continue
                found["cases"][key] = case
                found["machine"] = asdict(this_machine())
                given.out.write_text(json.dumps(found, indent=1) + "\n")
                print(key, said(case), flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--example", type=int, action="append", help="its number; may be repeated")
    parser.add_argument("--target", choices=TARGETS, action="append", help="may be repeated")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--seal", type=Path, help="where SEAL's C++ library is installed")
    parser.add_argument("--again", action="store_true", help="also what the file has")
    parser.add_argument("--table", action="store_true", help="print the table of what the file has")
    parser.add_argument("--store", type=Path, help="the store with the calibration")
    parser.add_argument("--out", type=Path, default=OUT)
    return parser.parse_args()


def tried(file: Path, name: str, place: Path, given: argparse.Namespace) -> Json | None:
    """The outcome of one example with one target; None where the target cannot be built here at all."""
    to, how = target(name), language(name, place, given.seal)
    if isinstance(how, str):
        print(f"{file.stem} {name}: {how}")
        return None
    if name != "seal-cpp" and not command(to.library).installed:
        print(f"{file.stem} {name}: {to.library} is not installed")
        return None
    begun = process_time()
    asked = Options(libraries=(to.library,))
    try:
        problem, c = choose(str(file), to, asked, None, Silent(given.store))
        searched = process_time() - begun
        with tempfile.TemporaryDirectory(dir=place) as inner:
            folder = Path(inner) / "out"
            made = emit_chosen(problem, c, to, str(file), folder)
            case = executed(made, problem, c, how, folder, given.passes)
    except FheasibleError as error:
        return {"refused": str(error).splitlines()[0]}
    return described(c) | case | {"search_cpu_seconds": round(searched, 1)}


def described(c: Candidate | LookupCandidate) -> Json:
    if isinstance(c, Candidate):
        return {
            "scheme": c.scheme,
            "ring_dimension": c.parameters.ring_dimension,
            "primes": c.parameters.limbs,
            "operations": len(c.program.operations),
            "bootstraps": c.program.bootstrap_count,
        }
    return {"scheme": "tfhe", "lookups": c.encoded.lookups, "operations": len(c.encoded.program.steps)}


def executed(
    made: Emitted, problem: Problem, c: Candidate | LookupCandidate, how: Language, folder: Path, passes: int
) -> Json:
    """The code's results, and CPU seconds of the server beside those of the worker."""
    path, clock = how.clock
    text = (folder / path).read_text()
    for old, new in clock.items():
        assert old in text, f"{path} has no {old!r}"
        text = text.replace(old, new)
    (folder / path).write_text(text)
    for added, content in how.added.items():
        (folder / added).write_text(content)
    for words in (*how.build, (*how.client, "keys"), (*how.client, "encrypt")):
        called(words, folder)
    emitted, run = [], []
    for _ in range(passes):
        emitted.append(evaluated(how.server, folder))
        run.append(measured(problem, c))
    called((*how.client, "decrypt"), folder)
    seconds = [float(m.phases.evaluate.cpu.seconds[0]) for m in run]
    return judged(made, folder) | {
        "emitted_cpu_seconds": emitted,
        "run_cpu_seconds": seconds,
        "ratio": min(emitted) / min(seconds),
        "library": f"{run[0].hello.library} {run[0].hello.version}",
    }


def called(words: Sequence[str], folder: Path) -> str:
    one = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(words, cwd=folder, env=one, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode:
        raise FheasibleError(f"{words} in {folder}: {done.stderr[-2000:]}")
    return done.stdout


def evaluated(server: Sequence[str], folder: Path) -> float:
    """The CPU seconds that the server tells."""
    return float(called(server, folder).split("evaluated in ")[1].split(" s")[0])


def measured(problem: Problem, c: Candidate | LookupCandidate) -> Measurement:
    sizes = RunOptions(sizes=False)
    if isinstance(c, Candidate):
        told = library(c.library).worker_parameters(c.parameters)
        return execute(c.library, c.program, told, problem.data, ONCE, sizes, timeout=LIMIT)
    told = c.library.worker_parameters(c.scheme, c.parameters)
    return execute_lookups(
        c.library.worker_of, c.encoded.program, told, problem.data, ONCE, sizes, timeout=LIMIT
    )


def judged(made: Emitted, folder: Path) -> Json:
    """Whether the decrypted results are the cleartext ones, as precisely as predicted."""
    told = json.loads((folder / "parameters.json").read_text())
    files = {v["name"]: folder / "client" / "results" / f"{v['file']}.txt" for v in told["outputs"]}
    found = {
        name: np.array([float(line) for line in path.read_text().split()]) for name, path in files.items()
    }
    truth = {name: np.asarray(v, dtype=np.float64) for name, v in made.facts.expected.items()}
    error = max(float(np.abs(found[name] - truth[name]).max()) for name in truth)
    largest = max(float(np.abs(v).max()) for v in truth.values())
    bits = made.candidate["estimate"].get("precision_bits")
    if bits is None or made.candidate.get("rounded", False):
        return {"right": error == 0, "predicted_bits": None, "found_bits": None}
    bits_found = float(np.log2(largest / error)) if error else None
    right = bits_found is None or bits_found >= bits - MARGIN_BITS
    return {"right": right, "predicted_bits": bits, "found_bits": bits_found}


def said(case: Json) -> str:
    if "refused" in case:
        return case["refused"]
    bits = (
        "exact"
        if case["predicted_bits"] is None
        else (f"{case['predicted_bits']:.1f} bits predicted, {case['found_bits'] or np.inf:.1f} found")
    )
    right = "right" if case["right"] else "WRONG"
    return f"{right}, {bits}, {min(case['emitted_cpu_seconds']):.3f} s, ratio {case['ratio']:.3f}"


def table(cases: Mapping[str, Json]) -> Iterator[str]:
    """The cases that were run as a table: in each cell the bits that were predicted and found, and the ratio
    of times."""
    targets = [name for name in TARGETS if any(key.endswith(f" {name}") for key in cases)]
    yield f"| example | {' | '.join(f'`{name}`' for name in targets)} |"
    yield "|---" * (len(targets) + 1) + "|"
    examples = {key.split()[0] for key, case in cases.items() if "refused" not in case}
    for example in sorted(examples, key=lambda name: int(name.partition("_")[0])):
        cells = [_cell(cases.get(f"{example} {name}")) for name in targets]
        yield f"| {' | '.join((example, *cells))} |"


def _cell(case: Json | None) -> str:
    if case is None or "refused" in case:
        return "" if case is None else "nothing fits"
    if not case["right"]:
        return "wrong"
    bits = "exact" if case["predicted_bits"] is None else _bits(case)
    return f"{bits}, {case['ratio']:.2f}"


def _bits(case: Json) -> str:
    found = "all" if case["found_bits"] is None else f"{case['found_bits']:.1f}"
    return f"{case['predicted_bits']:.1f} / {found}"


if __name__ == "__main__":
    main()
