"""What draws figures and makes pages: packages of an extra, whose absence is told before they are loaded."""

from fheasible.extras import need

need("report", "pages and figures")

import altair as alt  # noqa: E402
import vl_convert  # noqa: E402
from altair.utils.schemapi import debug_mode  # noqa: E402
from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: E402
from markupsafe import Markup  # noqa: E402

__all__ = ["Environment", "Markup", "PackageLoader", "StrictUndefined", "alt", "debug_mode", "vl_convert"]
