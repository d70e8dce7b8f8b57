"""The resident set of OpenFHE 1.6.1 in limbs of 8n bytes, exact but for a few rounded tables.

Each limb is an allocation of its own from the C library, all of one size, so that what is freed is used
again: the peak is that of what is alive. Tables, keys and keys in the making were counted in the wheel, by
the kernel's figure of the resident set before, during and after each phase, for many limbs, special limbs and
digits; what an operation holds stands in `copies`.
"""

from collections.abc import Callable
from functools import partial
from math import log2
from typing import Final

from fheasible.libraries.openfhe.copies import Sizes, limbs
from fheasible.libraries.openfhe.way import kept_limbs
from fheasible.libraries.parameters import Parameters
from fheasible.libraries.steps import Step, output_limbs, steps
from fheasible.program.types import Action, Program

Most = Callable[[Step], float]  # limbs alive at most during an operation, its result's among them
BIG_INTEGERS: Final = 19  # limbs that decoding CKKS takes above level 0: a big integer for each coefficient


def context(program: Program, p: Parameters) -> float:
    """Four tables of roots for each prime; the primes of BFV's second base are those of P as far as they go.
    Integer slots have tables of their own."""
    second = p.limbs if p.scheme == "bfv" else 0
    return 4 * (p.limbs + max(len(p.p), second)) + (2.7 if p.scheme == "ckks" else 7.7)


def keys(program: Program, p: Parameters, switching_keys: int) -> float:
    """The pair over Q; two polynomials over QP for each digit of each switching key."""
    digits = p.limbs if p.key_switching == "bv" else p.digits
    return 3 * p.limbs + switching_keys * 2 * digits * (p.limbs + len(p.p))


def key_generation(p: Parameters) -> float:
    """Alive beside the keys while the last of them is made."""
    return 4.0 * p.limbs if p.key_switching == "bv" else 3 * p.limbs + 2 * len(p.p) + 3.4


def evaluation(program: Program, p: Parameters, switching_keys: int, most: Most | None = None) -> float:
    """Alive at most, beside context and keys, from the first encryption to the last decryption."""
    during, alive, peak = most or _remembered(partial(operation, p)), 0.0, 0.0
    held: dict[int, int] = {}
    for step in steps(program, p):
        peak = max(peak, alive + during(step))
        held[step.operation.out] = step.result
        alive += step.result - sum(held[v] for v in step.frees)
    return max(peak, alive + max((decryption(p, k) for k in output_limbs(program, p)), default=0.0))


def _remembered(during: Most) -> Most:
    """Programs repeat few kinds of operations."""
    known: dict[tuple[object, ...], float] = {}

    def remembered(step: Step) -> float:
        kind = (step.action, step.limbs, step.made_parts, step.depth, step.terms)
        if kind not in known:
            known[kind] = during(step)
        return known[kind]

    return remembered


def operation(p: Parameters, step: Step) -> float:
    """Alive at most during one operation beside its operands, its result among it."""
    k = step.limbs
    match step.action:
        case Action.EVAL_SUM:  # four values at once; measured, as the next
            return _peak(Action.ROTATE, p, step) + 6.3 * k
        case Action.EVAL_CHEBYSHEV:
            return _peak(Action.RELINEARIZE, p, step) + k * (7 + 2 * log2(step.terms))
    return _peak(step.action, p, step)


def _peak(action: Action, p: Parameters, step: Step) -> float:
    special = 0 if p.key_switching == "bv" else len(p.p)
    kept = _kept(action, p, step)
    sizes = Sizes(p.scheme, step.limbs, p.limbs, special, p.limbs_per_digit, step.made_parts, kept)
    return limbs(action, sizes).peak


def _kept(action: Action, p: Parameters, step: Step) -> int:
    """BFV multiplies and rotates in fewer limbs once there is noise to hide the rest."""
    turns, multiplies = action in (Action.ROTATE, Action.SWAP_ROWS), action in (Action.MUL, Action.SQUARE)
    if p.scheme == "bfv" and (turns or multiplies):
        return kept_limbs(p, step.depth, switching=turns)
    return step.limbs


def decryption(p: Parameters, k: int) -> float:
    """Alive at most while a value of k limbs is decrypted and decoded."""
    if p.scheme != "ckks":
        return 4 * k
    return max(4 * k + 1, BIG_INTEGERS) if k > 1 else 5
