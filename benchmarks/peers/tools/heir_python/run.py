"""HEIR's Python front end, which runs what it compiles by OpenFHE.

It compiles C++ against the headers and libraries of an OpenFHE that is installed on the system. The code is
that of its README, on a vector.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
from harness import SQUARINGS, Prepared, main
from heir import compile as compiled
from heir.mlir import I16, Secret, Tensor


def prepare(application, inputs):
    @compiled(scheme="bgv")
    def squarings(x: Secret[Tensor[4096, I16]]):
        for _ in range(SQUARINGS):
            x = x * x
        return x

    squarings.setup()
    parameters = {"scheme": "bgv"}
    return Prepared(
        parameters,
        lambda: squarings.encrypt_x(inputs["x"].tolist()),
        squarings.eval,
        squarings.decrypt_result,
    )


if __name__ == "__main__":
    main("heir_py", prepare)
