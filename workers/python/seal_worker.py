"""The worker of Microsoft SEAL, through seal-python."""

from worker.loop import claim_stdout, serve

REPLIES = claim_stdout()  # before the library is loaded

from seal_backend import LIBRARY  # noqa: E402

if __name__ == "__main__":
    serve(LIBRARY, REPLIES)
