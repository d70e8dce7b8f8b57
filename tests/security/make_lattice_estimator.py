"""Makes lattice_estimator.json: figures of [LatticeEstimator] that our estimator is tested against.

It runs outside this project's environment, beside a checkout of lattice-estimator at commit 27a581b:

    python3.11 -m venv env && env/bin/pip install passagemath-standard passagemath-symbolics
    PYTHONPATH=lattice-estimator env/bin/python make_lattice_estimator.py lattice_estimator.json [hybrid]

Unlimited samples, shapes by the geometric series assumption, errors of width 3.19. A second call continues
where the first was stopped. With `hybrid` the attacks that guess part of a sparse secret come too: seconds at
n = 2^10, ten minutes each at n = 2^15.
"""

import json
import sys
import time
from functools import partial
from math import floor, log2
from pathlib import Path

from estimator import LWE, ND, NTRU  # type: ignore[import-not-found]
from estimator.lwe_dual import dual_hybrid  # type: ignore[import-not-found]
from estimator.reduction import RC  # type: ignore[import-not-found]
from sage.all import oo  # type: ignore[import-not-found]

SIGMA = 3.19
MODELS = {
    "matzov": RC.MATZOV,
    "bdgl16": RC.BDGL16,
    "adps16": RC.ADPS16,
    "laamospol14": RC.LaaMosPol14,
    "chaloy21": RC.ChaLoy21,
}
# log2 q at 256, 192 and 128 bits by the Guidelines (ternary), and just above the last.
LIMITS = {
    10: (15, 18, 26, 28),
    11: (27, 36, 53, 56),
    12: (56, 73, 106, 111),
    13: (114, 147, 214, 222),
    14: (230, 297, 430, 445),
    15: (462, 597, 868, 897),
    16: (929, 1199, 1747, 1800),
    17: (1866, 2411, 3523, 3620),
}
DENSE = ("ternary", "gaussian")
WEIGHTS = (64, 128, 192, 256)
TORUS = ((500, 32), (636, 32), (742, 32), (800, 32), (1024, 32), (1100, 64), (1024, 64), (2048, 64))
NTRU_LOG_N = (9, 10, 11, 12, 13)


def main(path, *words):
    rows = json.loads(Path(path).read_text()) if Path(path).exists() else []
    done = {_key(row) for row in rows}
    for row, attack in _work("hybrid" in words):
        if _key(row) in done:
            continue
        begun = time.time()
        rows.append(row | _figures(attack))
        print(f"{time.time() - begun:.1f} s", rows[-1], flush=True)
        Path(path).write_text("[\n" + ",\n".join(json.dumps(r) for r in rows) + "\n]\n")


def _key(row):
    names = ("problem", "n", "log_q", "secret", "sigma", "model", "attack")
    return tuple(row[name] for name in names)


def _work(hybrids):
    quick, others = ("usvp", "dual_hybrid"), tuple(name for name in MODELS if name != "matzov")
    yield from _lwe(_dense_sets(), quick, ("matzov",))
    yield from _lwe(_torus_sets(), (*quick, "bdd"), ("matzov",))
    yield from _lwe(_sparse_sets((10, 12, 15)), quick, ("matzov",))
    yield from _lwe(_few_sets((10, 12, 15)), quick, others)
    yield from _ntru(("usvp", "dsd"), ("matzov",))
    yield from _lwe(_dense_sets(12), ("bdd",), ("matzov",))  # minutes each in large rings
    yield from _lwe([(1 << k, LIMITS[k][2], "ternary") for k in range(13, 18)], ("bdd",), ("matzov",))
    yield from _lwe(_few_sets((10, 12)), ("bdd",), ("adps16", "laamospol14"))
    yield from _ntru(("bdd",), ("matzov",), (9, 10, 11))
    yield from _ntru(("usvp", "dsd"), ("adps16", "bdgl16"), (12,))
    if hybrids:
        yield from _hybrid(others)


def _hybrid(others):
    attacks = ("bdd_hybrid", "bdd_mitm_hybrid", "dual_enumeration_hybrid", "dual_mitm_hybrid")
    for log_n in (10, 11, 12, 13):
        yield from _lwe(_sparse_sets((log_n,)), attacks, ("matzov",))
    yield from _lwe([(1 << 11, 45, "sparse:192")], attacks, others)
    yield from _lwe([(1 << 14, 400, "sparse:192"), (1 << 15, 790, "sparse:192")], attacks, ("matzov",))


