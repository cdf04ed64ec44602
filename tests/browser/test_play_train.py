"""The view "Train" of the page in a real browser: its figures are those of `trace`, and it is used by mouse and by keys."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
import play_page
from paths import unpacked
from piecework.reference.mini import wordpiece

pytestmark = pytest.mark.slow

OpenTrain = Callable[..., Any]
TEXT = "the hugs of the pugs and the puns of the buns, the hugging pugs 中文 " * 9
HOSTILE = (
    "<script>document.title='bad'</script> <img/src=x/onerror=alert(1)> \u202eevil\u202c \u2066x\u2069 __proto__ constructor "
    + f"e{chr(0x301) * 10_000} {'hugs' * 20_000} a\x00b "
)


@pytest.fixture(scope="module")
def address(play_server: Callable[..., str]) -> str:
    return play_server({})


@pytest.fixture
def open_train(open_page: Any, address: str) -> OpenTrain:
    """Returns a function that opens the page at its view "Train", and waits for the first training."""

    def run(fragment: str = "", **settings: Any) -> Any:
        page = open_page(f"{address}{fragment}", **{"locale": "en-US", **settings})
        page.wait_for_selector("html[data-ready]")
        if not fragment:
            page.click("#tab-train")
        page.wait_for_selector(".train-training:not([hidden])")
        return page

    return run


def go(page: Any, state: int) -> None:
    page.locator(".train-slider").fill(str(state))


def wait_until(page: Any, selector: str, text: str) -> None:
    """Waits until an element contains a text."""
    page.locator(selector, has_text=text).wait_for(state="attached")


def train(page: Any, text: str, **choices: str) -> None:
    """Trains on a text; waits until the page has the answer."""
    page.select_option(".train-source-choice", "text")
    page.locator(".train-text").evaluate(play_page.SET_TEXT, text)
    run(page, **choices)


def run(page: Any, **choices: str) -> None:
    """Trains with settings; waits until the page has the answer."""
    if "size" in choices:
        page.fill(".train-size", choices.pop("size"))
    for name, value in choices.items():
        page.select_option(f".train-{name}-choice", value)
    with page.expect_response("**/api/trace"):
        page.click(".train-run")
    page.wait_for_selector(".train:not([aria-busy])")


def pieces(cell: Any) -> list[str]:
    return cell.locator(".piece").all_inner_texts()


def words(page: Any) -> list[tuple[str, str, list[str]]]:
    """Returns the words as shown: word, count and pieces."""
    rows: list[tuple[str, str, list[str]]] = page.eval_on_selector_all(
        ".train-words tbody tr",
        "rows => rows.map(row => [row.cells[0].innerText, row.cells[1].innerText,"
        " [...row.querySelectorAll('.piece')].map(each => each.innerText)])",
    )
    return [tuple(row) for row in rows]  # type: ignore[misc]


def candidates(page: Any) -> list[list[str]]:
    """Returns the rows of the table of candidates: rank, left, right, score and counts; a tie is marked."""
    rows: list[list[str]] = page.eval_on_selector_all(
        ".train-candidates tbody tr",
        "rows => rows.filter(row => row.checkVisibility({visibilityProperty: true})).map(row => [row.cells[0].innerText.trim(), ...[...row.querySelectorAll('.piece')].map(each => each.innerText),"
        " ...[...row.cells].slice(2).map(cell => cell.innerText)])",
    )
    return rows


def made(page: Any) -> tuple[list[str], dict[str, str]]:
    """Returns the tokens of the last merge, and its figures."""
    line = page.locator(".train-made-panel")
    tokens = [*pieces(line.locator(".train-left")), *pieces(line.locator(".train-right"))]
    figures = {
        name: line.locator(f".train-{name}").inner_text()
        for name in ("score", "pair-count", "left-count", "right-count")
    }
    ties = line.locator(".train-ties")
    figures["ties"] = ties.inner_text() if ties.is_visible() else "1"
    return [*tokens, *pieces(line.locator(".train-token"))], figures


def expected(found: pw.training.Candidate) -> list[str]:
    counts = (found.pair_count, found.left_count, found.right_count)
    return [found.left, found.right, f"{found.score:.6g}", *map(str, counts)]


def test_the_25_merges_of_note_000(open_train: OpenTrain) -> None:
    counts, trainer = pw.training.example("note-000")
    trace = pw.trace(counts, trainer, top=8)
    page = open_train()
    assert page.locator(".train-position").inner_text() == "0 / 25"
    assert page.locator(".train-made-panel").inner_text().startswith("Start")
    for state in range(26):
        if state:
            page.click(".train-forward")
            tokens, figures = made(page)
            won = trace[state - 1].winner
            assert tokens == [won.left, won.right, won.token]
            assert list(figures.values()) == [*expected(won)[2:], str(trace[state - 1].ties)]
        assert words(page) == [
            (word.word, str(word.count), list(word.tokens)) for word in trace.words(state)
        ]
        changed = page.locator(".train-changed th").all_inner_texts()
        assert changed == [word.word for word in trace.changed_words(state)]
        following = trace[state].candidates if state < 25 else trace.remaining
        ties = trace[state].ties if state < 25 else 2
        assert candidates(page) == [
            [f"tie {each.rank}" if each.rank == 1 and ties > 1 else str(each.rank), *expected(each)]
            for each in following
        ]
        entries = dict(
            page.eval_on_selector_all(
                ".train-entries li",
                "items => items.map(item => ['.piece', '.train-occurrences'].map(each => item.querySelector(each).innerText))",
            )
        )
        occurrences = {token: int(shown) for token, shown in entries.items() if shown != "0"}
        assert occurrences == trace.symbols(state)
        vocab = [*trace.initial_vocab, *(step.winner.token for step in trace[:state])]
        assert sorted(entries) == sorted(vocab)
    assert page.locator(".train-position").inner_text() == "25 / 25"


def test_the_merges_are_those_of_the_plain_algorithm(open_train: OpenTrain) -> None:
    """An independent implementation in exact fractions makes the same 25 merges."""
    counts, _ = pw.training.example("note-000")
    page = open_train()
    shown = []
    for _ in range(25):
        page.click(".train-forward")
        (left, right, _), figures = made(page)
        shown.append(((left, right), figures["score"]))
    learned = islice(wordpiece.learn(dict(counts.items())), 25)
    assert shown == [(pair, f"{float(score):.6g}") for pair, score, _ in learned]


def test_any_order_of_moves_shows_the_same_state(open_train: OpenTrain) -> None:
    page = open_train()

    def state() -> tuple[Any, ...]:
        shown = page.locator(".train-entries li").all_inner_texts()
        table = page.locator(".train-merges tbody").inner_text()
        marks = page.locator(".train-changed th").all_inner_texts()
        return words(page), candidates(page), shown, table, marks

    forwards = [state()]
    for _ in range(25):
        page.click(".train-forward")
        forwards.append(state())
    for number in [24, 23, 0, 25, 7, 6, 9, 1, 24, 0]:
        go(page, number)
        assert state() == forwards[number]
    page.click(".train-last")
    assert state() == forwards[25]
    page.click(".train-back")
    assert state() == forwards[24]
    page.click(".train-first")
    assert state() == forwards[0]


def test_criteria_side_by_side(open_train: OpenTrain, screenshots: Path) -> None:
    page = open_train(viewport={"width": 1280, "height": 1000})
    page.check(".train-side")
    page.wait_for_selector(".train-criteria")
    counts, trainer = pw.training.example("note-000")
    traces = pw.trace_criteria(counts, trainer, criteria=["pmi", "likelihood", "sum", "frequency"])
    longest = max(map(len, traces.values()))
    assert page.locator(".train-position").inner_text() == f"0 / {longest}"
    for state in (1, 4, 10, longest):
        go(page, state)
        row = page.locator(".train-criteria [aria-current] td").all()
        assert row[0].inner_text() == str(state)
        steps = [trace[state - 1] for trace in traces.values()]
        assert [pieces(cell) for cell in row[1:]] == [[step.winner.token] for step in steps]
        scores = [cell.locator(".train-score").inner_text() for cell in row[1:]]
        assert scores == [f"{step.winner.score:.6g}" for step in steps]
        differ = [cell.locator(".differs").count() for cell in row[1:]]
        assert differ == [int(step.winner.token != steps[0].winner.token) for step in steps]
    page.screenshot(path=screenshots / "train-criteria.png", full_page=True)
    go(page, 10)
    page.select_option(".train-detail", "frequency")
    assert [row[2] for row in words(page)] == [
        list(word.tokens) for word in traces["frequency"].words(10)
    ]
    assert page.locator(".train-position").inner_text() == f"10 / {longest}"


def test_unigram(open_train: OpenTrain, screenshots: Path) -> None:
    page = open_train(viewport={"width": 1280, "height": 1000})
    train(page, TEXT, model="unigram", size="21")
    trace = pw.trace([TEXT], pw.UnigramTrainer(21), top=8)
    assert [step.kind for step in trace].count("pruning") == 3
    show = trace.tokenizer.display_token
    rows = page.locator(".train-steps tbody tr")
    assert rows.count() == len(trace)
    for step in trace:
        go(page, step.number)
        assert rows.nth(step.number - 1).get_attribute("aria-current") == "step"
        for name in ("removed", "kept", "most_probable"):
            listed = page.locator(f".train-{name} tbody tr").all()
            wanted = [(show(piece), f"{value:.6g}") for piece, value in getattr(step, name)]
            assert [row.locator(".number").inner_text().replace(",", "") for row in listed] == [
                value for _, value in wanted
            ]
            assert [row.locator(".piece").inner_text() for row in listed] == [
                piece.replace(" ", "␣") for piece, _ in wanted
            ]
        cells = rows.nth(step.number - 1).locator("td").all_inner_texts()
        assert cells[1:3] == ["EM" if step.kind == "em" else "pruning", str(step.pieces)]
    assert page.locator(".train-chart polyline").count() == 2
    go(page, 2)
    assert page.locator(".train-removed thead").inner_text().split() == ["piece", "loss"]
    page.screenshot(path=screenshots / "train-unigram.png", full_page=True)


def test_byte_level_tokens_are_readable(open_train: OpenTrain) -> None:
    page = open_train()
    train(page, "né né 中文 " * 5, model="byte-bpe", size="300")
    page.click(".train-last")
    assert ["␣né"] in [row[2] for row in words(page)]
    assert ["␣中文"] in [row[2] for row in words(page)]
    go(page, 1)
    assert "Ã" not in page.locator(".train").inner_text()


def test_by_keyboard_alone(open_page: Any, address: str) -> None:
    page = open_page(address, locale="en-US")
    page.wait_for_selector("html[data-ready]")
    play_page.tab_to(page, "[role=tab]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(".train-training:not([hidden])")
    position = page.locator(".train-position")
    play_page.tab_to(page, ".train-back")
    for key, shown in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", 25),
        ("ArrowRight", 25),
        ("Home", 0),
        ("ArrowLeft", 0),
    ]:
        page.keyboard.press(key)
        assert position.inner_text() == f"{shown} / 25"
    play_page.tab_to(page, ".train-slider")
    page.keyboard.press("ArrowRight")
    assert position.inner_text() == "1 / 25"
    page.keyboard.press(" ")
    wait_until(page, ".train-play", "Pause")
    page.keyboard.press(" ")
    assert page.locator(".train-play").inner_text() == "Play"
    page.keyboard.press("Home")
    wait_until(page, ".train-live", "Start")
    page.keyboard.press("ArrowRight")
    wait_until(page, ".train-live", "Merge 1")
    said = page.locator(".train-live").text_content()
    assert said == "Merge 1: a and ##b become ab, score 0.2, pair 2, left 5, right 2, ties 2."
    assert page.get_attribute(".train-slider", "aria-valuetext") == "1 of 25"
    play_page.tab_to(page, ".train-use")
    page.keyboard.press("Enter")
    assert page.get_attribute("#tab-type", "aria-selected") == "true"


def test_own_text_by_keyboard(open_train: OpenTrain) -> None:
    page = open_train()
    play_page.tab_to(page, ".train-source-choice")
    page.keyboard.press("End")
    play_page.tab_to(page, ".train-text")
    page.keyboard.insert_text("low low lower newest widest")
    play_page.tab_to(page, ".train-size")
    page.keyboard.press("Control+a")
    page.keyboard.type("40")
    with page.expect_response("**/api/trace"):
        page.keyboard.press("Enter")
    page.wait_for_selector(".train-words th:text-is('widest')")
    trace = pw.trace(["low low lower newest widest"], pw.WordPieceTrainer(40), words=100)
    page.click(".train-last")
    assert [row[2] for row in words(page)] == [
        list(word.tokens) for word in trace.words(len(trace))
    ]


def test_playing_announces_only_its_end(open_train: OpenTrain) -> None:
    page = open_train()
    wait_until(page, ".train-live", "Start")
    page.evaluate(
        "() => { window.said = []; new MutationObserver(() => window.said.push(document.querySelector('.train-live').textContent))"
        ".observe(document.querySelector('.train-live'), {childList: true}); }"
    )
    page.select_option(".train-speed", "frame")
    page.click(".train-play")
    wait_until(page, ".train-position", "25 / 25")
    play_page.until(page, lambda: len(page.evaluate("window.said")) >= 1)
    page.wait_for_timeout(400)  # for more, which would be wrong
    assert len(page.evaluate("window.said")) == 1
    page.click(".train-play")  # from the start again
    wait_until(page, ".train-play", "Pause")
    wait_until(page, ".train-play", "Play")
    assert page.locator(".train-position").inner_text() == "25 / 25"


def test_a_dropped_file_is_trained_on(open_train: OpenTrain) -> None:
    page = open_train()
    with page.expect_response("**/api/trace"):
        play_page.drop(page, "hugs.txt", b"hug hug pug pun bun hugs")
    page.wait_for_selector(".train-words tbody tr:first-child th:text-is('hug')")
    assert page.input_value(".train-source-choice") == "text"
    assert page.input_value(".train-text") == "hug hug pug pun bun hugs"
    page.locator(".train-file").set_input_files(
        {"name": "low.txt", "mimeType": "text/plain", "buffer": b"low lower newest widest"}
    )
    page.wait_for_selector(".train-words tbody tr:first-child th:text-is('low')")


def test_a_file_of_a_megabyte(open_train: OpenTrain, data: Path) -> None:
    page = open_train()
    content = unpacked(data / "corpora" / "en" / "wikitext2-valid.txt.zst")
    page.evaluate(
        "() => { let before = performance.now(); window.longest = 0; const frame = (now) => {"
        " window.longest = Math.max(window.longest, now - before); before = now; requestAnimationFrame(frame); };"
        " requestAnimationFrame(frame); }"
    )
    with page.expect_response("**/api/trace"):
        page.locator(".train-file").set_input_files(
            {"name": "wiki.txt", "mimeType": "text/plain", "buffer": content}
        )
    page.wait_for_selector(".train:not([aria-busy])")
    characters = f"{len(content.decode()):,}"
    assert page.locator(".train-long").inner_text() == f"wiki.txt: {characters} characters"
    assert page.input_value(".train-text") == ""
    longest = page.evaluate("window.longest")
    assert longest < 2000
    # The text is not in the link, but the page has it when its language changes.
    page.select_option("#language", "zh")
    page.wait_for_selector(".train-training:not([hidden])")
    assert page.locator(".train-long").inner_text() == f"wiki.txt：{characters} 个字符"


def test_a_link_opens_the_same_state(open_train: OpenTrain) -> None:
    page = open_train()
    train(page, TEXT, model="wordpiece", size="60", criterion="frequency", ties="first")
    go(page, 7)
    other = open_train(play_page.address_of_link(page), locale="zh-CN")
    assert (
        other.locator(".train-position").inner_text()
        == page.locator(".train-position").inner_text()
    )
    assert other.locator(".train-position").inner_text().startswith("7 / ")
    assert words(other) == words(page)
    assert other.input_value(".train-text") == TEXT
    chosen = {
        name: other.input_value(f".train-{name}-choice")
        for name in ("source", "model", "criterion", "ties")
    }
    assert chosen == {
        "source": "text",
        "model": "wordpiece",
        "criterion": "frequency",
        "ties": "first",
    }


def test_damaged_settings_become_defaults(
    open_train: OpenTrain, address: str, open_page: Any
) -> None:
    page = open_page(address)
    settings = {
        "source": "__proto__",
        "model": 3,
        "vocab_size": "x",
        "criterion": None,
        "text": ["a"],
        "side_by_side": "yes",
        "step": "1",
        "detail": "<b>",
    }
    fragment = page.evaluate(
        "settings => import('./permalink.js').then(each => each.encodeSettings({view: 'train', language: 'en', train: settings}))",
        settings,
    )
    other = open_train(f"#{fragment}")
    assert other.locator(".train-position").inner_text() == "0 / 25"
    assert other.input_value(".train-source-choice") == "note-000"


def test_the_language_changes_without_a_new_training(open_train: OpenTrain) -> None:
    page = open_train()
    page.check(".train-side")
    page.wait_for_selector(".train-criteria")
    go(page, 5)
    page.select_option(".train-detail", "sum")
    before = words(page)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.select_option("#language", "zh")
    page.wait_for_selector(".train-training:not([hidden])")
    assert not [each for each in requests if each.endswith("api/trace")]
    assert page.locator(".train-play").inner_text() == "播放"
    assert page.locator(".train-position").inner_text() == "5 / 25"
    assert page.input_value(".train-detail") == "sum"
    assert words(page) == before
    missing = page.evaluate("import('./messages.js').then(each => each.missingMessages())")
    assert [key for key in missing if key.startswith("train.")] == []
    untranslated = page.evaluate(
        "document.querySelector('.train').innerText.match(/train\\.[a-z]/g)"
    )
    assert untranslated is None


def test_errors_are_shown(open_train: OpenTrain, open_page: Any) -> None:
    page = open_train()
    train(page, "abc", model="unigram", size="500")
    page.wait_for_selector("#status.error")
    assert "too large" in page.locator("#status").inner_text()
    page.select_option(".train-model-choice", "bpe")
    page.fill(".train-text", " ")
    page.click(".train-run")
    assert page.locator("#status").inner_text() == "Paste a text or open a file first."
    train(page, "abc abc", size="20")
    page.wait_for_selector("#status:not(.error)")
    page.wait_for_selector(".train-words tbody tr:first-child th:text-is('abc')")
    # Chromium reports the refused request; the page shows its error.
    (problem,) = open_page.problems
    assert "400 (Bad Request)" in problem
    open_page.problems.clear()


def test_a_training_is_cancelled(open_train: OpenTrain) -> None:
    page = open_train()
    page.route("**/api/trace", lambda route: None)  # no answer comes
    page.select_option(".train-source-choice", "text")
    page.fill(".train-text", TEXT)
    page.click(".train-run")
    page.focus(".train-cancel")
    with page.expect_event("requestfailed"):
        page.keyboard.press("Enter")
    assert page.locator("#status:not(.error)").inner_text() == "The training was cancelled."
    page.wait_for_selector(".train:not([aria-busy])")
    assert page.locator(".train-cancel").is_hidden()
    assert page.locator(".train-run").evaluate("button => button === document.activeElement")
    page.unroute("**/api/trace")
    train(page, "abc abc", size="20")
    page.wait_for_selector(".train-words tbody tr:first-child th:text-is('abc')")


def test_exports(open_train: OpenTrain) -> None:
    page = open_train()
    go(page, 9)
    counts, trainer = pw.training.example("note-000")
    trace = pw.trace(counts, trainer, top=8, words=100)
    assert play_page.saved_json(page, "piecework-train.json")["traces"] == {"pmi": trace.to_dict()}
    texts = play_page.saved_svg_texts(page, "piecework-train.svg")
    assert texts[0].startswith("Merge 9: T and ##h become Th")
    for word in trace.words(9):
        start = texts.index(f"{word.word} ({word.count})") + 1
        assert texts[start : start + len(word.tokens)] == list(word.tokens)
    train(page, TEXT, model="unigram", size="21")
    go(page, 2)
    unigram = pw.trace([TEXT], pw.UnigramTrainer(21), top=8, words=100)
    assert play_page.saved_json(page, "piecework-train.json")["traces"] == {
        "Unigram": unigram.to_dict()
    }
    texts = play_page.saved_svg_texts(page, "piecework-train.svg")
    removed = [unigram.tokenizer.display_token(piece) for piece, _ in unigram[1].removed]
    start = texts.index("Removed, least first") + 1
    assert texts[start : start + len(removed)] == [piece.replace(" ", "␣") for piece in removed]


def test_the_tokenizer_is_used_in_type(open_train: OpenTrain) -> None:
    page = open_train()
    counts, trainer = pw.training.example("note-000")
    page.click(".train-use")
    assert page.get_attribute("#tab-type", "aria-selected") == "true"
    page.locator("#text").evaluate(play_page.SET_TEXT, "Hugging chapters")
    shown = page.locator("article")
    shown.locator(".piece", has_text="Hugg").wait_for()
    assert shown.count() == 1
    assert shown.get_attribute("aria-label") == "trained WordPiece"
    split = pw.compare({"a": pw.train(counts, trainer)}, "Hugging chapters").splits[0]
    assert pieces(shown) == list(split.display_tokens)


def test_facts_are_those_of_the_last_training(open_train: OpenTrain) -> None:
    page = open_train()
    for letter, byte in (("a", "61"), ("b", "62")):
        page.click("#tab-train")
        train(page, letter * 9, model="bpe", size="2")
        page.click(".train-use")
        page.locator("#text").evaluate(play_page.SET_TEXT, letter)
        page.locator("article .pieces", has_text=re.compile(f"^{letter}$")).wait_for()
        page.locator("article .piece").hover()
        page.locator("#tip", has_text="bytes").wait_for()
        assert f"bytes{byte}" in (page.locator("#tip").text_content() or "")
        page.mouse.move(1, 1)


def test_names_for_screen_readers(open_train: OpenTrain) -> None:
    page = open_train()
    assert play_page.unnamed_elements(page) == []
    page.check(".train-side")
    page.wait_for_selector(".train-criteria")
    assert play_page.unnamed_elements(page) == []
    view = page.locator("#view-train")
    for role, name in [
        ("combobox", "Learn from"),
        ("checkbox", "four criteria side by side"),
        ("button", "Forward"),
        ("slider", "Step"),
        ("combobox", "Speed"),
        ("combobox", "Details by"),
        ("region", "Words"),
        ("rowheader", "tokenizer"),
        ("columnheader", "frequency: n"),
    ]:
        assert view.get_by_role(role, name=name, exact=True).count() == 1, name
    assert view.get_by_role("group").get_attribute("aria-label").startswith("Steps of the training")
    train(page, TEXT, model="unigram", size="21")
    assert play_page.unnamed_elements(page) == []
    assert view.get_by_role("textbox", name="Text to learn from").count() == 1
    assert view.get_by_role("spinbutton", name="Vocabulary size").count() == 1
    assert view.get_by_role("img", name="Log-likelihood and number of pieces by step").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_at_a_phones_width(
    open_train: OpenTrain, screenshots: Path, scheme: str, language: str
) -> None:
    page = open_train(viewport={"width": 375, "height": 800}, color_scheme=scheme, locale=language)
    page.check(".train-side")
    page.wait_for_selector(".train-criteria")
    go(page, 12)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.screenshot(path=screenshots / f"train-375-{scheme}-{language}.png", full_page=True)
    assert page.evaluate(play_page.CONTRAST) >= 4.5
    train(page, TEXT, model="unigram", size="21")
    go(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.screenshot(path=screenshots / f"train-375-unigram-{scheme}-{language}.png", full_page=True)


def test_hostile_texts_stay_text(open_train: OpenTrain, screenshots: Path) -> None:
    page = open_train(viewport={"width": 375, "height": 800})
    page.set_default_timeout(
        0
    )  # Chromium lays out the combining marks for seconds, or minutes on a busy machine
    title = page.title()
    for model, size in {"wordpiece": 330, "bpe": 330, "byte-bpe": 330, "unigram": 30}.items():
        if model == "wordpiece":
            train(page, HOSTILE, model=model, size=str(size))
        else:
            run(page, model=model, size=str(size))
        page.wait_for_selector("#status:not(.error)")
        for button in (".train-last", ".train-back"):
            page.click(button)
            assert page.evaluate("document.documentElement.scrollWidth") == 375
            shown = page.locator(".train-training").inner_text()
            assert [c for c in shown if not c.isprintable() and c not in "\n\t"] == []
            tallest = page.evaluate(
                "Math.max(...[...document.querySelectorAll('.train .piece')].map(each => each.offsetHeight))"
            )
            assert tallest < 800  # a screen, whatever the fonts
        assert page.title() == title
        assert page.locator("#view-train script, #view-train img").count() == 0
        page.screenshot(path=screenshots / f"train-hostile-{model}.png", full_page=True)


@pytest.mark.parametrize("is_side_by_side", [False, True])
def test_a_merge_for_each_frame(open_train: OpenTrain, is_side_by_side: bool) -> None:
    page = open_train(viewport={"width": 1280, "height": 900})
    train(page, " ".join(f"{number:x}" for number in range(1500)), model="wordpiece", size="160")
    if is_side_by_side:
        page.set_checked(".train-side", True)
        run(page)
    merges = int(page.locator(".train-position").inner_text().split(" / ")[1])
    assert merges > 100
    page.select_option(".train-speed", "frame")
    frames = page.evaluate(
        """() => new Promise((done) => {
            const [button, slider] = ['.train-play', '.train-slider'].map((each) => document.querySelector(each));
            let frames = 0;
            const count = () => {
                frames += 1;
                if (slider.value === slider.max) done(frames);
                else requestAnimationFrame(count);
            };
            button.click();
            requestAnimationFrame(count);
        })"""
    )
    # bench/measure_play.py measures the frames of a second.
    assert abs(frames - merges) <= 3
    assert page.locator(".train-position").inner_text() == f"{merges} / {merges}"
