"""The server of the page within this process, with a store of its own."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from fheasible.web.server import application

TOKEN = "a-token-of-the-tests"
HOST = "127.0.0.1:8123"

INTEGERS = """import fheasible as fh


@fh.app(a=fh.integers(16, low=0, high=15), b=fh.integers(16, low=0, high=15))
def dot(a, b):
    return fh.inner_product(a, b)
"""

REALS = """import fheasible as fh


@fh.app(x=fh.reals(8, low=0, high=1))
def squares(x):
    return x * x
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client that shows no token."""
    store = str(tmp_path_factory.mktemp("store") / "results.sqlite")
    with TestClient(application(TOKEN, [HOST], store), base_url=f"http://{HOST}") as client:
        yield client


@pytest.fixture(scope="module")
def client(bare: TestClient) -> TestClient:
    """A client that shows the token, as the page does."""
    found = TestClient(bare.app, base_url=f"http://{HOST}", headers={"x-fheasible-token": TOKEN})
    found.portal = bare.portal  # of the server that lives already
    return found
