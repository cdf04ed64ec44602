"""Writes THIRD_PARTY.md from the crates that Cargo.lock names, whose sources Cargo has downloaded.

python tools/make_third_party.py           write the page
python tools/make_third_party.py --check   exit with 1 if the page is out of date
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

import pages
from third_party import PAGE, expression, page

if __name__ == "__main__":
    pages.run(__doc__, PAGE, page)
    print("license =", expression())
