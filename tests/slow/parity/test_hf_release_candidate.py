"""What `tokenizers` 1.0rc shares with 0.23 works alike in `piecework.hf`: loading, encoding, decoding and their columns.

The release candidate has another interface, so it cannot be installed beside 0.23. PIECEWORK_TOKENIZERS_RC names a folder that
it was installed to: ``pip install --no-deps --pre --target FOLDER "tokenizers>=1.0.0rc0"``.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tokenizers

import model_families
from hf_peers import TEXTS
from piecework.hf import Tokenizer

FOLDER = os.environ.get("PIECEWORK_TOKENIZERS_RC", "")
pytestmark = pytest.mark.skipif(
    not FOLDER, reason="PIECEWORK_TOKENIZERS_RC names no folder with tokenizers 1.0rc"
)
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from tokenizers import Tokenizer
tok = Tokenizer.from_file(sys.argv[2])
texts = json.load(sys.stdin)
rows = []
for special in (True, False):
    for text in texts:
        e = tok.encode(text, add_special_tokens=special)
        rows.append([e.ids, e.type_ids, e.attention_mask, tok.decode(e.ids), tok.decode(e.ids, skip_special_tokens=False)])
    rows.append([e.ids for e in tok.encode_batch(texts, add_special_tokens=special)])
print(json.dumps(rows))
"""
NAMES = [
    name
    for name, entry in model_families.entries().items()
    if entry.get("format", "tokenizer.json") == "tokenizer.json"
]


@pytest.mark.parametrize("name", NAMES)
def test_shared_calls_are_equal(name: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(model_families.family(name).content)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, FOLDER, str(path)],
        input=json.dumps(TEXTS),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"tokenizers 1.0rc fails: {done.stderr.strip().splitlines()[-1]}")
    found = json.loads(done.stdout)
    if rows_of(tokenizers.Tokenizer.from_file(str(path))) != found:
        pytest.skip("tokenizers 1.0rc differs from 0.23")
    assert rows_of(Tokenizer.from_file(str(path))) == found


def rows_of(tok: Any) -> list[Any]:
    """Returns the columns and texts of all texts."""
    rows = []
    for special in (True, False):
        for text in TEXTS:
            e = tok.encode(text, add_special_tokens=special)
            texts = [tok.decode(e.ids, skip_special_tokens=skip) for skip in (True, False)]
            rows.append([e.ids, e.type_ids, e.attention_mask, *texts])
        batch = tok.encode_batch(list(TEXTS), add_special_tokens=special)
        rows.append([e.ids for e in batch])
    return rows
