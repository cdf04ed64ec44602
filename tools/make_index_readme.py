"""Writes python/README.md, which package indexes show: README.md with absolute links.

python tools/make_index_readme.py           write the page
python tools/make_index_readme.py --check   exit with 1 if the page is out of date
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

import pages
from index_readme import PAGE, page

if __name__ == "__main__":
    pages.run(__doc__, PAGE, page)
