"""Makes hybrid_points.json: what [LatticeEstimator] says that single choices of the hybrid attacks cost.

Its search for the best choice takes from minutes to hours at large n; one choice takes seconds, and pins the
formulas there. Runs like make_lattice_estimator.py, outside this project's environment:

    PYTHONPATH=lattice-estimator env/bin/python make_hybrid_points.py hybrid_points.json

A choice: n, log2 q, secret, cost model, attack, guessed coordinates zeta, block size beta and, for dual
attacks, the non-zeros h1 among the guessed ones. Unlimited samples, errors of width 3.19.
"""

import json
import sys
from functools import partial
from math import log2
from pathlib import Path

from estimator import LWE, ND  # type: ignore[import-not-found]
from estimator.cost import Cost  # type: ignore[import-not-found]
from estimator.lwe_dual import DualHybrid  # type: ignore[import-not-found]
from estimator.lwe_guess import exhaustive_search, mitm  # type: ignore[import-not-found]
from estimator.lwe_primal import PrimalHybrid  # type: ignore[import-not-found]
from estimator.reduction import RC  # type: ignore[import-not-found]
from sage.all import oo  # type: ignore[import-not-found]

MODELS = {
    "matzov": RC.MATZOV,
    "bdgl16": RC.BDGL16,
    "adps16": RC.ADPS16,
    "laamospol14": RC.LaaMosPol14,
    "chaloy21": RC.ChaLoy21,
}
SOLVERS = {
    "dual_enumeration_hybrid": exhaustive_search,
    "dual_mitm_hybrid": partial(mitm, optimization="analytical"),
}
NAMES = ("n", "log_q", "secret", "model", "attack", "guessed", "block_size", "weight")
CHOICES = (
    (1 << 17, 3400, "sparse:192", "matzov", "bdd_hybrid", 6231, 311, None),
    (1 << 17, 3400, "sparse:192", "matzov", "bdd_mitm_hybrid", 11326, 294, None),
    (1 << 17, 3400, "sparse:192", "matzov", "dual_enumeration_hybrid", 9475, 299, 9),
    (1 << 17, 3400, "sparse:192", "matzov", "dual_mitm_hybrid", 17550, 271, 16),
    (1 << 17, 2000, "sparse:256", "laamospol14", "bdd_hybrid", 13429, 611, None),
    (1 << 17, 2000, "sparse:256", "laamospol14", "bdd_mitm_hybrid", 20535, 566, None),
    (1 << 17, 2000, "sparse:256", "laamospol14", "dual_enumeration_hybrid", 14998, 600, 15),
    (1 << 17, 2000, "sparse:256", "laamospol14", "dual_mitm_hybrid", 24351, 540, 27),
    (1 << 16, 1300, "sparse:128", "chaloy21", "bdd_hybrid", 6898, 420, None),
    (1 << 16, 1300, "sparse:128", "chaloy21", "bdd_mitm_hybrid", 11660, 378, None),
    (1 << 16, 1300, "sparse:128", "chaloy21", "dual_enumeration_hybrid", 10070, 389, 7),
    (1 << 16, 1300, "sparse:128", "chaloy21", "dual_mitm_hybrid", 13079, 364, 13),
    (1 << 15, 790, "sparse:192", "matzov", "bdd_hybrid", 1995, 341, None),
    (1 << 15, 790, "sparse:192", "matzov", "bdd_mitm_hybrid", 4149, 313, None),
    (1 << 15, 790, "sparse:192", "matzov", "dual_enumeration_hybrid", 3227, 321, 11),
    (1 << 15, 790, "sparse:192", "matzov", "dual_mitm_hybrid", 5016, 299, 20),
    (1 << 14, 280, "sparse:64", "bdgl16", "bdd_hybrid", 7711, 241, None),
    (1 << 14, 280, "sparse:64", "bdgl16", "bdd_mitm_hybrid", 8475, 222, None),
    (1 << 14, 280, "sparse:64", "bdgl16", "dual_enumeration_hybrid", 8346, 217, 7),
    (1 << 14, 280, "sparse:64", "bdgl16", "dual_mitm_hybrid", 8911, 208, 14),
    (1 << 12, 75, "sparse:192", "adps16", "bdd_hybrid", 640, 460, None),
    (1 << 12, 75, "sparse:192", "adps16", "bdd_mitm_hybrid", 1100, 420, None),
    (1 << 12, 75, "sparse:192", "adps16", "dual_enumeration_hybrid", 660, 440, 17),
    (1 << 12, 75, "sparse:192", "adps16", "dual_mitm_hybrid", 1500, 440, 40),
    (
        1 << 10,
        16,
        "sparse:64",
        "matzov",
        "bdd_hybrid",
        450,
        150,
        None,
    ),  # calls in few dimensions, often wrong
    (1 << 10, 16, "sparse:64", "matzov", "bdd_hybrid", 700, 320, None),
    # the secrets of bootstrapping in Lattigo: main ones of weight 192, ephemeral ones of weight 32
    (1 << 16, 1546, "sparse:192", "matzov", "bdd_mitm_hybrid", 8450, 318, None),
    (1 << 16, 1546, "sparse:192", "matzov", "dual_mitm_hybrid", 10612, 301, 19),
    (1 << 16, 121, "sparse:32", "matzov", "bdd_hybrid", 62868, 135, None),
    (1 << 16, 121, "sparse:32", "matzov", "bdd_mitm_hybrid", 61985, 252, None),
    (1 << 16, 121, "sparse:32", "matzov", "dual_enumeration_hybrid", 62469, 184, 5),
    (1 << 16, 121, "sparse:32", "matzov", "dual_mitm_hybrid", 62457, 225, 12),
    (1 << 15, 84, "sparse:32", "chaloy21", "dual_enumeration_hybrid", 30483, 211, 3),
    (1 << 15, 84, "sparse:32", "chaloy21", "dual_mitm_hybrid", 30348, 289, 9),
    (1 << 10, 16, "sparse:64", "matzov", "bdd_mitm_hybrid", 600, 200, None),
)


def main(path):
    Cost.register_impermanent(rop=True, mem=False, red=True, m=True, d=False, zeta=False, h1=False)
    Cost.register_impermanent(beta=False, delta=False, k=False)
    rows = [{**dict(zip(NAMES, choice, strict=True)), "bits": _bits(*choice)} for choice in CHOICES]
    Path(path).write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n")


def _bits(n, log_q, secret, model, attack, guessed, block_size, weight):
    half = int(secret.removeprefix("sparse:")) // 2
    keys = ND.SparseTernary(half, half, n)
    given = LWE.Parameters(n=n, q=2**log_q, Xs=keys, Xe=ND.DiscreteGaussian(3.19), m=oo).normalize()
    choice = {"params": given, "beta": block_size, "zeta": guessed, "red_cost_model": MODELS[model]}
    if attack in SOLVERS:
        return log2(DualHybrid.cost(SOLVERS[attack], h1=weight, log_level=5, **choice)["rop"])
    meet = attack == "bdd_mitm_hybrid"
    return log2(PrimalHybrid.cost(babai=meet, mitm=meet, m=oo, **choice)["rop"])


if __name__ == "__main__":
    main(*sys.argv[1:])
