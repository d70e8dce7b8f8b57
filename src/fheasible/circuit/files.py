"""What is wrong with a name under which a user gives a file."""

from pathlib import Path


def no_file(name: str | Path) -> str:
    """What is wrong with a name that leads to no file; "" for a file."""
    path = Path(name)
    try:
        path.stat()
    except FileNotFoundError:
        return "does not exist"
    except OSError as error:
        return f"cannot be opened: {error.strerror}"
    except ValueError as error:  # a name that no file can have
        return f"cannot be opened: {error}"
    if path.is_file():
        return ""
    return "is a folder" if path.is_dir() else "is a device or a pipe"
