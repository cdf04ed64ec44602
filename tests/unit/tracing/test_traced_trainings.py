"""Traces: the figures of the notes, states, forms and files."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework import _core
from piecework._settings.choices import Criterion
from piecework.reference.__main__ import SENTENCES
from piecework.reference.learn.criteria import CRITERIA, likelihood
from piecework.training._tracing import examples
from piecework.training._tracing.merges import MergeTrace

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def example(name: str, **settings: Any) -> MergeTrace:
    trace = pw.trace(*pw.training.example(name), **settings)
    assert isinstance(trace, MergeTrace)
    return trace


def scored(trace: MergeTrace) -> list[tuple[str, float]]:
    return [(step.winner.token, step.winner.score) for step in trace]


# The figures of the notes

NOTE_000 = """a ##b 1/5, ##f ##u 1/5, F ##a 1/7, Fa ##c 1/2, ##c ##t 1/7, ##fu ##l 1/7, ##ful ##l 1/6,
##full ##y 1/2, T ##h 1/8, c ##h 1/5, ##h ##m 1/4, ch ##a 1/6, cha ##p 1/2, chap ##t 1/6, ##t ##hm 1/5,
H ##u 1/8, Hu ##g 1/4, Hug ##g 1/3, s ##h 1/9, t ##h 1/7, i ##s 1/10, ##thm ##s 1/8, ##z ##a 1/10,
##za ##t 1/4, ##u ##t 1/9"""


def test_note_000() -> None:
    trace = example("note-000")
    assert examples.SENTENCES == SENTENCES
    rows = []
    for text in NOTE_000.replace("\n", " ").split(", "):
        left, right, score = text.split()
        numerator, denominator = map(int, score.split("/"))
        rows.append((left, right, numerator / denominator))
    assert [(s.winner.left, s.winner.right, s.winner.score) for s in trace] == rows
    assert (len(trace.initial_vocab), len(trace.tokenizer)) == (45, 70)
    assert trace.initial_vocab[:11] == (
        *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
        *("T", "##h", "##i", "##s", "i", "t"),
    )
    tokens = "Th ##i ##s is th ##e Hugg ##i ##n ##g Fac ##e C ##o ##u ##r ##s ##e ."
    assert trace.tokenizer.tokenize(SENTENCES[0]) == tokens.split()
    assert (trace[0].ties, trace[0].candidates[1].token) == (2, "##fu")


def test_note_001() -> None:
    trace = example("note-001")
    expected = [
        *(("##gs", 1 / 20), ("hu", 1 / 36), ("hugs", 1 / 15)),
        *(("hug", 1 / 15), ("pu", 1 / 21), ("bu", 1 / 4)),
    ]
    assert scored(trace) == expected
    # The table of the first step: all pairs with ##u score 1/36.
    assert [c.score for c in trace[0].runners_up] == [1 / 36] * 5
    # After two merges (hu, ##g) scores 2/45, and only (hu, ##gs) 1/15.
    scores = {(c.left, c.right): c.score for c in trace[2].candidates}
    assert scores["hu", "##g"] == 10 / (15 * 15)
    assert scores["hu", "##gs"] == trace[2].winner.score == 1 / 15
    assert trace[2].ties == 1
    assert [str(word) for word in trace.words(0)][-1] == "hugs (5): h ##u ##g ##s"
    assert [str(word) for word in trace.words(1)] == [
        "hug (10): h ##u ##g",
        "pug (5): p ##u ##g",
        "pun (12): p ##u ##n",
        "bun (4): b ##u ##n",
        "hugs (5): h ##u ##gs",
    ]
    assert [str(word) for word in trace.changed_words(3)] == ["hugs (5): hugs"]


def test_note_002() -> None:
    trace = example("note-002")
    gains = [("##ug", 28.0178), ("##un", 42.6973), ("hug", 26.7232), ("pun", 11.1664)]
    gains += [("pug", 16.2541), ("bun", 13.4982), ("hugs", 5.6549)]
    assert [(token, round(score, 4)) for token, score in scored(trace)] == gains
    assert round(trace.log_likelihood(0), 4) == -198.5343
    assert round(trace.log_likelihood(7), 4) == -54.5224
    assert trace[0].total == 113
    for step in trace:
        gain = trace.log_likelihood(step.number) - trace.log_likelihood(step.number - 1)
        assert gain == pytest.approx(step.winner.score)


