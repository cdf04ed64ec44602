"""The view "Languages" in Chromium: its figures are those of `evaluate`, also for texts that the user writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

import piecework as pw
import play_page
from piecework.play.samples import PARALLEL_TEXTS

pytestmark = pytest.mark.slow

OpenView = Callable[..., Any]
TOKENIZERS = {
    "wordpiece": pw.train([*PARALLEL_TEXTS.values()], pw.WordPieceTrainer(600)),
    "bytes": pw.train([*PARALLEL_TEXTS.values()], pw.BpeTrainer(500, alphabet="byte")),
    "<i>third</i>": pw.Tokenizer.from_str("[UNK]\nhug\n##s\n"),
}
OWN = {"one": "hugs and pugs", "二": "拥抱和哈巴狗", "<b>drei</b>": "Umarmungen & <i>Möpse</i>"}
METRICS = ["premium", "tokens", "characters_per_token", "bytes_per_token"]


@pytest.fixture(scope="module")
def address(play_server: Callable[[Mapping[str, Any]], str]) -> str:
    return play_server(TOKENIZERS)


@pytest.fixture
def open_languages(open_play: OpenView) -> OpenView:
    """Returns a function that opens the page at the view "Languages", and waits for its figures."""

    def opened(fragment: str = "", **settings: Any) -> Any:
        page = open_play(fragment, **settings)
        if not fragment:
            page.locator("#tab-languages").click()
        wait(page)
        return page

    return opened


def wait(page: Any) -> None:
    page.locator('.language-scroll[aria-busy="false"]').wait_for(state="attached")


def answered(page: Any, act: Callable[[], object]) -> None:
    """Does something that asks the server, and waits until the page shows its answer."""
    with page.expect_response("**/api/evaluate"):
        act()
    wait(page)


def set_text(page: Any, label: str, text: str) -> None:
    field = page.get_by_label(label, exact=True)
    answered(page, lambda: field.evaluate(play_page.SET_TEXT, text))


def use_own(page: Any, texts: Mapping[str, str]) -> None:
    """Pastes paragraphs with the names of their languages."""
    page.get_by_role("button", name="Use my own texts").click()
    pasted = "\n\n".join(f"{name}:\n{text}" for name, text in texts.items())
    page.get_by_label("One paragraph for each language").fill(pasted)
    answered(page, page.get_by_role("button", name="Use these texts").click)


def figures(page: Any) -> dict[str, list[str]]:
    """Returns the figures of each language as shown."""
    found = page.eval_on_selector_all(
        ".languages tbody tr",
        "rows => rows.map(row => [row.querySelector('input').value, [...row.cells].slice(2).map(cell => cell.textContent)])",
    )
    return dict(found)


def shown(value: float | None) -> str:
    """Returns a number as the page shows it: with four significant digits, half rounded up."""
    if value is None:
        return "–"
    if value == int(value):
        return f"{int(value):,}"
    number = Decimal(repr(value))
    place = Decimal(1).scaleb(number.adjusted() - 3)
    return f"{float(number.quantize(place, ROUND_HALF_UP)):,}"


def report(
    texts: Mapping[str, str], reference: str, names: list[str] | None = None
) -> dict[str, Any]:
    chosen = {name: TOKENIZERS[name] for name in names or TOKENIZERS}
    groups = {name: [text] for name, text in texts.items()}
    found = pw.evaluate(chosen, groups, parallel=True, reference=reference).to_dict()
    answer: dict[str, Any] = json.loads(json.dumps(found))
    return answer


def expected(
    texts: Mapping[str, str], reference: str, names: list[str] | None = None
) -> dict[str, list[str]]:
    """Returns the figures of `evaluate` as the page shows them."""
    results = report(texts, reference, names)["tokenizers"]
    rows: dict[str, list[str]] = {}
    for language in texts:
        rows[language] = []
        for result in results:
            group = result["groups"][language]
            values = [result["parity"]["premiums"][language], group["tokens"]]
            values += [group["metrics"][key] for key in METRICS[2:]]
            rows[language] += map(shown, values)
    return rows


def test_samples(open_languages: OpenView) -> None:
    page = open_languages()
    assert figures(page) == expected(PARALLEL_TEXTS, "English")
    counts = {
        name: len(TOKENIZERS["bytes"].encode_ids(text)) for name, text in PARALLEL_TEXTS.items()
    }
    assert {name: row[5] for name, row in figures(page).items()} == {
        name: f"{count:,}" for name, count in counts.items()
    }
    sentences = page.locator(".gini li").all_inner_texts()
    for sentence, result in zip(
        sentences, report(PARALLEL_TEXTS, "English")["tokenizers"], strict=True
    ):
        parity = result["parity"]
        assert sentence.startswith(result["name"])
        assert f"coefficient {shown(parity['gini'])} " in sentence
        assert f"largest premium {shown(parity['largest_premium'])}" in sentence


def test_a_text_is_edited(open_languages: OpenView) -> None:
    page = open_languages()
    texts = dict(PARALLEL_TEXTS)
    for text in ("Hallo 🤗, Größenänderung!", ""):
        texts["Deutsch"] = text
        set_text(page, "Text in Deutsch", text)
        assert figures(page) == expected(texts, "English")


def test_typing_goes_on_after_an_answer(open_languages: OpenView) -> None:
    page = open_languages()
    page.get_by_label("Text in Suomi", exact=True).click()
    page.keyboard.press("Control+a")
    for text in ("hugs", " and", " puns"):
        answered(page, lambda text=text: page.keyboard.type(text))
    assert figures(page) == expected({**PARALLEL_TEXTS, "Suomi": "hugs and puns"}, "English")


def test_rows_are_added_renamed_and_removed(open_languages: OpenView) -> None:
    page = open_languages()
    texts = dict(PARALLEL_TEXTS)
    answered(page, page.get_by_role("button", name="Add a language").click)
    number = len(texts) + 1
    name = page.get_by_label(f"Name of language {number}", exact=True)
    assert name.evaluate("element => element === document.activeElement")
    answered(page, lambda: name.fill("Sardu"))
    set_text(page, "Text in Sardu", "Unu tokenizadore")
    texts["Sardu"] = "Unu tokenizadore"
    assert figures(page) == expected(texts, "English")
    answered(page, page.get_by_role("button", name="Remove 中文").click)
    del texts["中文"]
    assert figures(page) == expected(texts, "English")
    # Without the language that was the reference, the first one is.
    answered(page, page.get_by_role("button", name="Remove English").click)
    del texts["English"]
    assert figures(page) == expected(texts, "Deutsch")
    answered(page, page.get_by_role("button", name="Back to the samples").click)
    assert figures(page) == expected(PARALLEL_TEXTS, "Deutsch")


def test_two_languages_of_one_name(open_languages: OpenView) -> None:
    page = open_languages()
    page.get_by_label("Name of language 2", exact=True).fill("English")
    page.locator("#status.error").wait_for()
    assert "Two languages have the name English" in page.locator("#status").inner_text()
    assert page.locator('[aria-invalid="true"]').count() == 1
    page.get_by_label("Name of language 2", exact=True).fill(" ")
    page.locator("#status", has_text="has no name").wait_for()
    answered(page, lambda: page.get_by_label("Name of language 2", exact=True).fill("x"))
    assert page.locator("#status.error, [aria-invalid]").count() == 0


def test_own_texts(open_languages: OpenView) -> None:
    page = open_languages()
    use_own(page, OWN)
    assert figures(page) == expected(OWN, "one")
    assert page.locator("#view-languages b, #view-languages i").count() == 0
    for language in OWN:
        if language != "one":
            choose(page, "Compared with", language)
        assert figures(page) == expected(OWN, language)
        row = figures(page)[language]
        assert [row[0], row[4], row[8]] == ["1", "1", "1"]
        assert language in str(page.locator(".bars .title").text_content())


def choose(page: Any, name: str, value: str) -> None:
    answered(page, lambda: page.get_by_role("combobox", name=name, exact=True).select_option(value))


def test_tokenizers_are_chosen(open_languages: OpenView) -> None:
    page = open_languages()
    boxes = page.locator("#view-languages fieldset.choice")
    answered(page, lambda: boxes.get_by_label("wordpiece").uncheck())
    assert figures(page) == expected(PARALLEL_TEXTS, "English", ["bytes", "<i>third</i>"])
    answered(page, lambda: boxes.get_by_label("third").uncheck())
    boxes.get_by_label("bytes").uncheck()
    page.locator(".bars:empty").wait_for(state="attached")
    assert figures(page)["English"] == []


def test_bars(open_languages: OpenView) -> None:
    page = open_languages()
    use_own(page, OWN)
    results = report(OWN, "one")["tokenizers"]
    metric = page.get_by_role("combobox", name="Bars", exact=True)
    for name in METRICS:
        metric.select_option(name)
        titles = page.locator(".bars rect title").all_text_contents()
        values = [
            result["parity"]["premiums"][language]
            if name == "premium"
            else result["groups"][language]["metrics"].get(
                name, result["groups"][language]["tokens"]
            )
            for language in OWN
            for result in results
        ]
        labels = [f"{language}, {each}" for language in OWN for each in TOKENIZERS]
        assert titles == [
            f"{label}: {shown(value)}" for label, value in zip(labels, values, strict=True)
        ]
        widths = page.locator(".bars rect:has(title)").evaluate_all(
            "bars => bars.map(bar => Number(bar.getAttribute('width')))"
        )
        scale = max(widths) / max(values)
        assert widths == pytest.approx([max(1, value * scale) for value in values])


def test_a_text_opens_in_type(open_languages: OpenView) -> None:
    page = open_languages()
    page.get_by_role("button", name="Open the text in 中文 in the view Type").click()
    page.locator("#view-type .piece").first.wait_for()
    assert page.locator("#text").input_value() == PARALLEL_TEXTS["中文"]


def test_dropped_text(open_languages: OpenView) -> None:
    page = open_languages()
    use_own(page, OWN)
    answered(page, lambda: play_page.drop(page, "vier.txt", b"abbracci e carlini"))
    assert figures(page) == expected({**OWN, "vier.txt": "abbracci e carlini"}, "one")


def test_keyboard_alone(open_languages: OpenView) -> None:
    page = open_languages()
    play_page.tab_to(page, '#view-languages input[type="checkbox"]')
    answered(page, lambda: page.keyboard.press("Space"))
    names = [name for name in TOKENIZERS if name != "wordpiece"]
    assert figures(page) == expected(PARALLEL_TEXTS, "English", names)
    play_page.tab_to(page, 'button[aria-expanded="false"]')
    page.keyboard.press("Enter")
    page.locator(".panel textarea:focus").wait_for()
    page.keyboard.insert_text("a:\nhugs\n\nb:\npugs hugs")
    page.keyboard.press("Tab")
    answered(page, lambda: page.keyboard.press("Enter"))
    assert figures(page) == expected({"a": "hugs", "b": "pugs hugs"}, "a", names)
    play_page.tab_to(page, '[aria-label="Text in b"]')
    page.keyboard.press("Control+a")
    answered(page, lambda: page.keyboard.insert_text("puns"))
    assert figures(page) == expected({"a": "hugs", "b": "puns"}, "a", names)


def test_permalink(open_languages: OpenView) -> None:
    page = open_languages()
    use_own(page, OWN)
    choose(page, "Compared with", "二")
    page.get_by_role("combobox", name="Bars", exact=True).select_option("bytes_per_token")
    page.locator("#view-languages fieldset.choice").get_by_label("third").uncheck()
    wait(page)
    other = open_languages(play_page.address_of_link(page))
    assert figures(other) == expected(OWN, "二", ["wordpiece", "bytes"])
    assert other.locator(".bars .title").text_content() == "bytes per token"


def test_permalink_with_nonsense(open_languages: OpenView) -> None:
    page = open_languages()
    nonsense = {
        "tokenizers": {},
        "metric": 3,
        "reference": [],
        "rows": [3, [], [4, 5], ["toString"]],
    }
    fragment = page.evaluate(
        "settings => import('./permalink.js').then(module => module.encodeSettings(settings))",
        {"view": "languages", "languages": nonsense},
    )
    assert figures(open_languages(f"#{fragment}")) == expected(PARALLEL_TEXTS, "English")


def test_chinese(open_languages: OpenView) -> None:
    page = open_languages()
    use_own(page, OWN)
    answered(page, lambda: page.locator("#language").select_option("zh"))
    assert figures(page) == expected(OWN, "one")
    assert "溢价" in page.locator(".languages thead").inner_text()
    assert "基尼系数" in page.locator(".gini").inner_text()


def test_hostile_texts(open_languages: OpenView) -> None:
    page = open_languages()
    texts = {
        "<img src=x onerror=alert(1)>": "<script>alert(2)</script>",
        "constructor": "\u202edlrow\u202c",
        "__proto__": "__proto__ toString",
        "a b c " * 9 + "!": "a" * 5000,
    }
    use_own(page, texts)
    assert figures(page) == expected(texts, "<img src=x onerror=alert(1)>")
    assert page.locator("main img, main script").count() == 0
    assert "\u202e" not in page.locator("main").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # Ten times as many are laid out by Chromium in half a minute.
    marks = "e" + "\u0301" * 10_000
    set_text(page, "Text in constructor", marks)
    assert figures(page)["constructor"][1] == expected({"x": marks, "y": "a"}, "x")["x"][1]
    assert play_page.saved_svg_texts(page, "piecework-languages.svg")


def test_saved_files(open_languages: OpenView) -> None:
    page = open_languages()
    use_own(page, OWN)
    data = play_page.saved_json(page, "piecework-languages.json")
    assert data == {"texts": OWN, **report(OWN, "one")}
    texts = play_page.saved_svg_texts(page, "piecework-languages.svg")
    assert {*OWN, *TOKENIZERS, "premium: tokens, divided by those of one"} <= {*texts}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1280])
def test_widths_and_schemes(
    open_languages: OpenView, screenshots: Path, scheme: str, width: int
) -> None:
    page = open_languages(color_scheme=scheme, viewport={"width": width, "height": 800})
    page.screenshot(path=screenshots / f"play-languages-{scheme}-{width}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(play_page.CONTRAST) >= 4.5


def test_names_for_screen_readers(open_languages: OpenView) -> None:
    page = open_languages()
    page.get_by_role("button", name="Use my own texts").click()
    assert play_page.unnamed_elements(page) == []
    assert page.get_by_role("table", name="Languages with their texts").count() == 1
    assert page.get_by_role("img", name="Bars: premium").is_visible()
    labels = page.locator(".languages textarea").evaluate_all(
        "areas => areas.map(area => area.getAttribute('aria-label'))"
    )
    assert labels == [f"Text in {name}" for name in PARALLEL_TEXTS]
