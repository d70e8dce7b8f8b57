"""Defaults from files: fheasible.toml in the user's folder of configuration, and [tool.fheasible] in the
nearest pyproject.toml, whose entries go before the user's. Options that are typed go before both.

Entries are the options of explore, verify and run, and the store.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args, get_origin, get_type_hints

from typer.exceptions import TyperException

from fheasible.cli.options import Wishes
from fheasible.errors import FheasibleError, UsageError

if TYPE_CHECKING:
    from fheasible.cli.session import TerminalSession

STORE: Final = "store"
NAMES: Final = (*(field.name for field in fields(Wishes)), STORE)
_ALL_WISHES: Final = "explore"  # the verb that has all of them
_FILE, _PROJECT, _TABLE = "fheasible.toml", "pyproject.toml", "fheasible"
_KINDS: Final[Mapping[Any, tuple[tuple[type, ...], str]]] = {
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    bool: ((bool,), "true or false"),
}
_SUCH: Final = {int: ", such as 128", float: ", such as 1.5"}
_WORD: Final = ((str, int, float), "a text or a number")


@dataclass(frozen=True, slots=True)
class Setting:
    """One entry of a file."""

    name: str
    value: Any
    file: Path

    @property
    def shown(self) -> str:
        return f"{self.name} = {_toml(self.value)} ({self.file})"


def settings() -> dict[str, Setting]:
    """The entries of both files, by the names of options. UsageError for a file or an entry that cannot be
    meant."""
    found: dict[str, Setting] = {}
    for file, table in _tables():
        for name, value in table.items():
            known = name.replace("-", "_")
            if known not in NAMES:
                raise _unknown(file, name)
            found[known] = Setting(known, value, file)
    return found


def user_file() -> Path:
    from platformdirs import user_config_path  # few calls need it

    return user_config_path() / _FILE


def defaults(command: Any, found: Mapping[str, Setting], session: "TerminalSession") -> dict[str, Any]:
    """The defaults of each verb, as its parser takes them; the session gets the store. UsageError for a value
    that an option does not take."""
    if STORE in found:
        session.place = _store(found[STORE])
    read = {name: _read_as_typed(command, each, session) for name, each in found.items() if name != STORE}
    wishing = {name: _wished(verb) for name, verb in command.commands.items() if _wished(verb)}
    return {verb: {name: read[name] for name in names if name in read} for verb, names in wishing.items()}


def _wished(verb: Any) -> tuple[str, ...]:
    """The wishes among the options of a verb."""
    found: tuple[str, ...] = getattr(verb.callback, "wishes", ())
    return found


def _tables() -> Iterator[tuple[Path, Mapping[str, Any]]]:
    own = user_file()
    if own.is_file():
        yield own, _read(own)
    for folder in (here := Path.cwd(), *here.parents):
        file = folder / _PROJECT
        table = _read(file).get("tool", {}) if file.is_file() else {}
        if isinstance(table, dict) and isinstance(table.get(_TABLE), dict):
            yield file, table[_TABLE]
            return


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{file} is not valid TOML: {error}", "correct that line") from error
    except OSError as error:
        raise UsageError(
            f"{file} cannot be read: {error.strerror}", "let it be read, or remove it"
        ) from error


def _unknown(file: Path, name: str) -> UsageError:
    close = get_close_matches(name.replace("-", "_"), NAMES, n=1)
    meant = f"write {close[0]!r}, or take" if close else "take"
    return UsageError(f"{file} sets {name!r}, which is no setting", f"{meant} one of {', '.join(NAMES)}")


def _read_as_typed(command: Any, setting: Setting, session: "TerminalSession") -> Any:
    """The value in the form that parsers take, after it was read as if it were typed."""
    value = _of_its_kind(setting)
    option = f"--{setting.name.replace('_', '-')}"
    words = [option] * value if isinstance(value, bool) else _typed(option, value)
    try:
        verb = command.commands[_ALL_WISHES]
        context = verb.make_context(verb.name, ["app.py", *words], obj=session)
        _judge(setting.name, context.params[setting.name])
    except TyperException as error:
        raise _wrong(setting, error.format_message(), f"write it as {option} takes it") from error
    except FheasibleError as error:
        raise _wrong(setting, error.message, error.remedy) from error
    return value


def _typed(option: str, value: Any) -> list[str]:
    return [word for each in _several(value) for word in (option, str(each))]


def _several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _of_its_kind(setting: Setting) -> Any:
    """The value, a text where the option takes words. UsageError where it is of another kind."""
    value, kind = setting.value, _kind(setting.name)
    if kind is list:
        if not all(isinstance(word, str) for word in _several(value)):
            raise _wrong(setting, "it is no text or list of texts", f'write {setting.name} = ["..."]')
        return _several(value)
    kinds, said = _KINDS.get(kind, _WORD)
    if not isinstance(value, kinds) or isinstance(value, bool) != (kind is bool):
        raise _wrong(setting, f"it is not {said}", f"write {said}{_SUCH.get(kind, '')}")
    if kind is Path:
        return str(setting.file.parent / Path(str(value)).expanduser())
    return str(value) if (kinds, said) == _WORD else value


def _kind(name: str) -> Any:
    """What an option takes: bool, int, float, str, Path or list; str where it has a parser of its own."""
    annotated = get_type_hints(Wishes, include_extras=True)[name]
    if any(getattr(each, "parser", None) for each in annotated.__metadata__):
        return str
    hint = get_args(annotated)[0]
    plain = next(iter(kind for kind in get_args(hint) if kind is not type(None)), hint)
    return get_origin(plain) or plain


def _judge(name: str, value: Any) -> None:
    """Raises the error that a call with this wish alone would have."""
    from fheasible.api.asking import libraries_of
    from fheasible.api.platforms import PLATFORMS, platform_of

    options = Wishes(**{name: value}).options()
    platform = platform_of(options.libraries)
    if options.libraries and platform is PLATFORMS[0]:
        libraries_of(options.libraries)
    if name != "swap":  # which means something only beside a limit on memory
        _ = options.wish


def _wrong(setting: Setting, why: str, remedy: str) -> UsageError:
    return UsageError(f"{setting.file} sets {setting.name} = {_toml(setting.value)}: {why}", remedy)


def _store(setting: Setting) -> str:
    """The place of the store; a path is relative to the file that names it."""
    if not isinstance(setting.value, str) or not setting.value:
        raise _wrong(setting, "it is not the path or URL of a store", 'write store = "results.sqlite"')
    if "://" in setting.value:
        return setting.value
    return str(setting.file.parent / Path(setting.value).expanduser())


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value).replace("'", '"')
