"""Writes docs/models.md from tests/docs/models.json and from what tokenizers with these components report.

python tools/make_models_docs.py           write the page
python tools/make_models_docs.py --check   exit with 1 if the page is out of date
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))

import pages
from model_families import PAGE, page

if __name__ == "__main__":
    pages.run(__doc__, PAGE, page)