def test_note_003() -> None:
    trace = example("note-003", top=30)
    expected = (
        "in 8, fin 7, es 6, est</w> 6, finest</w> 5, er</w> 4, do 4, ol 3, lo 3, low 3, dog 3, "
        "dogs</w> 3, old 2, older</w> 2, fine</w> 2, lower</w> 2, ca 2, old</w> 1, lowest</w> 1, "
        "min 1, mind</w> 1, cat</w> 1, cat 1, cats</w> 1, dog</w> 1"
    )
    assert ", ".join(f"{token} {score:.0f}" for token, score in scored(trace)) == expected
    # The tables of symbols and pairs that the note prints.
    first = {"o": 10, "e": 10, "i": 8, "n": 8, "f": 7, "t</w>": 7, "l": 6, "d": 6, "s": 6}
    assert trace.symbols(0).items() >= first.items()
    assert trace.symbols(1).items() >= {"in": 8, "o": 10, "f": 7}.items()
    assert not trace.symbols(1).keys() & {"i", "n"}
    pairs = {(c.left, c.right): c.pair_count for c in trace[0].candidates}
    assert (len(pairs), trace[0].pairs) == (24, 24)
    assert pairs["e", "r</w>"] == 4
    assert pairs["g", "s</w>"] == 3
    assert trace.remaining == ()
    assert all(len(word.tokens) == 1 for word in trace.words(len(trace)))


def test_note_004() -> None:
    sums = [("##ug", 0.3571), ("##un", 0.5), ("hug", 0.4286)]
    sums += [("pun", 0.3636), ("pug", 0.5), ("bun", 0.5)]
    assert [(token, round(score, 4)) for token, score in scored(example("note-004"))] == sums
    expected = "es 9, est 9, est</w> 9, lo 7, low 7, ne 6, new 6, newest</w> 6, low</w> 5, wi 3"
    merges = scored(example("note-004-bpe"))[:10]
    assert ", ".join(f"{token} {score:.0f}" for token, score in merges) == expected
    words = example("note-004-bpe").words(4)
    assert [" ".join(map(str, word.tokens)) for word in words] == [
        *("lo w </w>", "lo w e r </w>", "n e w est</w>", "w i d est</w>")
    ]


def test_criteria_side_by_side() -> None:
    sides = pw.trace_criteria(HUG, pw.WordPieceTrainer(18, ties="first"))
    expected = {
        "likelihood": "##ug ##un hug pun pug bun",
        "pmi": "##gs hu hugs hug pu bu",
        "sum": "##ug ##un hug pun pug bun",
        "frequency": "##ug ##un hug pun pug hugs",
    }
    found = {name: " ".join(s.winner.token for s in trace) for name, trace in sides.items()}
    assert found == expected
    assert set(sides) == set(CRITERIA)
    numbers = [number for number, _ in sides.steps(slice(2, 4))]
    assert numbers == [3, 4]
    last = dict(sides.steps())[6]
    assert last["frequency"] is not None
    assert last["frequency"].winner.token == "hugs"


def test_criteria_of_different_lengths() -> None:
    trainer = pw.WordPieceTrainer(50, ties="first", stop_without_gain=True)
    sides = pw.trace_criteria(HUG | {"gh": 1}, trainer)
    lengths = {name: len(trace) for name, trace in sides.items()}
    assert len(set(lengths.values())) > 1
    rows = dict(sides.steps())
    assert len(rows) == max(lengths.values())
    for name, length in lengths.items():
        assert [row[name] is None for row in rows.values()] == [n > length for n in rows]
    assert len(str(sides).splitlines()) == len(rows) + 1


@pytest.mark.parametrize("criterion", CRITERIA)
def test_scores_by_all_criteria_are_those_of_the_trainings(criterion: Criterion) -> None:
    words = HUG | {"aaaa": 3, "aaa": 2, "baab": 7}
    first = {}
    for name in CRITERIA:
        trainer = pw.WordPieceTrainer(60, criterion=name, max_merges=1)  # type: ignore[arg-type]
        trace = pw.trace(words, trainer, top=100)
        first[name] = {(c.left, c.right): c for c in trace[0].candidates}
    for pair, found in first[criterion].items():
        assert found.scores() == {name: first[name][pair].score for name in first}


def test_pair_scores_equal_the_reference() -> None:
    gain = float(likelihood(20, 36, 20, 113))
    assert _core.pair_scores((20, 20, 36, 20, 113), False) == [gain, 20 / 720, 20 / 56, 20.0]
    gain = float(likelihood(5, 15, 15, 40, is_same_symbol=True))
    assert _core.pair_scores((10, 5, 15, 15, 40), True) == [gain, 10 / 225, 10 / 30, 10.0]


