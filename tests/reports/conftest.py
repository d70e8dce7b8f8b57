"""The page of one exploration, drawn once for all tests: that takes seconds."""

import pytest

from fheasible.reports.explored_page import render, report

from .explored import run, stored


@pytest.fixture(scope="session")
def page() -> str:
    return render(report(stored(), [run()], {}))
