"""`encode_batch` of single texts defers columns: read in any order, they equal those of `tokenizers`."""

import copy
import itertools
import pickle
import threading
from typing import Any

import pytest

from hf_peers import COLUMNS, OURS, THEIRS, check_encodings, evaluated

WORDS = "{'[UNK]': 0, '[CLS]': 1, '[SEP]': 2, 'a': 3, 'b': 4, 'hug': 5, '##s': 6, 'é': 7}"
PROCESSORS = (
    "None",
    "processors.BertProcessing(('[SEP]', 2), ('[CLS]', 1))",
    "processors.RobertaProcessing(('[SEP]', 2), ('[CLS]', 1))",
    "processors.ByteLevel()",
    "processors.TemplateProcessing('[CLS] $A [SEP]', '$A $B:1', [('[CLS]', 1), ('[SEP]', 2)])",
    "processors.TemplateProcessing('[CLS]:3 $A:3', '$A $B:1', [('[CLS]', 1)])",
    "processors.TemplateProcessing('[CLS]:1 $A:2 [SEP]', '$A $B:1', [('[CLS]', 1), ('[SEP]', 2)])",
    "processors.Sequence([processors.ByteLevel(), processors.TemplateProcessing('$A:2', '$A $B:1')])",
)
SETTINGS = (
    "",
    "k.enable_padding(); ",
    "k.enable_padding(direction='left', pad_type_id=4, pad_id=3); ",
    "k.enable_padding(length=2); ",
    "k.enable_padding(length=12, direction='left'); ",
    "k.enable_padding(pad_to_multiple_of=8, pad_type_id=1); ",
    "k.enable_truncation(4); k.enable_padding(); ",
    "k.enable_truncation(4, stride=1); k.enable_padding(); ",
    "k.enable_truncation(3, direction='left'); ",
)
TEXTS = ["hugs a b zz", "", "é", "a b a b a b a b", "hug hugs"]
DEFERRED = ("ids", "type_ids", "attention_mask", "n_sequences")


def batches(processor: str, settings: str, call: str = "k.encode_batch(TEXTS)") -> list[Any]:
    expression = (
        f"k = Tokenizer(models.WordPiece({WORDS})); k.pre_tokenizer = pre_tokenizers.Whitespace(); "
        f"k.post_processor = {processor}; {settings}{call.replace('TEXTS', str(TEXTS))}"
    )
    return [evaluated(module, expression) for module in (THEIRS, OURS)]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_columns_are_equal(processor: str, settings: str) -> None:
    for wanted, found in zip(*batches(processor, settings), strict=True):
        for name in DEFERRED:
            assert getattr(found, name) == getattr(wanted, name), name
        assert len(found) == len(wanted)
        check_encodings(wanted, found)
        for name in DEFERRED:
            assert getattr(found, name) == getattr(wanted, name), name


@pytest.mark.parametrize("special", [True, False])
def test_any_column_may_be_read_first(special: bool) -> None:
    call = f"k.encode_batch(TEXTS, add_special_tokens={special})"
    for name in (*COLUMNS, "overflowing"):
        both = batches(PROCESSORS[1], SETTINGS[6], call)
        for wanted, found in zip(*both, strict=True):
            if name != "overflowing":
                assert getattr(found, name) == getattr(wanted, name), name
            else:
                assert [part.ids for part in found.overflowing] == [
                    part.ids for part in wanted.overflowing
                ]


def test_ids_and_masks_need_no_other_columns() -> None:
    for processor in PROCESSORS[:5]:
        for encoding in batches(processor, SETTINGS[1])[1]:
            assert [getattr(encoding, name) for name in DEFERRED]
            assert encoding._columns is None
            assert len(encoding.tokens) == len(encoding)
            assert encoding._columns is not None


@pytest.mark.parametrize(
    "call",
    [
        "k.encode_batch([('a', 'b'), 'a'])",
        "k.encode_batch([['a', 'b'], ['a']], is_pretokenized=True)",
        "k.encode_batch([])",
        "k.encode_batch_fast(TEXTS)",
        "k.encode_batch_fast([])",
    ],
)
def test_other_batches_are_equal(call: str) -> None:
    for wanted, found in zip(*batches(PROCESSORS[1], SETTINGS[1], call), strict=True):
        check_encodings(wanted, found)


def test_lists_are_new_ones() -> None:
    first, *others = batches(PROCESSORS[1], SETTINGS[1])[1]
    before = [(other.ids, other.type_ids, other.attention_mask) for other in (first, *others)]
    for name in ("ids", "type_ids", "attention_mask"):
        getattr(first, name)[:] = [99]
    after = [(other.ids, other.type_ids, other.attention_mask) for other in (first, *others)]
    assert after == before


@pytest.mark.parametrize("is_read", [True, False])
def test_changes_are_equal(is_read: bool) -> None:
    for wanted, found in zip(*batches(PROCESSORS[1], ""), strict=True):
        if is_read:
            assert found.tokens == wanted.tokens
        for encoding in (wanted, found):
            encoding.pad(20, pad_id=3)
            encoding.truncate(4, stride=1)
        check_encodings(wanted, found)
        for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
            check_encodings(wanted, other)


def test_later_changes_of_the_tokenizer_have_no_effect() -> None:
    tok = OURS.Tokenizer(OURS.models.WordLevel({"a": 0, "[UNK]": 1}, "[UNK]"))
    tok.enable_padding(direction="left")
    (encoding, _) = tok.encode_batch(["a", "a a"])
    tok.no_padding()
    tok.add_tokens([" "])
    tok.pre_tokenizer = OURS.pre_tokenizers.Whitespace()
    assert (encoding.ids, encoding.tokens, encoding.attention_mask) == ([0], ["a"], [1])


def test_threads_read_columns_at_once() -> None:
    wanted, found = batches(PROCESSORS[1], SETTINGS[1], "k.encode_batch(TEXTS * 200)")
    errors: list[object] = []

    def read(start: int) -> None:
        for place in itertools.islice(itertools.cycle(range(1000)), start, start + 1000):
            ours, theirs = found[place], wanted[place]
            if (ours.offsets, ours.ids) != (theirs.offsets, theirs.ids):
                errors.extend([ours, theirs])

    threads = [threading.Thread(target=read, args=(100 * number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_rows_of_a_batch() -> None:
    tok = OURS.Tokenizer(OURS.models.WordLevel({"a": 0, "[UNK]": 1, "b": 70000}, "[UNK]"))
    tok.pre_tokenizer = OURS.pre_tokenizers.Whitespace()
    assert [encoding.ids for encoding in tok.encode_batch(["a b", "b"])] == [[0, 70000], [70000]]
    core = tok._ready()
    batch = core.encode_batch(["a b", ""], False, tok._call(core, True).options, False, None)
    assert (batch.row(0), batch.row(1), batch.lengths()) == ([0, 70000], [], [(2, 2), (0, 0)])
    with pytest.raises(IndexError, match="no row 2"):
        batch.row(2)
