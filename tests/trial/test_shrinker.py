"""Failing applications become as small as they can be, and still fail."""

from fheasible.trial.application import Application, AppStep, Declared, Given
from fheasible.trial.generator import application
from fheasible.trial.shrinker import shrunk, simplified

X = Declared("x", True, 4097, -3.0, 100.0)
LARGE = Application(
    "large", "Many steps.", (X, Declared("y", True, 4097, 0.0, 5.0)),
    (
        AppStep("v1", "{0} * {1} + 0.333", ("x", "y")),
        AppStep("v2", "fh.rotate({0}, 1000)", ("v1",)),
        AppStep("v3", "0.8 - 3.2 * {0} ** 2", ("v2",), times=14),
        AppStep("v4", "fh.mean({0})", ("v3",)),
        AppStep("v5", "{0} - {1}", ("v3", "y")),
    ),
    ("v4", "v5"), False, {"precision": "20", "security": 256}, Given("corners", 3),
)  # fmt: skip


def test_only_what_fails_is_left() -> None:
    """A fault of every rotation."""
    small = shrunk(LARGE, lambda app: "fh.rotate" in app.source)
    assert len(small.steps) == 1
    assert [i.length for i in small.inputs] == [1]
    assert small.steps[0].text == "fh.rotate({0}, 2)"
    assert (small.minimise_depth, small.wish, small.data) == (True, {}, Given())
    assert (small.inputs[0].low, small.inputs[0].high) in ((0, 1), (-1, 1))


def test_what_the_failure_needs_is_kept() -> None:
    """Three turns of the loop, a wish, and more than two elements."""

    def fails(app: Application) -> bool:
        loops = [s.times for s in app.steps if "3.2" in s.text]
        return bool(loops) and loops[0] >= 3 and "security" in app.wish and app.inputs[0].length > 2

    small = shrunk(LARGE, fails)
    assert [s.times for s in small.steps] == [3]
    assert small.wish == {"security": 256}
    assert [i.length for i in small.inputs] == [3]


def test_it_ends_when_its_time_is_over() -> None:
    assert shrunk(LARGE, lambda _: True, seconds=0.0) == LARGE


def test_every_simpler_application_is_one_that_python_can_read() -> None:
    for number in range(60):
        for simpler in simplified(application(5, number)):
            compile(simpler.source, "app.py", "exec")


def test_a_step_that_no_output_needs_goes_with_its_inputs() -> None:
    first = next(a for a in simplified(LARGE) if a.outputs == ("v4",))
    assert [s.out for s in first.steps] == ["v1", "v2", "v3", "v4"]
