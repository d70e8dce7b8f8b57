"""The command `fheasible`: it answers signals before anything that takes long is loaded."""

import os
import signal
import sys
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")


def main() -> int:
    """Run one call; the exit code."""
    _answer_signals()
    # The products of matrices here are small: a second thread makes them a hundred times slower where the
    # machine has others to serve, because it waits for a core and the first waits for it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from fheasible.cli.main import main as call  # half a second

    code = call()
    _answer_signals()  # while Python ends
    return code


def _answer_signals() -> None:
    """Nothing has begun, or all is done: there is nothing to tidy up. What is ignored (nohup) stays so."""
    for number in (getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _stop)


def _stop(number: int, _: FrameType | None) -> None:
    try:
        os.write(2, b"error: interrupted\n")
    finally:
        os._exit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
