"""How hard parameter sets are to break. The folder can be called, as `fh.security(n=16384, log_q=438)`."""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Called(ModuleType):
    """A folder that can be called, because `fh.security` is the name of the function, too."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        """The security of parameter sets: see `fheasible.api.security.security`."""
        return import_module("fheasible.api.security").security(*given, **named)


sys.modules[__name__].__class__ = _Called
