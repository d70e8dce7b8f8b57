"""HEIR: its compiler makes Go code for Lattigo, with parameters of its choice, which is built and run.

The options are those of its guide (docs/content/en/docs/getting_started.md), with as many slots as the
inputs have elements (of the network 1,024). The version of Lattigo is the one that the guide names. The
network's weights are arguments, as in HEIR's own MNIST example. Takes what harness.py says, and needs Go on
the PATH.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
EARLIER = HERE.parent.parent / "heir"  # applications of which the parameters alone were compared before
PIPELINES = {
    "variance": ("ckks", 4096, EARLIER / "variance.mlir"),
    "squarings": ("bgv", 4096, EARLIER / "squarings.mlir"),
    "network": ("ckks", 1024, HERE / "network" / "network.mlir"),
}
GO = ("go", "/usr/local/go/bin/go", "/usr/lib/go/bin/go")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("application", choices=PIPELINES)
    parser.add_argument("inputs")
    parser.add_argument("--repetitions", default="2")
    given = parser.parse_args()
    folder = Path(sys.prefix) / "build" / given.application
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    scheme = compiled(given.application, folder)
    written(given.inputs, folder / "inputs")
    one = os.environ | {"GOMAXPROCS": "1"}
    run = [folder / "program", folder / "inputs", given.repetitions]
    told = json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE, env=one).stdout)
    parameters = {"scheme": scheme} | chosen((folder / "compiled.go").read_text())
    print(json.dumps({"version": version("heir_py"), "parameters": parameters} | told))


def compiled(application, folder):
    """The scheme. The folder gets the program."""
    scheme, slots, source = PIPELINES[application]
    opt, translate = (Path(sys.executable).with_name(name) for name in ("heir-opt", "heir-translate"))
    pipeline = [
        f"--annotate-module=backend=lattigo scheme={scheme}",
        f"--mlir-to-{scheme}=min-slot-count={slots}",
        "--scheme-to-lattigo",
    ]
    lowered = step([opt, *pipeline, source])
    code = step([translate, "--emit-lattigo", "--package-name=main"], lowered)
    (folder / "compiled.go").write_text(code)
    for file in ("go.mod", "go.sum", "clock.go", f"{application}/main.go"):
        shutil.copy(HERE / file, folder)
    go = next((path for name in GO if (path := shutil.which(name))), None)
    if go is None:
        sys.exit("HEIR's output is Go code, and there is no Go here")
    step([go, "build", "-C", folder, "-o", "program", "."])
    return scheme


def step(argv, text=None):
    done = subprocess.run(argv, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{Path(argv[0]).name}: {done.stderr.strip()}")
    return done.stdout


def written(inputs, folder):
    """The arrays as float32, for a program without numpy's format."""
    import numpy as np

    folder.mkdir()
    for name, values in np.load(inputs).items():
        values.astype("<f4").tofile(folder / name)


def chosen(code):
    """The parameters in the code."""

    def number(name):
        found = re.search(rf"\b{name}: (\d+),", code)
        return found and int(found[1])

    def bits(name):
        found = re.search(rf"\b{name}: \[\]uint64{{([\d, ]+)}}", code)
        return [int(prime).bit_length() for prime in found[1].split(",")]

    log_n, scale = number("LogN"), number("LogDefaultScale")
    told = {"ring_dimension": 1 << log_n, "q_bits": bits("Q"), "p_bits": bits("P")}
    return told | ({} if scale is None else {"scale_bits": scale})


if __name__ == "__main__":
    main()
