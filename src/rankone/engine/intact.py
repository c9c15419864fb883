"""Files that are written whole or not at all, and that are seen to be damaged when they are read.

The checksum of bands/regret.csv is in bands/.sha256/regret.csv.sha256, as `sha256sum`
writes it: the file itself stays as its readers want it.
"""

import contextlib
import errno
import hashlib
import io
import uuid
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

FOLDER, SUFFIX = ".sha256", ".sha256"


class Damaged(ValueError):
    """A file that is not what was written."""


@contextlib.contextmanager
def whole(path: Path) -> Iterator[IO[bytes]]:
    """A new file to be filled, which takes its place when it is complete; else nothing changes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # a name of its own: another process may be writing the same file
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex[:12]}.part")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file with its checksum beside it."""
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    # the checksum first: with it alone nothing is there yet, and the reverse would look whole
    with whole(_checksum(path)) as file:
        file.write(f"{hashlib.sha256(data).hexdigest()}  {path.name}\n".encode())
    with whole(path) as file:
        file.write(data)


def read(path: str | Path) -> bytes:
    """The content of a file; a Damaged error if it has a checksum that is not its own."""
    path = Path(path)
    data = path.read_bytes()
    checksum = _checksum(path)
    own = hashlib.sha256(data).hexdigest().encode()
    if checksum.exists() and own not in checksum.read_bytes():
        raise Damaged(
            f"{path} is not what was written: its checksum is another one. "
            "Delete the file, and it is made again."
        )
    return data


def arrays(path: str | Path, wanted: Callable[[str], bool]) -> dict[str, np.ndarray]:
    """The wanted arrays of a .npz file, by their names; each is checked against its checksum.

    Whatever a damaged file makes its readers say is a Damaged error; what is none of the file's
    faults, such as a disk that cannot be read, is not.
    """
    with Path(path).open("rb") as file:
        try:
            with np.load(file) as stored:
                return {name: stored[name] for name in stored.files if wanted(name)}
        except OSError as error:
            if error.errno not in (None, errno.EINVAL):  # a place before the file's beginning
                raise
        except MemoryError:  # or else a size was damaged, which shows in the checksum
            if _sound_archive(path):
                raise
        except Exception:  # zipfile, zlib, struct, json and NumPy have a dozen kinds
            pass
    raise Damaged(f"{path} is not a whole file of arrays.")


def _sound_archive(path: str | Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.testzip() is None
    except Exception:
        return False


def table(path: str | Path, **options: Any) -> Any:
    """A CSV file as a DataFrame, after its checksum has been looked at."""
    import pandas as pd

    return pd.read_csv(io.BytesIO(read(path)), **options)


def _checksum(path: Path) -> Path:
    return path.parent / FOLDER / f"{path.name}{SUFFIX}"
