"""The entry point: the verbs, and what every call of them has in common."""

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from io import TextIOWrapper
from types import CodeType, FrameType
from typing import Annotated, Any

import typer
from typer.main import get_command

from fheasible.circuit.watchdog import ending
from fheasible.cli import (
    accuracy,
    audit,
    calibrate,
    compare,
    count,
    demo,
    doctor,
    emit,
    explore,
    export,
    import_file,
    libraries,
    measure,
    new,
    params,
    precision,
    report,
    results,
    run,
    security,
    study,
    sweep,
    trial,
    verify,
    web,
)
from fheasible.cli.examples import with_examples
from fheasible.cli.failures import Interrupted, fail, hush, reader_has_gone
from fheasible.cli.options import with_sizes
from fheasible.cli.session import TerminalSession, verb
from fheasible.cli.settings import defaults, settings
from fheasible.errors import UsageError
from fheasible.heap import RARELY
from fheasible.measurement import scratch

_APART = {"--help", "-h", "--version", "-V"}  # they are answered whatever the files of settings hold
_CTRL_C = 130  # the exit code that typer and shells give for it
_MOMENT = 0.02  # seconds

app = typer.Typer(
    name="fheasible",
    rich_markup_mode=None,  # plain help appears at once, and is the same everywhere
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(asked: bool) -> None:
    if asked:
        from fheasible import __version__

        print(f"fheasible {__version__}")
        raise typer.Exit


@app.callback()
@partial(verb, unread=True)
def _root(
    session: TerminalSession,
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Is it FHEasible? Which homomorphic-encryption library, scheme and parameters an application needs:
    predicted without executing anything, then proved by a real run.

    \b
    Example:
      fheasible demo
      fheasible calibrate
      fheasible explore examples/2_std_dev.py --security 128 --precision 15
      fheasible verify examples/2_std_dev.py --security 128 --precision 15

    Exit codes: 0 success, 1 expected failure, 2 wrong usage, 3 wrong result, 4 something got slower,
    130 interrupted, 141 output closed by its reader.
    """


for _name, _verb in (
    ("explore", explore.explore),
    ("run", run.run),
    ("verify", verify.verify),
    ("emit", emit.emit),
    ("calibrate", calibrate.calibrate),
    ("accuracy", accuracy.accuracy),
    ("precision", precision.precision),
    ("report", report.report),
    ("params", params.params),
    ("security", security.security),
    ("audit", audit.audit),
    ("count", count.count),
    ("sweep", sweep.sweep),
    ("measure", measure.measure),
    ("trial", trial.trial),
    ("export", export.export),
    ("import", import_file.import_file),
    ("compare", compare.compare),
):
    app.command(_name)(verb(_verb))
app.add_typer(libraries.app, name="libraries")
app.add_typer(results.app, name="results")
app.add_typer(study.app, name="study")
app.command("doctor")(verb(doctor.doctor, unread=True))
app.command("demo")(verb(demo.demo))
app.command("new")(verb(new.new))
app.command("web")(verb(web.web))


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of one call, which it runs. No exception leaves it, and no traceback is shown without
    --debug."""
    if arguments is None:
        code = _called(sys.argv[1:] or ["--help"])
        end_of_process(code)
        return code
    return _called(list(arguments) or ["--help"])


def end_of_process(code: int) -> None:
    """Makes sure that threads which the application has left running neither print into the answer nor keep
    the process alive."""
    hush()
    with suppress(OSError):
        os.dup2(2, 1)
    left = [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]
    if left:
        threads = "1 thread" if len(left) == 1 else f"{len(left)} threads"
        print(f"stopping {threads} that the application started", file=sys.stderr)
        atexit._run_exitfuncs()
        hush()
        os._exit(code)


def _called(words: list[str]) -> int:
    session = TerminalSession.of(words)
    gc.set_threshold(RARELY)
    _speak_any_encoding()
    try:
        _end_as_by_ctrl_c()
        scratch.sweep()
        with ending(lambda error: fail(session, error)):
            command = get_command(app)
            given = {} if _APART & set(words) else _defaults(command, session)
            how = {"standalone_mode": False, "obj": session, "default_map": given}
            code = command(with_sizes(with_examples(words)), prog_name="fheasible", **how)
        sys.stdout.flush()
    except BrokenPipeError:
        return reader_has_gone()
    except SystemExit as end:  # typer and rich turn a broken pipe into SystemExit
        if isinstance(end.__context__, BrokenPipeError):
            return reader_has_gone()
        raise
    except KeyboardInterrupt:
        code = _CTRL_C
    except Exception as error:
        return fail(session, error)
    if code == _CTRL_C:
        return fail(session, Interrupted("interrupted; everything stored so far is kept"))
    return int(code or 0)


def _defaults(command: Any, session: TerminalSession) -> dict[str, Any]:
    """The defaults of each verb. Where files of settings cannot be meant, there are none, and the session
    knows why."""
    try:
        return defaults(command, settings(), session)
    except UsageError as error:
        session.unread = error
        return {}


def _end_as_by_ctrl_c() -> None:
    """Lets SIGTERM, a closed terminal and SIGQUIT stop workers and remove temporary files as Ctrl-C does,
    except where they are ignored (nohup). (Only a main thread may set this.)"""
    if threading.current_thread() is not threading.main_thread():
        return
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler)
    sys.unraisablehook = _interrupt_again


def _interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
    """Python shows an interrupt that comes while it disposes of an object, and goes on as if there had been
    none. Here it comes again, until it is heard: one that comes just before the main thread begins to wait
    would end no wait."""
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    heard, main_thread = threading.Event(), threading.main_thread().ident or 0

    def interrupt(number: int, frame: FrameType | None) -> None:
        if _is_called_by(frame, _interrupt_again.__code__):
            return  # it would be lost again; another one follows
        heard.set()
        signal.signal(number, signal.default_int_handler)
        signal.default_int_handler(number, frame)

    def insist() -> None:
        while not heard.wait(_MOMENT):
            signal.pthread_kill(main_thread, signal.SIGINT)

    signal.signal(signal.SIGINT, interrupt)
    threading.Thread(target=insist, daemon=True).start()


def _is_called_by(frame: FrameType | None, code: CodeType) -> bool:
    while frame is not None and frame.f_code is not code:
        frame = frame.f_back
    return frame is not None


def _speak_any_encoding() -> None:
    """Replaces characters that a stream cannot show: a µ that a terminal cannot show is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


if __name__ == "__main__":
    sys.exit(main())
