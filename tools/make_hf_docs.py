"""Writes the table of names in docs/hf.md from the modules `tokenizers` and `piecework.hf`.

python tools/make_hf_docs.py           write the page
python tools/make_hf_docs.py --check   exit with 1 if the page is out of date
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

from hf_names import PAGE, page


def main() -> int:
    """Runs the program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    arguments = parser.parse_args()
    text = page()
    if arguments.check:
        is_stale = PAGE.read_text(encoding="utf-8") != text
        if is_stale:
            print(f"{PAGE.name} is stale: run tools/make_hf_docs.py", file=sys.stderr)
        return int(is_stale)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
