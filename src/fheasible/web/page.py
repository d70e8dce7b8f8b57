"""The page as one HTML document: style, script and data are in it, and its policy allows no others."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from fheasible import __version__
from fheasible.aliases import Json

_STYLES: Final = ("style.css", "exploration.css", "web.css")  # the first two are those of the reports
_SCRIPTS: Final = ("screen.js", "figure.js", "answers.js", "web.js")  # so is the first one


def rendered(given: Json) -> str:
    """The page. `given`: the data that its script begins with."""
    style, script = _style(), _script()
    return _environment().get_template("web.html").render(
        given=given, style=Markup(style), script=Markup(script), policy=policy(given["static"]),
        static=given["static"], version=__version__,
    )  # fmt: skip


def policy(static: bool) -> str:
    """The Content-Security-Policy: nothing but what is written in the page itself, and requests to its own
    server where there is one."""
    rules = [
        "default-src 'none'",
        f"script-src '{_hash(_script())}'",
        f"style-src '{_hash(_style())}'",
        "img-src data:",
        "connect-src 'none'" if static else "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(rules)


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


@cache
def _style() -> str:
    return "".join(_environment().get_template(name).render() for name in _STYLES)


@cache
def _script() -> str:
    inner = "".join(_environment().get_template(name).render() for name in _SCRIPTS)
    return f'"use strict";\n{{\n{inner}}}\n'


@cache
def _environment() -> Environment:
    return Environment(
        loader=ChoiceLoader([PackageLoader("fheasible.web"), PackageLoader("fheasible.reports")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
