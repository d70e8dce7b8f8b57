"""The smallest application that fails in the same way: fewer steps, shorter vectors, plainer numbers."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from time import monotonic

from fheasible.trial.application import Application, AppStep, Declared, Given, trimmed

Fails = Callable[[Application], bool]
SECONDS = 120.0
_NUMBER = re.compile(r"(?<![\w.])(\d+\.\d+(?:e-?\d+)?|\d+e-\d+|\d+)(?![\w.])")
_LENGTHS = (1, 2, 3, 4, 8, 16, 64, 512, 4096)


def shrunk(app: Application, fails: Fails, seconds: float = SECONDS) -> Application:
    """The application, simplified step by step while it still fails.

    Each step takes the first application that is one change simpler and still fails. It ends where none
    fails, or when the time is over.
    """
    end, seen = monotonic() + seconds, {app.source}
    while (simpler := _next(app, fails, seen, end)) is not None:
        app = simpler
    return app


def _next(app: Application, fails: Fails, seen: set[str], end: float) -> Application | None:
    for simpler in simplified(app):
        if monotonic() > end:
            return None
        key = f"{simpler.source} {simpler.options}"
        if key not in seen:
            seen.add(key)
            if fails(simpler):
                return simpler
    return None


def simplified(app: Application) -> Iterator[Application]:
    """Every application that is one change simpler, the largest changes first.

    Some are not valid applications.
    """
    for change in (_outputs, _steps, _loops, _lengths, _wishes, _data, _ranges, _numbers):
        for simpler in change(app):
            if simpler != app and simpler.outputs:
                yield trimmed(simpler)


def _outputs(app: Application) -> Iterator[Application]:
    if len(app.outputs) > 1:
        yield from (replace(app, outputs=(name,)) for name in app.outputs)


def _steps(app: Application) -> Iterator[Application]:
    """The applications that lack one step, the last step first.

    One of the step's operands takes the place of its result.
    """
    for step in reversed(app.steps):
        for instead in dict.fromkeys(step.args):
            yield _without(app, step, instead)


def _without(app: Application, gone: AppStep, instead: str) -> Application:
    steps = tuple(
        replace(s, args=tuple(instead if a == gone.out else a for a in s.args))
        for s in app.steps
        if s is not gone
    )
    outputs = tuple(dict.fromkeys(instead if name == gone.out else name for name in app.outputs))
    return replace(app, steps=steps, outputs=outputs)


def _loops(app: Application) -> Iterator[Application]:
    for place, step in enumerate(app.steps):
        for times in sorted({1, step.times // 2, step.times - 1}):
            if 1 <= times < step.times:
                yield _with_step(app, place, replace(step, times=times))


def _with_step(app: Application, place: int, step: AppStep) -> Application:
    return replace(app, steps=(*app.steps[:place], step, *app.steps[place + 1 :]))


def _lengths(app: Application) -> Iterator[Application]:
    """The applications with shorter inputs; inputs of equal length keep equal lengths."""
    for length in sorted({i.length for i in app.inputs}, reverse=True):
        for shorter in _LENGTHS:
            if shorter < length:
                inputs = (replace(i, length=shorter) if i.length == length else i for i in app.inputs)
                yield replace(app, inputs=tuple(inputs))


def _wishes(app: Application) -> Iterator[Application]:
    for name in app.wish:
        yield replace(app, wish={k: v for k, v in app.wish.items() if k != name})
    if app.nested or app.named:
        yield replace(app, nested=False, named=False)
    if not app.minimise_depth:
        yield replace(app, minimise_depth=True)


def _data(app: Application) -> Iterator[Application]:
    if app.data != Given():
        yield replace(app, data=Given())


def _ranges(app: Application) -> Iterator[Application]:
    for place, i in enumerate(app.inputs):
        for low, high in ((0, 1), (-1, 1)):
            if i.modulo is None and (i.low, i.high) != (low, high):
                ends = (float(low), float(high)) if i.real else (low, high)
                yield _with_input(app, place, replace(i, low=ends[0], high=ends[1]))


def _with_input(app: Application, place: int, i: Declared) -> Application:
    return replace(app, inputs=(*app.inputs[:place], i, *app.inputs[place + 1 :]))


def _numbers(app: Application) -> Iterator[Application]:
    """The applications in which one number of a step has fewer digits, or is smaller."""
    for place, step in enumerate(app.steps):
        for found in _NUMBER.finditer(re.sub(r"\{\d\}", lambda m: "_" * len(m[0]), step.text)):
            for plainer in _plainer(found[0]):
                text = step.text[: found.start()] + plainer + step.text[found.end() :]
                yield _with_step(app, place, replace(step, text=text))


def _plainer(number: str) -> Iterator[str]:
    """Simpler numbers: '2' and '3' for '7', '0.3' for '0.333'."""
    if "." in number or "e" in number:
        short = f"{float(number):.1g}"
        if float(short) != float(number):
            yield short if "." in short or "e" in short else f"{short}.0"
    elif int(number) > 2:
        yield from ("2", str(int(number) // 2))
