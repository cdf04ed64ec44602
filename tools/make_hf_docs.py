"""Writes the table of names in docs/hf.md from the modules `tokenizers` and `piecework.hf`.

python tools/make_hf_docs.py           write the page
python tools/make_hf_docs.py --check   exit with 1 if the page is out of date
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

import pages
from hf_names import PAGE, page

if __name__ == "__main__":
    pages.run(__doc__, PAGE, page)
