"""Runs the server until it is ended."""

import ipaddress
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import uvicorn

from fheasible.errors import UsageError
from fheasible.web.server import application, token

LOOPBACK: Final = "127.0.0.1"
_LOCAL: Final = ("127.0.0.1", "localhost", "[::1]")
USUAL_PORT: Final = 80  # of addresses that begin with http


def serve(
    host: str, port: int, place: str | None, opened: Callable[[str, int], None] = lambda *_: None
) -> None:
    """Serves the page until Ctrl-C. `opened` is called with its address, which holds the token, and with the
    port, once it can be opened. UsageError where that port of that address cannot be had."""
    with _listening(host, port) as listening:
        own = listening.getsockname()[1]
        secret, named = token(), _named(host)
        config = uvicorn.Config(
            application(secret, known_as(host, own), place),
            log_level="error",
            access_log=False,
            server_header=False,
            ws="none",
            limit_concurrency=64,
            timeout_graceful_shutdown=1,
        )
        opened(f"http://{named}:{own}/?token={secret}", own)
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listening])


def known_as(host: str, port: int) -> list[str]:
    """What browsers call a server at that address and port: they leave the usual port out."""
    names = list(dict.fromkeys([_named(host), *(_LOCAL if is_local(host) else ())]))
    return [f"{name}:{port}" for name in names] + (names if port == USUAL_PORT else [])


def is_local(host: str) -> bool:
    """Whether only this machine reaches that address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _listening(host: str, port: int) -> socket.socket:
    remedy = "give another --port, or none for a free one; --host takes an address of this machine"
    if host in ("", "0.0.0.0", "::"):
        raise UsageError(
            f"{host or 'an empty address'} stands for every address of this machine",
            "give the one by which others reach this machine",
        )
    try:
        kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(kind, socket.SOCK_STREAM)
    except UnicodeError as error:
        raise UsageError(f"{host} cannot be the name of a machine", remedy) from error
    except OSError as error:
        raise UsageError(f"{host} is no address here: {error.strerror or error}", remedy) from error
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(64)
    except OSError as error:
        found.close()
        raise UsageError(f"{host}:{port} cannot be served: {error.strerror or error}", remedy) from error
    return found