def _dense_sets(largest=17):
    for log_n, limits in LIMITS.items():
        for log_q in limits if log_n <= largest else ():
            for secret in DENSE:
                yield 1 << log_n, log_q, secret


def _few_sets(log_ns):
    for log_n in log_ns:
        for log_q in LIMITS[log_n][::2]:
            for secret in ("ternary", "gaussian", "sparse:192"):
                yield 1 << log_n, log_q, secret


def _torus_sets():
    for n, log_q in TORUS:
        yield n, log_q, "binary"
        yield n, log_q, "ternary"


def _sparse_sets(log_ns):
    for log_n in log_ns:
        small, _, large, _ = LIMITS[log_n]
        for weight in WEIGHTS:
            for log_q in (floor(0.9 * small), floor((small + large) / 2), floor(0.95 * large)):
                yield 1 << log_n, log_q, f"sparse:{weight}"


def _lwe(sets, attacks, models):
    for n, log_q, secret in sets:
        parameters = LWE.Parameters(n=n, q=2**log_q, Xs=_secret(secret, n), Xe=_error(n, log_q), m=oo)
        for model in models:
            for attack in attacks:
                call = partial(_ATTACKS[attack], parameters, red_cost_model=MODELS[model])
                yield _row("rlwe", n, log_q, secret, model, attack), call


def _error(n, log_q):
    """Of LWE on the torus as wide as 2^-15 and 2^-40 of it; in rings 3.19."""
    return ND.DiscreteGaussian(_sigma(n, log_q))


def _sigma(n, log_q):
    return float(2 ** (log_q - 15 if n < 1024 else log_q - 25)) if (n, log_q) in TORUS else SIGMA


def _secret(name, n):
    if name.startswith("sparse:"):
        weight = int(name.removeprefix("sparse:"))
        return ND.SparseTernary(weight // 2, weight // 2, n)
    kinds = {"ternary": ND.Uniform(-1, 1), "binary": ND.Uniform(0, 1), "gaussian": ND.DiscreteGaussian(SIGMA)}
    return kinds[name]


def _ntru(attacks, models, log_ns=NTRU_LOG_N):
    for log_n in log_ns:
        n = 1 << log_n
        for log_q in _ntru_moduli(log_n):
            key = ND.Uniform(-1, 1)
            parameters = NTRU.Parameters(n=n, q=2**log_q, Xs=key, Xe=key, ntru_type="circulant")
            for model in models:
                for attack in attacks:
                    if attack == "dsd" and not parameters.possibly_overstretched:
                        continue
                    call = partial(_NTRU[attack], parameters, red_cost_model=MODELS[model])
                    yield _row("ntru", n, log_q, "ternary", model, attack), call


def _ntru_moduli(log_n):
    limits = LIMITS.get(log_n, (9, 12, 14, 15))
    fatigue = floor(log2(0.004) + 2.484 * log_n)
    return sorted({*limits, fatigue - 2, fatigue, fatigue + 2, fatigue + 6})


def _row(problem, n, log_q, secret, model, attack):
    sigma = _sigma(n, log_q) if problem == "rlwe" else 0.0
    return {"problem": problem, "n": n, "log_q": log_q, "secret": secret, "sigma": sigma, "model": model,
            "attack": attack}  # fmt: skip


def _figures(attack):
    """`bits` None: no finite cost."""
    try:
        cost = attack()
    except Exception as error:
        return {"bits": None, "error": f"{type(error).__name__}: {error}"[:200]}
    finite = cost["rop"] != oo
    found = {"bits": float(log2(cost["rop"])) if finite else None}
    names = {
        "beta": "block_size",
        "d": "dimension",
        "zeta": "guessed",
        "eta": "last_block",
        "prob": "probability",
    }
    return found | {ours: float(cost[theirs]) for theirs, ours in names.items() if finite and theirs in cost}


_ATTACKS = {
    "usvp": LWE.primal_usvp,
    "bdd": LWE.primal_bdd,
    "dual_hybrid": LWE.dual_hybrid,
    "bdd_hybrid": partial(LWE.primal_hybrid, mitm=False, babai=False),
    "bdd_mitm_hybrid": partial(LWE.primal_hybrid, mitm=True, babai=True),
    "dual_enumeration_hybrid": dual_hybrid,
    "dual_mitm_hybrid": partial(dual_hybrid, mitm_optimization="analytical"),
}
_NTRU = {"usvp": NTRU.primal_usvp, "bdd": NTRU.primal_bdd, "dsd": NTRU.primal_dsd}

if __name__ == "__main__":
    main(*sys.argv[1:])