# Arguments and states


def test_accepts_what_train_accepts() -> None:
    texts = [" ".join([word] * count) for word, count in HUG.items()]
    trainer = pw.WordPieceTrainer(18)
    made = [texts, iter(texts), HUG, pw.WordCounts(HUG), pw.WordCounts.from_texts(texts)]
    traces = [pw.trace(each, trainer, top=3) for each in made]
    assert len({json.dumps(trace.to_dict()["steps"]) for trace in traces}) == 1
    tokenizer = pw.train(texts, trainer)
    assert traces[0].tokenizer == tokenizer
    assert tuple(step.merge for step in traces[0]) == tokenizer.history
    assert pw.trace(["New York"], trainer.__class__(60), normalizer=None).tokenizer == pw.train(
        ["New York"], trainer.__class__(60), normalizer=None
    )


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"top": 0}, "top"),
        ({"top": True}, "top"),
        ({"words": -1}, "words"),
        ({"top": 2**40}, "top"),
    ],
)
def test_limits_out_of_range(settings: dict[str, Any], name: str) -> None:
    with pytest.raises(pw.errors.ConfigError, match=name):
        pw.trace(HUG, pw.WordPieceTrainer(18), **settings)


def test_other_trainers_are_refused() -> None:
    wrong: Any = pw.WordLevelTrainer(5)
    with pytest.raises(TypeError, match="UnigramTrainer"):
        pw.trace(HUG, wrong)
    bpe: Any = pw.BpeTrainer()
    with pytest.raises(TypeError, match="WordPieceTrainer"):
        pw.trace_criteria(HUG, bpe)


@pytest.mark.parametrize("criteria", [["dice"], ["pmi", "pmi"]])
def test_unknown_criteria_are_refused(criteria: Any) -> None:
    with pytest.raises(pw.errors.ConfigError, match="criteria"):
        pw.trace_criteria(HUG, pw.WordPieceTrainer(18), criteria=criteria)


def test_unknown_example_is_refused() -> None:
    with pytest.raises(pw.errors.ConfigError, match="did you mean 'note-001'"):
        pw.training.example("note-01")


def test_states_out_of_range() -> None:
    trace = example("note-001")
    for call in (trace.words, trace.symbols, trace.log_likelihood, trace.changed_words):
        for state in (-1, 7):
            with pytest.raises(pw.errors.ConfigError, match="0 to 6"):
                call(state)  # type: ignore[operator]
    with pytest.raises(IndexError):
        trace[6]
    with pytest.raises(AttributeError, match="immutable"):
        trace.top = 3


def test_is_a_sequence() -> None:
    trace = example("note-001")
    assert len(trace) == 6
    assert trace[-1] == trace[5] == list(trace)[-1]
    assert trace[1:3] == (trace[1], trace[2])
    assert next(reversed(trace)) == trace[-1]
    assert pickle.loads(pickle.dumps(trace)).to_dict() == trace.to_dict()


def test_words_are_limited_to_the_most_frequent() -> None:
    trace = example("note-001", words=2)
    assert [(word.word, word.count) for word in trace.word_traces] == [("hug", 10), ("pun", 12)]
    assert trace.other_words == 3
    assert "and 3 other words" in str(trace)
    assert example("note-001", words=0).words(3) == ()
    assert example("note-001", words=None).other_words == 0


def test_dropped_characters_are_none() -> None:
    trace = pw.trace({"aba": 5, "aca": 1}, pw.WordPieceTrainer(30, limit_alphabet=2))
    assert isinstance(trace, MergeTrace)
    assert trace.words(0)[1].tokens == ("a", None, "##a")
    assert str(trace.words(0)[1]) == "aca (1): a □ ##a"


def test_a_word_without_symbols_has_no_tokens() -> None:
    trainer = pw.BpeTrainer(ties="hf", limit_alphabet=1)
    trace = pw.trace({"aa": 5, "b": 1}, trainer, words=None)
    assert isinstance(trace, MergeTrace)
    assert [word.tokens for word in trace.words(1)] == [("aa",), ()]
    assert "  b (1):\n" in str(trace)


