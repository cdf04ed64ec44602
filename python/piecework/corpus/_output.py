"""Takes and leaves the folder of a corpus: new, with an unfinished run, or with a corpus."""

from __future__ import annotations

import errno
import json
import os
import re
from typing import TYPE_CHECKING, Any

from piecework._exceptions import warn
from piecework._io.checked_json import of_checked, to_checked
from piecework._io.files import exists, make_folder, read_if_exists, size, write_aside
from piecework._io.folders import list_folder, remove_file, remove_folder
from piecework._io.lock import LOCK
from piecework._io.temporary import remove_left
from piecework._messages import shown
from piecework.corpus._layouts import LAYOUTS
from piecework.corpus._manifest import MANIFEST, SKIPPED, Manifest
from piecework.engines._jobs.inputs import Inputs
from piecework.errors import FileError, FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from piecework.corpus._plan import Plan

_WORK_FOLDER = ".piecework"
"""The folder in the output with everything that is not complete."""
_SOURCES = ".sources.json"
"""The file with the times at which the input was last changed; not in the manifest, since copies have other times."""
_PLAN = "plan.json"
_OTHER_FILES = "other files"


class Output:
    """Represents the folder that a run writes into.

    Attributes:
        folder: The folder.
        work: The folder in it with the parts of this plan and all receipts.
        inputs: The files of the input as they are now.
    """

    def __init__(self, folder: str, plan: Plan) -> None:
        """Finds out when the input was last changed; writes nothing."""
        self.folder = folder
        self._plan, self._hash = plan, plan.sha256
        self._unfinished = os.path.join(folder, _WORK_FOLDER)
        self.work = os.path.join(self._unfinished, self._hash[:16])
        self.inputs = Inputs.of(plan.sources, "pass `overwrite=True` to start anew")

    def finished(self) -> Manifest | None:
        """Returns the manifest if the folder has the result of this plan already.

        Raises:
            FileError: The folder has another corpus, or a file is missing.
        """
        if not exists(os.path.join(self.folder, MANIFEST)):
            return None
        manifest = Manifest.load(self.folder)
        if manifest.plan != self._hash:
            raise self._error(
                f"has a corpus of {self._difference(manifest.fingerprint, manifest.settings)}"
            )
        if self._changed_since():
            raise self._error("has a corpus of files that changed since")
        for file in manifest.files:
            if size(os.path.join(self.folder, file.name)) != file.bytes:
                raise self._error(f"has a corpus whose file {file.name} is missing or damaged")
        remove_folder(self._unfinished)  # left by a run that was killed in its last moment
        return manifest

    def _changed_since(self) -> bool:
        """Returns whether the input has other times than when the corpus was written; false if they are unknown."""
        path = os.path.join(self.folder, _SOURCES)
        data = read_if_exists(path)
        if data is None:
            return False
        try:
            return of_checked(data) != self._sources()
        except ValueError as error:
            hint = "remove it; the times of the input are then not compared"
            raise FormatError(f"damaged: {error}", place=f"{path}: ", hint=hint) from None

    def _sources(self) -> dict[str, Any]:
        return {"plan": self._hash, "changed": self.inputs.changed}

    def start(self, *, overwrite: bool) -> None:
        """Makes the folder of unfinished work, unless it has that of this plan.

        Raises:
            FileError: The folder has an unfinished run of another plan with a finished part, or other files.
        """
        value = {"plan": self._plan.to_json(), "changed": self.inputs.changed}
        data = to_checked(value)
        path = os.path.join(self._unfinished, _PLAN)
        found = None if overwrite else self._read_plan(path)
        if found == data:
            make_folder(self.work)
            remove_left(self.work)
            return
        if found is not None and self._has_receipts():
            raise self._other_run(found, value)
        own = self._own_names(overwrite=overwrite)
        others = [name for name in list_folder(self.folder) if name not in {*own, LOCK}]
        if others:
            message = f"has other files, such as {others[0]!r}"
            raise FileError(errno.ENOTEMPTY, message, self.folder, hint="choose a new folder")
        remove_folder(self._unfinished)
        make_folder(self.work)
        # Without the manifest the folder is no corpus; with the folder above, the rest is known to be ours.
        for name in sorted(own - {_WORK_FOLDER}, key=lambda name: name != MANIFEST):
            if exists(os.path.join(self.folder, name)):
                remove_file(os.path.join(self.folder, name))
        write_aside(path, data)

    @staticmethod
    def _read_plan(path: str) -> bytes | None:
        """Returns the plan of an unfinished run; None if there is none, or a damaged one, whose parts are done again."""
        data = read_if_exists(path)
        if data is None:
            return None
        try:
            of_checked(data)
        except ValueError as error:
            warn(f"{path} is damaged: {error}; the parts that were done are done again")
            return None
        return data

    def _has_receipts(self) -> bool:
        """Returns whether an unfinished run has done a part."""
        folders = (os.path.join(self._unfinished, name) for name in list_folder(self._unfinished))
        return any(
            name.endswith(".json")
            for folder in folders
            if os.path.isdir(folder)
            for name in list_folder(folder)
        )

    def finish(self, manifest: Manifest) -> None:
        """Writes the manifest, after which the folder is a corpus."""
        write_aside(os.path.join(self.folder, _SOURCES), to_checked(self._sources()))
        manifest.save(self.folder)
        remove_folder(self._unfinished)

    def _own_names(self, *, overwrite: bool) -> set[str]:
        """Returns the names in the folder that belong to a corpus or to an unfinished run."""
        always = {MANIFEST, SKIPPED, _SOURCES, _WORK_FOLDER}
        try:
            if exists(os.path.join(self.folder, MANIFEST)):
                return {*always, *(file.name for file in Manifest.load(self.folder).files)}
        except FormatError:
            if not overwrite:
                raise
        else:
            if not exists(self._unfinished):
                return {_SOURCES}
        suffixes = {suffix for layout in LAYOUTS.values() for suffix in layout.suffixes}
        shard = re.compile(f"shard-[0-9]+({'|'.join(map(re.escape, suffixes))})")
        return {*always, *filter(shard.fullmatch, list_folder(self.folder))}

    def _other_run(self, found: bytes, value: dict[str, Any]) -> FileError:
        """Returns the error for an unfinished run of another plan."""
        try:
            other, own = of_checked(found)["plan"], value["plan"]
            what = self._difference(other["fingerprint"], other["settings"])
            names = [[source["name"] for source in plan["sources"]] for plan in (other, own)]
        except (ValueError, KeyError, TypeError, AttributeError):
            what, names = "another tokenizer, other settings or other files", []
        if what == _OTHER_FILES and names[0] == names[1]:
            what = "files that changed since"
        return self._error(f"has an unfinished run of {what}")

    def _difference(self, fingerprint: str, settings: Mapping[str, Any]) -> str:
        """Returns what differs from another plan, given by its tokenizer and settings."""
        if fingerprint != self._plan.fingerprint:
            return "another tokenizer"
        own = json.loads(json.dumps(self._plan.settings.to_json()))
        names = [name for name in own if own[name] != settings.get(name)]
        if not names:
            return _OTHER_FILES
        name, found = names[0], settings.get(names[0])
        setting = "layout" if name == "format" else name  # its name in plans
        return f"another setting, {setting}: {shown(found)} instead of {shown(own[name])}"

    def _error(self, message: str) -> FileError:
        hint = "pass `overwrite=True` to replace it"
        return FileError(errno.EEXIST, message, self.folder, hint=hint)
