"""Whatever an application's file does, the answer is whole and the process ours."""

import os
import signal
import sys
from pathlib import Path

import pytest

from fheasible.circuit import guest as module
from fheasible.circuit.guest import guest
from fheasible.circuit.load import load
from fheasible.errors import CircuitError

APP = """import fheasible as fh, os, sys, subprocess, threading, time, signal, warnings
import numpy as np
%s
@fh.app(x=fh.reals(100, low=0, high=1))
def f(x):
    %s
    return x * x
"""


def application(folder: Path, load: str = "", trace: str = "pass") -> str:
    file = folder / "app.py"
    file.write_text(APP % (load, trace))
    return str(file)


NOISE = [
    "os.write(1, b'noise')",
    "os.system('echo noise')",
    "subprocess.run(['echo', 'noise'])",
    "print('noise')",
]


@pytest.mark.parametrize("line", NOISE)
def test_what_it_prints_is_talk(line: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load(application(tmp_path, line, line)).trace()
    out, err = capfd.readouterr()
    assert (out, err.count("noise")) == ("", 2)


@pytest.mark.parametrize(
    "line",
    [
        "os._exit(0)",
        "sys.exit(0)",
        "quit()",
        "os.abort()",
        "os.execv('/bin/true', ['true'])",
        "os.execlp('true', 'true')",
    ],
)
def test_what_would_end_the_process_is_said(line: str, tmp_path: Path) -> None:
    for where, at in (("app.py:3", "load"), ("app.py:6", "trace")):
        text = application(tmp_path, **{at: line})
        with pytest.raises(
            CircuitError, match=rf"{where}: (os\.\w+|sys\.exit) was called, which would also end"
        ):
            load(text).trace()


def test_other_processes_that_it_starts_may_end(tmp_path: Path) -> None:
    line = "pid = os.fork()\n    if not pid: os._exit(7)\n    assert os.waitpid(pid, 0)[1] == 7 << 8"
    load(application(tmp_path, "", line)).trace()


@pytest.mark.parametrize(
    "line",
    [
        "os.close(1)",
        "sys.stdout.close(); sys.stderr.close()",
        "sys.__stdout__.close()",
        "sys.stdout = sys.stderr = None",
        "os.chdir('/')",
        "sys.path.clear()",
        "sys.setrecursionlimit(300)",
        "np.seterr(all='raise')",
        "warnings.simplefilter('error')",
        "signal.signal(signal.SIGINT, signal.SIG_IGN)",
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    ],
)
def test_what_it_sets_for_the_process_is_put_back(line: str, tmp_path: Path) -> None:
    def state() -> tuple[object, ...]:
        handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
        streams = sys.stdout, sys.stderr, sys.__stdout__, sys.stdout.closed, sys.stderr.closed
        return os.getcwd(), list(sys.path), sys.getrecursionlimit(), handlers, streams, os.fstat(1).st_ino

    before = state()
    load(application(tmp_path, line, line)).trace()
    assert state() == before


def _endless() -> None:
    with guest("it", 0.2):
        while True:
            try:
                while True:
                    pass
            except Exception:
                pass


def test_what_takes_too_long_is_stopped_and_told_of(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "FIRST_LINE_AFTER", 0.05)
    with pytest.raises(CircuitError, match=r"test_guest.py:\d+: it did not end within 0 s") as caught:
        _endless()
    assert "loop" in caught.value.remedy
    assert "it has taken 0 s so far" in capfd.readouterr().err


@pytest.mark.parametrize("line", ["time.sleep(10**9)", "re.match('(a+)+$', 'a' * 60 + 'b')"])
def test_calls_that_hear_of_signals_are_stopped(line: str) -> None:
    with pytest.raises(CircuitError, match=r"it did not end within 0 s"), guest("it", 0.2):
        exec(f"import re, time; {line}")


def test_more_memory_than_there_is_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CircuitError, match=r"app.py:6: MemoryError") as caught:
        load(application(tmp_path, "", "np.ones((10**7, 10**5)) @ x")).trace()
    assert "sparse" in caught.value.remedy


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "null": (b"\0", "not valid Python"),
    "utf16": ("x = 1".encode("utf-16"), "not valid Python"),
    "latin": (b"x = '\xe9'\n", "not valid Python"),
    "binary": (bytes(range(256)), "not valid Python"),
    "tabs": (b"if 1:\n\tx=1\n        y=2\n", "not valid Python"),
    "python 2": (b"print 'a'\n", "not valid Python"),
    "nested": (b"x=" + b"(" * 5000 + b")" * 5000, "not valid Python"),
    "empty": (b"", "holds no application"),
    "raises": (b"1/0\n", "bad.py:1: ZeroDivisionError"),
    "raises its own": (b"class B(BaseException): pass\nraise B('boo')\n", "bad.py:2: B: boo"),
    "no text": (b"raise type('E', (Exception,), {'__str__': lambda s: 1/0})()", "bad.py:1: E"),
    "long text": (b"raise ValueError('a b ' * 10**6)", "bad.py:1: ValueError: a b"),
    "relative": (b"from . import x\n", "bad.py:1: ImportError"),
    "missing": (b"import no_such_module_x\n", "no_such_module_x"),
    "reads": (b"raise EOFError\n", "bad.py:1: EOFError"),
    "class": (b"import fheasible as fh\n@fh.app(x=fh.reals(1,0,1))\nclass A: pass\n", "not of a type"),
    "async": (b"import fheasible as fh\n@fh.app(x=fh.reals(1,0,1))\nasync def f(x): return x\n", "async"),
    "no inputs": (b"import fheasible as fh\n@fh.app()\ndef f(x): return x\n", "declares no inputs"),
    "no call": (b"import fheasible as fh\n@fh.app\ndef f(x): return x\n", "declares no inputs"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_each_bad_file_has_its_line(name: str, tmp_path: Path) -> None:
    from fheasible.errors import FheasibleError

    content, said = BAD_FILES[name]
    (tmp_path / "bad.py").write_bytes(content)
    with pytest.raises(FheasibleError, match=said) as caught:
        load(str(tmp_path / "bad.py"))
    assert caught.value.remedy
    assert len(caught.value.message) < 800
