"""The files of the datasets in a folder of the server."""

from pathlib import Path
from typing import Any
from urllib.parse import quote

from starlette.responses import FileResponse
from starlette.types import Message, Receive, Scope, Send

from catalogue.settings import get_settings
from dashboard.http_api.problems import Problem, response_of


class DatasetFileResponse(FileResponse):
    """A file, or a range of it; a range that it does not have is a problem like any other."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal: Message | None = None

        async def pass_on(message: Message) -> None:
            nonlocal refusal
            if message["type"] == "http.response.start" and message["status"] >= 400:
                refusal = message
            elif refusal is None:
                await send(message)

        await super().__call__(scope, receive, pass_on)
        if refusal is not None:
            size = self.stat_result.st_size if self.stat_result else 0
            problem = Problem(
                refusal["status"], f"the range is none of this file, which has {size:,} bytes"
            )
            headers = {"Content-Range": f"bytes */{size}"} if problem.status == 416 else {}
            await response_of(problem, headers)(scope, receive, send)


def datasets() -> list[dict[str, Any]]:
    """The datasets: the folders in the folder of the settings that have a dataset card."""
    return [
        {"name": each.name, "files": [_described(each, file) for file in _files(each)]}
        for each in _folders()
    ]


def path_of(dataset: str, path: str) -> Path:
    """A file of a dataset.

    Raises:
        Problem: there is none of this name.
    """
    # By comparison with what is there, so that no name leads out of the folder, nor to the file
    # system, which fails on some, such as long ones.
    for home in _folders():
        if home.name == dataset:
            for file in _files(home):
                if file.relative_to(home).as_posix() == path:
                    return file
    raise Problem(404, f"there is no file {path!r} of a dataset {dataset!r}: see /api/v1/datasets")


def _folders() -> list[Path]:
    """The folders of the datasets."""
    folder = get_settings().api_datasets
    if folder is None or not folder.is_dir():
        return []
    return [each for each in sorted(folder.iterdir()) if _is_dataset(each)]


def _is_dataset(folder: Path) -> bool:
    hidden = folder.name.startswith(".")
    return not hidden and not folder.is_symlink() and (folder / "README.md").is_file()


def _files(folder: Path) -> list[Path]:
    found = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return sorted(each for each in found if each.resolve().is_relative_to(folder.resolve()))


def _described(folder: Path, file: Path) -> dict[str, Any]:
    path = file.relative_to(folder).as_posix()
    return {
        "path": path,
        "bytes": file.stat().st_size,
        "href": f"/api/v1/datasets/{quote(folder.name)}/{quote(path)}",
    }