def test_pairs_are_counted_as_the_criterion_counts_them() -> None:
    def pairs(criterion: Criterion) -> int:
        trainer = pw.WordPieceTrainer(20, criterion=criterion, min_frequency=2)
        trace = pw.trace({"baaa": 1, "bbcc": 3}, trainer)
        assert isinstance(trace, MergeTrace)
        return trace[0].pairs

    # ##a ##a occurs twice in baaa, where it can be merged once.
    assert (pairs("frequency"), pairs("likelihood")) == (4, 3)


def test_training_without_merges() -> None:
    trace = pw.trace(HUG, pw.WordPieceTrainer(12))
    assert isinstance(trace, MergeTrace)
    assert (len(trace), trace.words(0)[0].tokens) == (0, ("h", "##u", "##g"))
    assert trace.remaining[0].token == "##ug"
    assert trace.remaining[0].total == 113
    assert "after 0 merges" in str(trace)
    assert trace.to_table().num_rows == 0
    assert trace._repr_html_().startswith('<div class="piecework"')


def test_pruned_tokens_are_recorded() -> None:
    words = {"ab": 1, "abc": 30, "xabc": 7, "bc": 2}
    trainer = pw.WordPieceTrainer(14, criterion="frequency", prune_unused=True, special_tokens=[])
    trace = pw.trace(words, trainer)
    assert isinstance(trace, MergeTrace)
    pruned = [token for _, tokens in trace.pruned for token in tokens]
    assert pruned
    assert not set(pruned) & set(trace.tokenizer.vocab)
    for _, tokens in trace.pruned:
        assert f"pruned ({len(tokens)}): {' '.join(tokens)}" in str(trace)


# Forms


def test_json_allows_to_step_both_ways() -> None:
    trace = example("note-000", words=None)
    data = json.loads(json.dumps(trace.to_dict()))
    counts = dict(data["symbols"])
    for state in range(len(trace) + 1):
        assert {token: n for token, n in counts.items() if n} == trace.symbols(state)
        for word, traced in zip(data["words"], trace.words(state), strict=True):
            tokens = word["symbols"][:1]
            for symbol, merge in zip(word["symbols"][1:], word["merged_at"], strict=True):
                if merge is not None and merge <= state:
                    tokens[-1] += symbol.removeprefix(data["prefix"])
                else:
                    tokens.append(symbol)
            assert tuple(tokens) == traced.tokens
        if state < len(trace):
            won = data["steps"][state]["candidates"][0]
            counts[won["left"]] -= won["merge_count"]
            counts[won["right"]] -= won["merge_count"]
            counts[won["token"]] = counts.get(won["token"], 0) + won["merge_count"]
    for won in reversed([step["candidates"][0] for step in data["steps"]]):  # and back
        counts[won["left"]] += won["merge_count"]
        counts[won["right"]] += won["merge_count"]
        counts[won["token"]] -= won["merge_count"]
    assert {token: n for token, n in counts.items() if n} == trace.symbols(0)
    assert (data["model"], data["top"], data["other_words"]) == ("WordPiece", 10, 0)


def test_json_is_bounded_by_the_limits() -> None:
    words = {
        f"w{a}{b}{c}": a + 10 * b + c + 1 for a in range(9) for b in range(9) for c in range(9)
    }
    trace = pw.trace(words, pw.BpeTrainer(max_merges=100), top=3, words=5)
    data = trace.to_dict()
    assert len(data["words"]) == 5
    assert data["other_words"] == len(words) - 5
    assert max(len(step["candidates"]) for step in data["steps"]) == 3
    assert len(json.dumps(data)) < 100 * 3 * 400


def traces() -> dict[str, Any]:
    return {
        "wordpiece": example("note-001", top=3),
        "unigram": pw.trace({"▁hug": 10, "▁hugs": 5, "▁bun": 3}, pw.UnigramTrainer(12)),
        "criteria": pw.trace_criteria(*pw.training.example("note-001"), top=2),  # type: ignore[arg-type]
    }


