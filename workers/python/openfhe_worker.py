"""The worker of OpenFHE, through its own Python wheel."""

from worker.loop import claim_stdout, serve

REPLIES = claim_stdout()  # before the library is loaded

from openfhe_backend import LIBRARY  # noqa: E402

if __name__ == "__main__":
    serve(LIBRARY, REPLIES)
