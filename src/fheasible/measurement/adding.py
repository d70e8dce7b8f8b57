"""Registers libraries that the user brings along, builds their workers, and removes them again."""

import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Final

import psutil

from fheasible.errors import DataError, LibraryMissing, UnknownName, UsageError
from fheasible.libraries import added, manifest
from fheasible.libraries.added import Added
from fheasible.libraries.catalogue import OWN
from fheasible.libraries.following import PARAMETERS, own_sets
from fheasible.libraries.lookup_catalogue import LOOKUP_CATALOGUE
from fheasible.libraries.lookup_library import LookupLibrary
from fheasible.measurement.records import Hello
from fheasible.measurement.registry import added_command
from fheasible.measurement.worker import Worker
from fheasible.system import FORKS, kill_group

Say = Callable[[str], None]
RESERVED: Final = ("reference", "all")  # what --library means otherwise
LAST_LINES: Final = 12
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
_BUILDING = "building"  # the file that holds the number of the process that is adding the library


def add(name: str, source: Path, say: Say) -> Hello:
    """Builds the worker of a source folder, and registers it once it has said hello.

    Nothing is registered where anything fails: UsageError for a name that cannot be taken, DataError for a
    folder or manifest that cannot be used, LibraryMissing where the worker cannot be built or started.
    """
    name = _free(name.lower())
    source = source.expanduser().absolute()
    given, text = manifest.read(source)
    check(given, source)
    with _claimed(name) as new:
        return _built(replace(new, source=source, text=text), say)


def rebuild(name: str, say: Say) -> Hello:
    """Builds the worker of an added library anew from its sources, whose manifest is read again. Where that
    fails, the library stays registered, but counts as not installed. The same errors as `add`."""
    known = added.registered()[name]
    given, text = manifest.read(known.source)
    check(given, known.source)
    replace(known, made_from="").save()
    return _built(replace(known, text=text, called="", made_from=""), say)


def is_current(name: str) -> bool:
    """Whether the worker of an added library is built from what its folder holds now."""
    known = added.registered()[name]
    return bool(known.made_from) and known.made_from == known.sources()


def check_added(name: str) -> None:
    """Raises UnknownName where no library of that name was added."""
    if name.lower() in added.registered() or name.lower() in added.damaged():
        return
    others = ", ".join((*added.registered(), *added.damaged())) or "none"
    own = "; Fheasible's own libraries cannot be removed" if _taken(name.lower()) else ""
    raise UnknownName(f"no library named {name!r} was added{own}", f"added ones: {others}")


def remove(name: str) -> Path:
    """The folder of its source, which stays as it is. What was built and registered of it is gone.
    UnknownName where no library of that name was added."""
    check_added(name)
    there, folder = added.registered().get(name.lower()), added.folder() / name.lower()
    (folder / added.RECORD).unlink(missing_ok=True)  # first: what is left of a killed removal is no library
    shutil.rmtree(folder, ignore_errors=True)
    added.changed()
    return there.source if there is not None else folder


def _free(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a library",
            "take up to 40 letters, digits, - and _, with a letter first, such as tfhepp",
        )
    if name in RESERVED or _taken(name):
        raise UsageError(f"the name {name!r} is taken by Fheasible itself", "give another name")
    there = added.registered().get(name)
    if there is not None:
        raise UsageError(
            f"the name {name!r} is taken by the library of {there.source}",
            f"fheasible libraries install {name} builds it anew, fheasible libraries remove {name} gives the "
            "name back",
        )
    if name in added.damaged():
        raise UsageError(added.damaged()[name], f"fheasible libraries remove {name}")
    return name


def _taken(name: str) -> bool:
    return name in OWN or name in LOOKUP_CATALOGUE


def check(given: manifest.Manifest, source: Path) -> None:
    """Raises DataError for what a manifest says of a library that cannot be followed so."""
    where = source / manifest.FILE
    known = OWN.get(given.follows) or LOOKUP_CATALOGUE.get(given.follows)
    if known is None:
        raise DataError(
            f"{where} follows {given.follows!r}, which is no library of Fheasible",
            f"choose one of {', '.join((*OWN, *LOOKUP_CATALOGUE))}: the one whose parameters it takes",
        )
    wrong = [scheme for scheme in given.schemes if scheme not in known.schemes]
    if wrong:
        raise DataError(
            f"{where} has the scheme {wrong[0]!r}, but {known.title}, which it follows, has "
            f"{', '.join(known.schemes)}",
            "take some of those, or follow another library",
        )
    if isinstance(known, LookupLibrary) and known.custom:
        _check_sets(given, known.schemes, where)
    else:
        too_many = [key for key in ("sets", "takes", "custom") if getattr(given, key) not in ((), None)]
        if too_many:
            others = " or ".join(name for name, lib in LOOKUP_CATALOGUE.items() if lib.custom)
            raise DataError(
                f"{where} has {too_many[0]!r}, but follows {known.title}, which has no parameters to choose",
                f"leave it out, or follow {others}",
            )
    added.hash_of(source, given)  # which says where its files are too many