@pytest.mark.parametrize("name", ["wordpiece", "unigram", "criteria"])
def test_files(name: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    trace = traces()[name]
    for ending in ("parquet", "ndjson", "jsonl", "json"):
        trace.save(tmp_path / f"t.{ending}")
    assert pq.read_table(tmp_path / "t.parquet").to_pylist() == trace.to_rows()
    assert trace.to_table().to_pylist() == trace.to_rows()
    assert [column for column, _ in trace.columns()] == list(trace.to_rows()[0])
    lines = (tmp_path / "t.ndjson").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == json.loads(json.dumps(list(trace.to_lines())))
    assert (tmp_path / "t.jsonl").read_bytes() == (tmp_path / "t.ndjson").read_bytes()
    saved = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert saved == json.loads(json.dumps(trace.to_dict()))
    with pytest.raises(pw.errors.ConfigError, match=r"\.parquet"):
        trace.save(tmp_path / "t.csv")


def test_parquet_holds_the_largest_counts() -> None:
    trace = pw.trace({"ab": 2**63 - 1}, pw.BpeTrainer())
    assert trace.to_table().to_pylist()[0]["pair_count"] == 2**63 - 1


HOSTILE = {
    "<script>alert(1)</script>": 3,
    "\u202eevil\u202c": 2,
    "a\x00b\x1b[31m": 2,
    "&amp;": 1,
    "中文 字": 4,
    "'\"": 1,
    "a" + "\u0301" * 100: 1,
}


@pytest.mark.filterwarnings("ignore::piecework.errors.PieceworkWarning")
def test_html_and_text_are_escaped() -> None:
    made = [
        pw.trace(HOSTILE, pw.BpeTrainer(), words=None),
        pw.trace(HOSTILE, pw.UnigramTrainer(40, character_coverage=1.0)),
        pw.trace_criteria(HOSTILE, pw.WordPieceTrainer(200)),
    ]
    shown = [trace._repr_html_() for trace in made]
    shown += [step._repr_html_() for step in made[0]]
    shown += [trace.tokenizer.training._repr_html_() for trace in made[:2]]
    shown += [made[0].tokenizer.history._repr_html_()]
    for html in shown:
        assert html.startswith('<div class="piecework"')
        assert "<script" not in html
        assert "\u202e" not in html
        assert "\x1b" not in html
    for trace in made:
        assert not {"\u202e", "\x1b", "\x00"}.intersection(str(trace))
    for shown_text in (*shown, *map(str, made)):
        assert "\u0301" * 5 not in shown_text
    assert "&lt;" in shown[0]


def test_long_word() -> None:
    word = "ab" * 500_000 + "c"
    trace = pw.trace({word: 1, "x": 2}, pw.BpeTrainer(max_merges=20))
    assert isinstance(trace, MergeTrace)
    assert len(trace.words(20)[0].tokens) < 20
    assert len(trace.words(0)[0].tokens) == len(word)
    assert max(map(len, str(trace).splitlines())) < 50_000


def test_many_steps_are_cut_in_str() -> None:
    words = {f"w{n}x": n + 1 for n in range(300)}
    trace = pw.trace(words, pw.BpeTrainer(max_merges=60), top=1, words=1)
    assert isinstance(trace, MergeTrace)
    assert str(trace).endswith("and 10 more steps")
    assert "step 50:" in str(trace)
    assert "step 51:" not in str(trace)
    assert "step 60:" in trace.to_text()
    assert trace.to_text(slice(58, None)).count("step ") == 2
    with pytest.raises(pw.errors.ConfigError, match="without gaps"):
        trace.to_text(slice(0, 9, 2))
    assert "after 58 merges" in trace.to_text(slice(58, None))
    assert ">and 10 more steps<" in trace._repr_html_()


def test_histories_in_notebooks() -> None:
    tok = pw.train(HUG, pw.WordPieceTrainer(18))
    assert tok.history == tuple(tok.history)
    assert repr(tok.history) == "MergeHistory(6 merges)"
    assert pickle.loads(pickle.dumps(tok.history)) == tok.history
    assert "WordPiece" not in str(tok.training)
    assert "##ug" in tok.history._repr_html_()
    unknown = pw.Tokenizer.from_str("[UNK]\nhug\n").training
    assert (str(unknown), repr(unknown)) == ("unknown", "TrainingInfo(unknown)")


# Unigram


def test_unigram_trace() -> None:
    trace = pw.trace(HUG, pw.UnigramTrainer(13), top=100, normalizer=None, pre_tokenizer=None)
    steps = trace.tokenizer.training.steps
    assert [(s.pieces, s.log_likelihood, s.removed_number) for s in trace] == [
        (s.pieces, s.log_likelihood, len(s.removed or ())) for s in steps
    ]
    assert [tuple(p.piece for p in s.removed) for s in trace] == [s.removed for s in steps]
    assert round(trace[0].log_likelihood or 0, 3) == -88.144
    for step in trace:
        values = [found.value for found in step.most_probable]
        assert values == sorted(values, reverse=True)
        losses = [found.value for found in step.removed + step.kept]
        assert losses == sorted(losses)
    assert "log-likelihood -88.1444" in str(trace)
