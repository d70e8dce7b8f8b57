"""fheasible web: what it prints, and that nothing is left when it ends."""

import json
import os
import re
import signal
import urllib.error
import urllib.request
from importlib.metadata import PackageNotFoundError
from typing import Any

import psutil
import pytest

from fheasible import extras
from web.serving import serving


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=30) as found:
            return int(found.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.long
def test_the_address_that_is_printed_opens_the_page_and_no_other_does(store_path: Any) -> None:
    with serving("--store", str(store_path)) as (call, address):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        assert status(address) == 200
        assert status(address[:-1]) == 403
        assert status(address.partition("?")[0]) == 403
        assert status(address.replace("127.0.0.1", "localhost")) == 200
        listening = [c.laddr.ip for c in psutil.Process(call.pid).net_connections() if c.status == "LISTEN"]
        assert listening == ["127.0.0.1"]
        call.send_signal(signal.SIGINT)
        _, said = call.communicate(timeout=30)
        assert call.returncode == 0
        assert "Traceback" not in said


@pytest.mark.long
def test_two_servers_have_other_tokens_and_the_end_of_one_ends_what_it_has_started(store_path: Any) -> None:
    with serving("--store", str(store_path)) as (first, one), serving() as (_, other):
        assert one.rpartition("=")[2] != other.rpartition("=")[2]
        place, _, token = one.partition("/?token=")
        body = json.dumps({"source": "import time\ntime.sleep(60)\n"}).encode()
        headers = {"content-type": "application/json", "x-fheasible-token": token}
        with urllib.request.urlopen(
            urllib.request.Request(f"{place}/api/answer", body, headers), timeout=30
        ) as found:
            assert json.load(found) == {"state": "reading"}
        started = psutil.Process(first.pid).children(recursive=True)
        assert started
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=30)
        assert psutil.wait_procs(started, timeout=10)[1] == []


def test_an_address_that_is_not_here_is_an_error(call: Any) -> None:
    answer = call("web", "--host", "203.0.113.7", "--port", "1")
    assert answer.code == 2
    assert "cannot be served" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("host", ["a" * 70, ".a"])
def test_what_cannot_be_a_name_is_an_error(call: Any, host: str) -> None:
    answer = call("web", "--host", host)
    assert answer.code == 2
    assert f"{host} cannot be the name of a machine" in answer.err
    assert "Traceback" not in answer.err


def test_no_single_address_is_an_error(call: Any) -> None:
    answer = call("web", "--host", "0.0.0.0")
    assert answer.code == 2
    assert "by which others reach this machine" in answer.err


def test_an_example_without_a_folder_is_an_error(call: Any) -> None:
    answer = call("web", "--example", "4")
    assert answer.code == 2
    assert "--static" in answer.err


def test_without_the_extra_the_remedy_is_told(call: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "version", absent)
    answer = call("web")
    assert answer.code == 1
    assert "need jinja2, starlette and uvicorn" in answer.err
    assert "install the extra web" in answer.err


def test_a_folder_that_cannot_be_made_is_told_before_hours_of_work(call: Any, tmp_path: Any) -> None:
    (tmp_path / "site").write_text("")
    answer = call("web", "--static", str(tmp_path / "site"))
    assert answer.code == 2
    assert "index.html cannot be written" in answer.err


@pytest.mark.long
def test_static_files_are_one_page(call: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fheasible.web.static.by_precision", lambda sliders: iter([(0, 0, 0, 1)]))
    found = call("web", "--static", str(tmp_path / "site"), "--example", "7", "--json").json
    assert found["examples"] == ["examples/7_ten_products.py"]
    assert os.listdir(tmp_path / "site") == ["index.html"]
    assert found["bytes"] == (tmp_path / "site" / "index.html").stat().st_size
