"""Makes python/README.md, which package indexes show: README.md with absolute links."""

import re
import tomllib

from paths import REPOSITORY

PAGE = REPOSITORY / "python" / "README.md"
LINK = re.compile(r"""(?P<before>\]\(|\b(?:src|srcset)=")(?!https?:|#)(?P<path>[^)"\s]+)""")
IMAGES = (".svg", ".png")


def urls() -> dict[str, str]:
    """Returns the addresses of the project by their names."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, str] = project["urls"]
    return found


def page() -> str:
    """Returns the text of the page."""
    source = urls()["Source"]

    def absolute(link: re.Match[str]) -> str:
        kind = "raw" if link["path"].endswith(IMAGES) else "blob"
        return f"{link['before']}{source}/{kind}/main/{link['path']}"

    return LINK.sub(absolute, (REPOSITORY / "README.md").read_text("utf-8"))
