"""Nothing is answered, and nothing executed, but for the page itself, by whoever has the token."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from fheasible.web.guard import MOST_BYTES
from fheasible.web.server import application
from fheasible.web.serving import known_as

from .conftest import HOST, TOKEN

PLACES = [("GET", "/"), ("POST", "/api/answer"), ("POST", "/api/verify"), ("GET", "/api/verify/1")]
PLACES += [("POST", "/api/verify/1/stop"), ("GET", "/nowhere")]


def told(client: TestClient, method: str, place: str, **headers: str) -> Any:
    return client.request(method, place, headers=headers, json={} if method == "POST" else None)


@pytest.mark.parametrize(("method", "place"), PLACES)
def test_without_the_token_all_is_refused(bare: TestClient, method: str, place: str) -> None:
    found = told(bare, method, place)
    assert found.status_code == 403
    assert found.json()["error"] == {
        "message": "the token is missing or wrong",
        "remedy": "open the address that fheasible web has printed",
        "line": None,
    }


@pytest.mark.parametrize("wrong", ["", TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), "ä"])
def test_another_token_is_refused(bare: TestClient, wrong: str) -> None:
    raw = [(b"x-fheasible-token", wrong.encode())]
    assert bare.request("POST", "/api/answer", headers=raw, json={}).status_code == 403
    assert bare.get("/", params={"token": wrong}).status_code == 403


@pytest.mark.parametrize(("method", "place"), PLACES)
@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        f"https://{HOST}",
        "http://127.0.0.1:9999",
        f"http://{HOST}.evil.example",
    ],
)
def test_pages_of_other_origins_are_refused_though_they_show_the_token(
    bare: TestClient, method: str, place: str, origin: str
) -> None:
    found = told(bare, method, place, **{"x-fheasible-token": TOKEN, "origin": origin})
    assert found.status_code == 403
    assert "other origins" in found.json()["error"]["message"]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_so_are_requests_that_the_browser_says_come_from_elsewhere(bare: TestClient, site: str) -> None:
    headers = {"x-fheasible-token": TOKEN, "sec-fetch-site": site}
    assert told(bare, "POST", "/api/answer", **headers).status_code == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8123", "127.0.0.1", "127.0.0.1:80", ""])
@pytest.mark.parametrize(("method", "place"), PLACES)
def test_another_name_of_the_server_is_refused(bare: TestClient, method: str, place: str, host: str) -> None:
    """As where the name of a page elsewhere is made to lead to this machine."""
    found = told(bare, method, place, **{"x-fheasible-token": TOKEN, "host": host})
    assert found.status_code == 403
    assert "under that name" in found.json()["error"]["message"]


def test_the_name_of_the_server_may_be_given_in_capitals() -> None:
    """Browsers send it in small letters."""
    with TestClient(application(TOKEN, ["MyMachine:8123"]), base_url="http://mymachine:8123") as there:
        assert there.get("/", params={"token": TOKEN}).status_code == 200


def test_the_token_in_the_address_opens_the_page_and_no_more(bare: TestClient) -> None:
    assert bare.get("/", params={"token": TOKEN}).status_code == 200
    assert bare.post("/api/answer", params={"token": TOKEN}, json={}).status_code == 403


def test_the_page_itself_is_answered(client: TestClient) -> None:
    found = client.post(
        "/api/answer", json={}, headers={"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}
    )
    assert found.status_code == 400  # it asks for no application
    assert found.json()["error"]["message"] == "there is no application"


def test_the_policy_allows_no_script_but_the_one_in_the_page(client: TestClient) -> None:
    found = client.get("/")
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["referrer-policy"] == "no-referrer"
    assert TOKEN not in found.text


def test_large_requests_are_refused(client: TestClient) -> None:
    found = client.post("/api/answer", json={"source": "#" * MOST_BYTES})
    assert found.status_code == 413
    assert "256 KiB" in found.json()["error"]["message"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"{}", "text/plain"), *((b, "application/json") for b in (b"[1]", b"{", b"\xff", b"[" * 100_000))],
)
def test_what_is_no_document_is_refused(client: TestClient, body: bytes, kind: str) -> None:
    found = client.post("/api/answer", content=body, headers={"content-type": kind})
    assert found.status_code == 400
    assert found.json()["error"]["message"] == "what was sent is no JSON document"


def test_browsers_leave_the_usual_port_out() -> None:
    assert known_as("127.0.0.1", 8080) == ["127.0.0.1:8080", "localhost:8080", "[::1]:8080"]
    assert set(known_as("example.org", 80)) == {"example.org:80", "example.org"}
    with TestClient(
        application(TOKEN, known_as("127.0.0.1", 80), None), base_url="http://localhost"
    ) as client:
        assert client.get("/", params={"token": TOKEN}).status_code == 200