def _check_sets(given: manifest.Manifest, schemes: tuple[str, ...], where: Path) -> None:
    sets = own_sets(given.sets, (given.schemes or schemes)[0])
    if given.custom is False and not sets:
        raise DataError(
            f"{where} says custom = false, but has no sets", "add the sets that it has, each as [[sets]]"
        )
    twice = [name for name, times in Counter(each.name.lower() for each in sets).items() if times > 1]
    if twice:
        raise DataError(f"{where} has two sets named {twice[0]!r}", "give each set a name of its own")
    wrong = [name for name in given.takes or {} if name not in PARAMETERS]
    if wrong:
        raise DataError(
            f"{where}: takes has the unknown parameter {wrong[0]!r}", f"choose among {', '.join(PARAMETERS)}"
        )


def _built(new: Added, say: Say) -> Hello:
    """The hello of the worker that was built, which is registered from then on."""
    given = new.manifest
    new.build.mkdir(parents=True, exist_ok=True)
    for number, words in enumerate(given.build, 1):
        say(f"building {new.name}, step {number} of {len(given.build)}: {' '.join(words)}")
        _step(new, new.command(words), given.build_seconds)
    made = replace(new, made_from=new.sources())
    try:
        with Worker(added_command(replace(made, called=""))) as worker:
            hello, called = worker.hello, worker.called
    except LibraryMissing as error:  # whose remedy is for a library that is registered
        raise LibraryMissing(error.message, _again(new)) from error
    lacking = [scheme for scheme in given.schemes if scheme not in hello.schemes]
    if lacking:
        raise LibraryMissing(
            f"{new.name}'s worker has no scheme {lacking[0]!r}, which its {manifest.FILE} names: it says "
            f"{', '.join(hello.schemes) or 'none'}",
            f"let its hello name {lacking[0]!r}, or leave it out of {new.source / manifest.FILE}",
        )
    schemes = given.schemes or tuple(hello.schemes)
    replace(made, version=hello.version, schemes=schemes, called=called).save()
    say(f"{new.name} {hello.version} answers ({hello.runtime or 'it does not say what it runs in'})")
    return hello


def _again(new: Added) -> str:
    """The remedy where the worker cannot be built or started."""
    return f"change {new.source / manifest.FILE} or its sources, then run the same command again"


def _step(new: Added, words: tuple[str, ...], seconds: float) -> None:
    """Runs a step of the build. LibraryMissing with the builder's last lines where it fails or takes longer
    than that."""
    remedy, told = _again(new), " ".join(words)
    with tempfile.TemporaryFile() as log:
        try:
            process = subprocess.Popen(
                words,
                cwd=new.source,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=FORKS,
            )
        except OSError as error:
            raise LibraryMissing(f"`{told}` cannot be run: {error.strerror or error}", remedy) from error
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            _kill(process)
            raise LibraryMissing(
                f"`{told}` took more than {seconds:g} seconds and was stopped{_last(log)}",
                f"allow more with build_seconds in {new.source / manifest.FILE}, or see what it waits for",
            ) from None
        except BaseException:
            _kill(process)
            raise
        if status != 0:
            how = f"ended with exit code {status}" if status > 0 else f"was ended by signal {-status}"
            raise LibraryMissing(f"`{told}` {how}{_last(log)}", remedy)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        kill_group(process.pid)
    process.wait()


def _last(log: IO[bytes]) -> str:
    """The end of a message, which quotes the last lines of a builder."""
    log.seek(max(0, log.seek(0, os.SEEK_END) - 65_536))
    lines = log.read().decode("utf-8", "replace").strip().splitlines()[-LAST_LINES:]
    return "; its last lines were:\n" + "\n".join(lines) if lines else "; it printed nothing"


@contextmanager
def _claimed(name: str) -> Iterator[Added]:
    """A folder for a new library, which is gone after the block where that fails. UsageError where another
    process is adding one of the same name."""
    folder = added.folder() / name
    added.folder().mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir()
    except FileExistsError:
        _give_up_to(folder)
        shutil.rmtree(folder)  # what is left of a call that was killed
        folder.mkdir()
    mark = folder / _BUILDING
    mark.write_text(str(os.getpid()))
    try:
        yield Added(name, folder, "")
        mark.unlink()
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        added.changed()
        raise


def _give_up_to(folder: Path) -> None:
    """Raises UsageError where the process that made the folder is still at work."""
    with suppress(OSError, ValueError):
        number = int((folder / _BUILDING).read_text())
        if number != os.getpid() and psutil.pid_exists(number):
            raise UsageError(
                f"{folder.name!r} is being added by process {number}", "wait for it, or end that process"
            )
