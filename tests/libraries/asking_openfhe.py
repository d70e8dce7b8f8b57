"""Questions to the live OpenFHE, and what our rule says of the same request."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fheasible.errors import FheasibleError
from fheasible.libraries.openfhe import rules as openfhe
from fheasible.libraries.parameters import Parameters, Request, request_for

PYTHON = Path(__file__).parents[2] / "workers" / "openfhe" / ".venv" / "bin" / "python"
SCRIPT = Path(__file__).with_name("live_openfhe.py")
Answer = dict[str, Any]

needs_openfhe = pytest.mark.skipif(
    not PYTHON.exists(), reason="OpenFHE's worker environment is not installed"
)


def ask(requests: list[Request]) -> list[Answer]:
    """What the live library makes of each request."""
    asked = [openfhe.worker_parameters(request) for request in requests]
    done = subprocess.run(
        [PYTHON, SCRIPT], input=json.dumps(asked), capture_output=True, text=True, timeout=3600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Answer] = json.loads(done.stdout)
    return answers


def ours(request: Request) -> Answer:
    """Our rule's answer in the live library's form; "error" where it refuses."""
    try:
        return as_answer(openfhe.parameters(request))
    except FheasibleError as refusal:
        return {"error": refusal.message}


def as_answer(parameters: Parameters) -> Answer:
    answer: Answer = {
        "ring_dimension": parameters.ring_dimension,
        "q": [str(q) for q in parameters.q],
        "p": [str(p) for p in parameters.p],
    }
    if parameters.key_switching == "hybrid":
        answer["digits"] = parameters.digits
    if parameters.scheme == "ckks":
        answer["scales"] = list(parameters.scales)
    return answer


def differences(request: Request, theirs: Answer) -> list[str]:
    """Where our rule and the live answer part; its "level" counts limbs dropped, our scales limbs left."""
    found = ours(request)
    if "q" not in theirs or "q" not in found:
        agree = "q" not in theirs and "q" not in found
        return [] if agree else [f"{request}: ours {found}, live {theirs}"]
    theirs = dict(theirs)
    if "scales" in theirs:
        limbs = len(theirs["scales"])
        extended = limbs - len(found["scales"])
        theirs["scales"] = [theirs["scales"][limbs - 1 - level] for level in range(limbs - extended)]
    return [
        f"{request}: {key} is {found[key]}, live {theirs[key]}"
        for key in found
        if key in theirs and found[key] != theirs[key]
    ]


def disagreements(requests: list[Request]) -> list[str]:
    answers = ask(requests)
    assert len(answers) == len(requests)
    return [
        line
        for request, theirs in zip(requests, answers, strict=True)
        for line in differences(request, theirs)
    ]


def some_requests(scheme: str, count: int, seed: int) -> list[Request]:
    """Random requests over all that a user may set, most of them feasible."""
    dice = random.Random(seed)
    make = {"ckks": _some_ckks, "bgv": _some_bgv, "bfv": _some_bfv}[scheme]
    return [make(dice) for _ in range(count)]


def _some_common(dice: random.Random) -> Answer:
    security = dice.choice([128, 128, 128, 192, 256, None])
    secure = [None, None, None, None, 1 << 14, 1 << 15]
    return {
        "depth": dice.choice([0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15]),
        "security": security,
        "quantum": security is not None and dice.random() < 0.2,
        "ring_dimension": dice.choice(secure if security else [1 << 10, 1 << 12]),
        "digits": dice.choice([None, None, None, None, 1, 2, 3, 5]),
        "secret": dice.choice([None, None, "gaussian", "sparse_ternary"]),
        "key_switching": dice.choice([None, None, "hybrid", "bv"]),
        "batch": dice.choice([None, None, None, 8]),
    }


def _some_ckks(dice: random.Random) -> Request:
    scale = dice.randint(20, 59)
    return request_for(
        "ckks",
        **_some_common(dice),
        scale_bits=scale,
        first_bits=dice.choice([None, None, scale, dice.randint(scale, 60)]),
        technique=dice.choice([None, *openfhe.TECHNIQUES]),
        noise_estimate=dice.choice([None, None, None, 0.0, 12.25, -3.0, 39.2, 39.3]),
    )


def _some_bgv(dice: random.Random) -> Request:
    return request_for(
        "bgv",
        **_some_common(dice),
        plain_modulus=dice.choice([65537, 65537, 786433, 257, 4, 1032193]),
        technique=dice.choice([None, *openfhe.TECHNIQUES]),
        eval_add_count=dice.choice([None, None, 0, 20]),
        key_switch_count=dice.choice([None, None, 0, 10]),
    )


def _some_bfv(dice: random.Random) -> Request:
    common = _some_common(dice)
    return request_for(
        "bfv",
        **common,
        plain_modulus=dice.choice([65537, 65537, 786433, 257, 4, 1032193]),
        scale_bits=dice.choice([None, None, dice.randint(25, 60)]),
        eval_add_count=None if common["depth"] else dice.choice([None, 1, 100]),
    )
