"""Build hooks: the version of pgagent.control, and no wheel without the SQL files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).parent
FILES = ROOT / "src" / "pgagent" / "share" / "extension"


def version() -> str:
    """Return default_version of the control file that `make build` put beside the package."""
    control = FILES / "pgagent.control"
    if not control.exists():
        message = f"{control} is missing: run `make build` in the root of the repository first"
        raise FileNotFoundError(message)
    found = re.search(r"^default_version = '(.+)'$", control.read_text(), re.MULTILINE)
    if not found:
        message = f"no default_version in {control}"
        raise ValueError(message)
    return found.group(1)


class Version(MetadataHookInterface):
    """The package has the version of the extension that it carries."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the version."""
        metadata["version"] = version()


class Files(BuildHookInterface[Any]):
    """A wheel without the SQL files could install nothing."""

    PLUGIN_NAME = "custom"

    def initialize(self, version_name: str, build_data: dict[str, Any]) -> None:
        """Fail the build when the script of this version is missing."""
        script = FILES / f"pgagent--{version()}.sql"
        if not script.exists():
            message = f"{script} is missing: run `make build` in the root of the repository first"
            raise FileNotFoundError(message)
