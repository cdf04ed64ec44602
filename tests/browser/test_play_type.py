"""The page in Chromium: the view "Type", and what all views share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
from piecework._show import html
from play_page import CONTRAST, SET_TEXT, address_of_link, drop, unnamed_elements, until

pytestmark = pytest.mark.slow

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
TOKENIZERS = {
    "wordpiece": pw.train(WORDS, pw.WordPieceTrainer(20)),
    "bpe": pw.train(["hugs pugs puns buns"] * 3, pw.BpeTrainer(280, alphabet="byte")),
    "unigram": pw.train(
        {f"▁{word}": count for word, count in WORDS.items()}, pw.UnigramTrainer(16)
    ),
    "words": pw.train(WORDS, pw.WordLevelTrainer(20)),
    "fifth": pw.train(WORDS, pw.WordPieceTrainer(14)),
}
HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> \u202edlrow\u202c e"
    + "\u0301" * 100_000
)


@pytest.fixture(scope="module")
def address(play_server: Callable[[Mapping[str, Any]], str]) -> str:
    return play_server(TOKENIZERS)


PANELS = '.panels[aria-busy="false"]'


def type_text(page: Any, text: str) -> None:
    """Puts a text into the field, and waits until it is shown."""
    page.locator("#text").evaluate(SET_TEXT, text)
    wait_for_pieces(page)


def wait_for_pieces(page: Any) -> None:
    page.locator(PANELS).first.wait_for(state="attached")


def pieces(page: Any, name: str) -> list[str]:
    found = page.locator(f'article[aria-label="{name}"] .pieces .piece')
    return [text.replace("␣", " ") for text in found.all_text_contents()]


def test_pieces_of_each_tokenizer(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, "hugs pugs")
    for name in ("wordpiece", "bpe", "unigram", "words"):
        split = pw.compare(TOKENIZERS, "hugs pugs").splits[list(TOKENIZERS).index(name)]
        assert pieces(page, name) == list(split.display_tokens)
        figures = page.locator(f'article[aria-label="{name}"] .figures').inner_text()
        assert f"{split.count} tokens" in figures
        assert "characters per token" in figures
    assert page.locator('article[aria-label="fifth"]').count() == 0


def test_same_piece_has_the_same_colour(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, "hugs puns hugs")
    hues = set()
    for piece in page.locator(".pieces .piece").all():
        shown = piece.evaluate("element => element.style.getPropertyValue('--hue')")
        token = piece.inner_text().replace("␣", " ")
        assert int(shown) == html.hue(token), "not the colour of notebooks"
        hues.add(shown)
    assert len(hues) > 3


def test_a_training_keeps_what_is_compared(open_play: Callable[..., Any]) -> None:
    page = open_play()
    wait_for_pieces(page)
    compared = [panel.get_attribute("aria-label") for panel in page.locator("article").all()]
    page.click("#tab-train")
    page.locator("#status", has_text="trained WordPiece").wait_for()
    page.click("#tab-type")
    page.locator("#view-type label", has_text="trained WordPiece").wait_for()
    wait_for_pieces(page)
    shown = [panel.get_attribute("aria-label") for panel in page.locator("article").all()]
    assert shown == compared == ["wordpiece", "bpe", "unigram", "words"]
    assert page.locator("#view-vocabulary .tokenizer").input_value() == "wordpiece"


def test_text_that_is_cut_differently_is_marked(open_play: Callable[..., Any]) -> None:
    page = open_play()
    page.locator("#view-type fieldset.choice").get_by_label("unigram").uncheck()
    page.locator("#view-type fieldset.choice").get_by_label("words").uncheck()
    type_text(page, "hugs puns")
    chosen = {name: TOKENIZERS[name] for name in ("wordpiece", "bpe")}
    blocks = pw.compare(chosen, "hugs puns").blocks
    for place, name in enumerate(chosen):
        marked = page.locator(f'article[aria-label="{name}"] .piece.differs').all_text_contents()
        expected = [token for block in blocks if not block.agrees for token in block.tokens[place]]
        assert [text.replace("␣", " ") for text in marked] == expected


def test_bytes_beside_hebrew_stay_in_order(open_play: Callable[..., Any]) -> None:
    page = open_play()
    places = page.evaluate("""async () => {
        const { pieceElement } = await import("./dom.js");
        const piece = pieceElement("\u05d5<0xD7>");
        document.body.append(piece);
        const places = [];
        for (const node of [piece.firstChild, piece.lastChild.firstChild]) {
            for (let index = 0; index < node.length; index++) {
                const range = document.createRange();
                range.setStart(node, index);
                range.setEnd(node, index + 1);
                places.push(range.getBoundingClientRect().left);
            }
        }
        return places;
    }""")
    assert len(places) == 7
    assert places == sorted(places)


def test_edits_change_only_what_they_must(open_play: Callable[..., Any]) -> None:
    page = open_play()
    texts = [
        "hugs pugs puns",
        "hugs bun pugs puns",
        "bun",
        "",
        "hugs pugs",
        "hugs pugs hugs pugs",
        "x",
    ]
    for text in texts:
        type_text(page, text)
        for split in pw.compare({n: TOKENIZERS[n] for n in list(TOKENIZERS)[:4]}, text).splits:
            assert pieces(page, split.name) == list(split.display_tokens)


def test_merges_are_readable(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, "hugs pugs")
    piece = page.locator('article[aria-label="bpe"] .piece').last
    assert piece.inner_text() == "␣pugs"
    piece.hover()
    page.locator("#tip", has_text="␣pu + gs (merge 10)").wait_for()
    piece.click()
    shown = page.locator("dialog[open] .merges").inner_text()
    assert shown.splitlines()[-2:] == ["4: ␣ + pu = ␣pu", "10: ␣pu + gs = ␣pugs"]


@pytest.mark.parametrize("width", [375, 1280])
def test_cells_of_an_explanation_do_not_overlap(open_play: Callable[..., Any], width: int) -> None:
    page = open_play(viewport={"width": width, "height": 800})
    type_text(page, "hugspugspunsbuns" * 6)
    for name in ("bpe", "unigram", "wordpiece"):
        page.locator(f'article[aria-label="{name}"] .piece').first.click()
        page.locator("dialog[open]").wait_for()
        wide = """() => [...document.querySelectorAll("dialog[open] td")]
            .filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.innerText)"""
        assert page.evaluate(wide) == []
        page.keyboard.press("Escape")


def test_pointer_shows_the_facts_of_a_piece(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, "hugs")
    page.locator('article[aria-label="wordpiece"] .piece').first.hover()
    tip = page.locator("#tip")
    tip.wait_for()
    text = tip.inner_text()
    assert str(TOKENIZERS["wordpiece"].token_to_id("hugs")) in text
    assert "68 75 67 73" in text
    assert "U+0068 U+0075 U+0067 U+0073" in text
    assert "0–4" in text
    assert "hug + ##s (merge" in text
    page.mouse.move(1, 1)
    tip.wait_for(state="hidden")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wordpiece", ["tried, not in the vocabulary", "pugs", "longest match"]),
        ("bpe", ["symbols after it", "rank"]),
        ("unigram", ["best segmentations", "taken", "share"]),
    ],
)
def test_explanation_of_a_piece(
    open_play: Callable[..., Any], name: str, expected: list[str]
) -> None:
    page = open_play()
    type_text(page, "hugs pugs")
    page.locator(f'article[aria-label="{name}"] .piece').last.click()
    dialog = page.locator("dialog[open]")
    dialog.wait_for()
    for text in expected:
        assert text in dialog.inner_text()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.classList.contains('piece')")


def test_keyboard_alone(open_play: Callable[..., Any]) -> None:
    page = open_play()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "tab-type"
    page.keyboard.press("ArrowRight")
    assert page.locator("#view-train").is_visible()
    page.keyboard.press("End")
    assert page.locator("#view-languages").is_visible()
    page.keyboard.press("Home")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "text":
            break
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("hugs puns")
    wait_for_pieces(page)
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.classList.contains('pieces')"):
            break
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.textContent") == pieces(page, "wordpiece")[1]
    page.locator("#tip").wait_for()  # its facts are asked of the server first
    page.keyboard.press("Enter")
    page.locator("dialog[open]").wait_for()
    page.keyboard.press("Escape")
    page.locator("dialog[open]").wait_for(state="hidden")


def test_permalink(open_play: Callable[..., Any]) -> None:
    page = open_play()
    page.locator("#view-type fieldset.choice").get_by_label("unigram").uncheck()
    type_text(page, "hugs & 中文 <b>🤗</b>")
    other = open_play(address_of_link(page))
    assert other.locator("#text").input_value() == "hugs & 中文 <b>🤗</b>"
    wait_for_pieces(other)
    assert other.locator("article").count() == 3
    assert pieces(other, "wordpiece") == pieces(page, "wordpiece")


@pytest.mark.parametrize("fragment", ["#x", "#AAAA", "#" + "A" * 5000, "#%ff", "#q1YqSi1OVbJSAgA"])
def test_damaged_permalink(open_play: Callable[..., Any], fragment: str) -> None:
    page = open_play(fragment)
    assert "damaged" in page.locator("#status").inner_text()
    assert page.locator(".piece").count() or page.wait_for_selector(".piece")


def test_change_of_language(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, "hugs")
    page.locator("#language").select_option("zh")
    assert page.evaluate("document.documentElement.lang") == "zh-CN"
    assert page.locator("#tab-type").inner_text() == "输入"
    assert page.locator("#text").input_value() == "hugs"
    page.wait_for_selector(".piece")
    assert "个词元" in page.locator(".figures").first.inner_text()
    missing = page.evaluate("import('./messages.js').then((module) => module.missingMessages())")
    assert missing == []


def test_long_text_stays_when_the_language_changes(open_play: Callable[..., Any]) -> None:
    page = open_play()
    text = "hugs puns " * 30_000
    type_text(page, text)
    page.locator("#language").select_option("zh")
    assert page.locator("#text").input_value() == text
    assert page.get_attribute("body", "data-drop") == "拖入分词器文件或文本文件"
    page.locator("#button-link").click()
    page.locator("#status", has_text="放不进链接").wait_for()
    page.click("#tab-train")
    page.locator(".train-use:visible").click()
    assert page.locator("#text").input_value() == text


def test_explanation_of_a_long_word_is_about_the_piece(open_play: Callable[..., Any]) -> None:
    page = open_play()
    text = "hugspun" * 1000
    type_text(page, text)
    start, end = pw.compare({"unigram": TOKENIZERS["unigram"]}, text).splits[0].offsets[600]
    page.locator('article[aria-label="unigram"] .piece').nth(600).click()
    dialog = page.locator("dialog[open]")
    dialog.wait_for()
    assert dialog.locator("h3 .same").inner_text() == text[start:end]
    rows = dialog.locator("table").last.locator("tbody tr")
    assert rows.count() == 200
    assert f"{start:,}–{end:,}" in rows.nth(100).inner_text()


def test_text_file_that_is_too_large(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, "hugs")
    for view in ("type", "languages"):
        page.click(f"#tab-{view}")
        page.evaluate("""() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([new Uint8Array(8_000_001)], "a.txt"));
            dispatchEvent(new DragEvent("drop", { dataTransfer }));
        }""")
        page.locator("#status", has_text="a.txt is larger than 8 MB.").wait_for()
    assert page.locator("#text").input_value() == "hugs"


def test_explanation_of_a_view_that_was_left(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, "hugs")
    page.evaluate("""() => {
        const ask = fetch;
        fetch = async (...values) => {
            const answer = await ask(...values);
            await new Promise((resolve) => { globalThis.release = resolve; });
            return answer;
        };
    }""")
    page.locator("article .piece").first.click()
    page.wait_for_function("() => Boolean(globalThis.release)")
    page.click("#tab-languages")
    page.evaluate("() => release()")
    page.click("#tab-type")
    assert page.locator("dialog[open]").count() == 0


def test_browser_in_chinese(open_play: Callable[..., Any]) -> None:
    assert open_play(locale="zh-CN").locator("#tab-type").inner_text() == "输入"


def test_dropped_tokenizer(open_play: Callable[..., Any]) -> None:
    page = open_play()
    with page.expect_response("**/api/compare"):
        drop(page, "mine.json", TOKENIZERS["fifth"].to_str().encode())
        page.wait_for_selector('article[aria-label^="mine.json"]')
    assert (
        "mine.json" in page.locator("#status").inner_text() or page.locator("article").count() == 4
    )


def test_dropped_text(open_play: Callable[..., Any]) -> None:
    page = open_play()
    drop(page, "story.txt", "hugs und Pünschchen\n".encode())
    page.locator('article[aria-label="bpe"] .piece', has_text="hugs").first.wait_for()
    assert page.locator("#text").input_value().startswith("hugs und")


def test_dropped_nonsense(open_page: Any, address: str) -> None:
    page = open_page(address)
    page.wait_for_selector("html[data-ready]")
    drop(page, "a.bin", b"\x00\x01\x02")
    page.wait_for_selector("#status.error")
    assert "a.bin" in page.locator("#status").inner_text()
    open_page.problems[:] = [each for each in open_page.problems if "400 (Bad Request)" not in each]


def test_saved_files(open_play: Callable[..., Any], tmp_path: Path) -> None:
    page = open_play()
    type_text(page, "hugs <b> & pugs")
    for button, name in (("JSON", "piecework-type.json"), ("SVG", "piecework-type.svg")):
        with page.expect_download() as saving:
            page.get_by_role("button", name=button).click()
        assert saving.value.suggested_filename == name
        saving.value.save_as(tmp_path / name)
    data = json.loads((tmp_path / "piecework-type.json").read_text(encoding="utf-8"))
    chosen = {name: TOKENIZERS[name] for name in list(TOKENIZERS)[:4]}
    expected = json.loads(json.dumps(pw.compare(chosen, "hugs <b> & pugs").to_dict()))
    assert data["text"] == "hugs <b> & pugs"
    for block in data["compare"]["blocks"]:
        assert block.pop("counts") == list(map(len, block["ids"]))
    assert data["compare"]["blocks"] == expected["blocks"]
    assert data["evaluate"]["tokenizers"][0]["name"] == "wordpiece"
    picture = (tmp_path / "piecework-type.svg").read_text(encoding="utf-8")
    assert "&lt;" in picture
    assert "<b>" not in picture
    from xml.etree import ElementTree as ET

    assert ET.fromstring(picture).tag.endswith("svg")


def test_hostile_text_is_shown_as_text(open_play: Callable[..., Any]) -> None:
    page = open_play()
    type_text(page, HOSTILE)
    until(page, lambda: "script" in "".join(pieces(page, "bpe")))
    assert page.locator("img, article script").count() == 0
    shown = page.locator("main").inner_text()
    assert "\u202e" not in shown
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator('article[aria-label="words"] .piece').last.click()
    page.locator("dialog[open]").wait_for()
    assert page.locator("dialog").evaluate(
        "element => element.scrollWidth <= element.clientWidth + 1"
    )


def test_long_text_does_not_freeze_the_page(open_play: Callable[..., Any]) -> None:
    page = open_play()
    text = "hugs pugs puns. " * 65_536
    with page.expect_response("**/api/compare") as compared:
        page.locator("#text").evaluate(SET_TEXT, text)
    assert compared.value.ok
    page.locator(".piece").nth(1000).wait_for(state="attached")
    assert page.locator(".piece").count() < 60_000
    assert "1,048,576" in page.locator("main").inner_text()
    page.get_by_role("button", name="Next part").click()
    page.locator("main", has_text="24,0").wait_for()
    # A tab opens at once while the text is compared again.
    page.locator("#tab-vocabulary").click()
    assert page.locator("#view-vocabulary").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_widths_and_schemes(
    open_play: Callable[..., Any], screenshots: Path, scheme: str, width: int
) -> None:
    page = open_play(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.wait_for_selector(".piece")
    page.wait_for_timeout(200)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(path=screenshots / f"play-type-{scheme}-{width}.png", full_page=True)
    ratio = page.evaluate(CONTRAST)
    assert ratio >= 4.5, "the text of a piece is hard to read"


def test_names_for_screen_readers(open_play: Callable[..., Any]) -> None:
    page = open_play()
    for tab in ("type", "train", "vocabulary", "languages"):
        page.locator(f"#tab-{tab}").click()
        until(page, lambda: page.locator('[role="tabpanel"]:visible').count() == 1)
        assert unnamed_elements(page) == []
        assert (
            page.locator('[role="tab"][aria-selected="true"]').get_attribute("id") == f"tab-{tab}"
        )
    assert page.locator("h1").count() == 1
    assert page.locator('[aria-live="polite"]').count() >= 1
