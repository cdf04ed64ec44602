// The view "Type": a text through several tokenizers, side by side.

import { LatestQuestion, RequestError, ask } from "./api.js";
import { el, number, percent, replaceChildren } from "./dom.js";
import { piecesSvg } from "./exporting.js";
import { addMessages, t } from "./messages.js";
import { PieceRow, lineStarts } from "./pieces.js";
import { PieceTip } from "./tip.js";
import { TokenizerChoice } from "./tokenizer-choice.js";
import { WhyDialog } from "./why.js";

addMessages({
  en: {
    "type.tab": "Type",
    "type.text": "Text",
    "type.tokens": "{count} tokens",
    "type.characters-per-token": "characters per token",
    "type.bytes-per-token": "bytes per token",
    "type.fertility": "tokens per word",
    "type.whole": "whole words",
    "type.unknown": "unknown",
    "type.compression": "fewer tokens than bytes",
    "type.changed": "decoding gives another text",
    "type.pieces": "Pieces of {name}; arrow keys move between them, Enter explains one",
    "type.part": "Characters {start} to {end} of {all}; the figures are those of the whole text.",
    "type.back": "Previous part",
    "type.next": "Next part",
    "type.help": "Point at a piece for its id and bytes; click for why it is one. An underline marks text that the tokenizers cut differently.",
    "type.too-long": "The text has {count} characters; the page takes {limit}.",
    "type.sample": "Tokenization is the first step: antidisestablishmentarianism, naïve cafés, 3.14159 and 🤗👩‍💻!\n分词是第一步。 Größenänderung, здравствуйте.",
  },
  zh: {
    "type.tab": "输入",
    "type.text": "文本",
    "type.tokens": "{count} 个词元",
    "type.characters-per-token": "字符/词元",
    "type.bytes-per-token": "字节/词元",
    "type.fertility": "词元/词",
    "type.whole": "完整的词",
    "type.unknown": "未知",
    "type.compression": "比字节数减少",
    "type.changed": "解码后文本不同",
    "type.pieces": "{name} 的片段；方向键移动，回车键解释",
    "type.part": "全文 {all} 个字符中的第 {start} 至 {end} 个；数字按全文计算。",
    "type.back": "上一部分",
    "type.next": "下一部分",
    "type.help": "指向片段可看编号和字节；点击可看原因。下划线标出各分词器切分不同的文本。",
    "type.too-long": "文本有 {count} 个字符；本页最多 {limit} 个。",
    "type.sample": "分词是第一步：常用词保持完整，罕见词被切开，例如“反建制主义”。\nTokenization, naïve cafés, 3.14159 and 🤗👩‍💻!",
  },
});

const PART = 12_000; // characters that are shown at a time
const PASTED = 1000; // characters that nobody types at once
const MAX_SHARED = 200_000; // characters of a text that a link keeps

export function createTypeView(page) {
  return new TypeView(page);
}

class TypeView {
  constructor(page) {
    this.key = "type";
    this.page = page;
    this.limits = page.session.limits;
    this.start = 0;
    this.answers = { compare: null, evaluate: null };
    this.areFiguresDue = false;
    this.panels = [];
    this.tip = new PieceTip();
    this.why = new WhyDialog();
    const idle = () => {
      this.grid.ariaBusy = String(this.comparing.isBusy || this.evaluating.isBusy || this.areFiguresDue);
    };
    this.comparing = new LatestQuestion(
      (members) => ask("compare", members),
      (answer, members) => this.show(answer, members),
      (error) => page.fail(error),
      idle,
    );
    this.evaluating = new LatestQuestion(
      (members) => ask("evaluate", members),
      (answer) => this.showFigures(answer),
      (error) => page.fail(error),
      idle,
    );
    this.explaining = new LatestQuestion(
      (tokenizer, span) => ask("explain", { text: this.shownText, tokenizer, span: span ?? [0, 0] }),
      // A dialog in a view that is not shown would block the page.
      (explanation, tokenizer, span, element) => this.element.checkVisibility() && this.why.open(tokenizer, explanation, span, element),
      (error) => page.fail(error),
    );
    this.element = this.build();
  }

  build() {
    this.text = el("textarea", {
      id: "text",
      spellcheck: "false",
      dir: "auto",
      rows: 6,
      on: { input: () => this.typed() },
    });
    this.choice = new TokenizerChoice(this.page, () => this.changed());
    this.part = el("span", { class: "dim" });
    const turn = (step) => () => this.move(this.start + step * PART);
    this.back = el("button", { type: "button", text: t("type.back"), on: { click: turn(-1) } });
    this.next = el("button", { type: "button", text: t("type.next"), on: { click: turn(1) } });
    this.parts = el("div", { class: "row", hidden: true }, this.back, this.part, this.next);
    this.grid = el("div", { class: "panels" });
    this.grid.addEventListener("pieceselect", ({ detail }) => this.explain(detail));
    this.grid.addEventListener("piecefocus", ({ detail }) => this.point(detail));
    this.grid.addEventListener("pieceleave", () => this.leave());
    return el(
      "section",
      {},
      el("label", { for: "text", text: t("type.text") }),
      this.text,
      this.choice.element,
      el("p", { class: "dim help", text: t("type.help") }),
      this.parts,
      this.grid,
      this.tip.element,
      this.why.element,
    );
  }

  // Settings

  // Returns what a link keeps; `isWhole` also a text that is too long for it.
  settings({ isWhole = false } = {}) {
    const text = this.text.value;
    return { text: isWhole || text.length <= MAX_SHARED ? text : null, tokenizers: this.choice.chosen, start: this.start };
  }

  restore({ text, tokenizers, start }) {
    this.text.value = typeof text === "string" ? text : text === null ? "" : t("type.sample");
    this.start = Number.isSafeInteger(start) && start >= 0 ? start : 0;
    this.length = this.text.value.length;
    this.choice.restore(tokenizers);
  }

  // Returns the whole text, also one that is too long for a link.
  currentText() {
    return this.text.value.toWellFormed();
  }

  shown() {
    this.refresh();
  }

  tokenizersChanged(added, isChosen) {
    this.choice.update(isChosen ? added : null);
    this.refresh();
  }

  async takeText(file) {
    this.text.value = await this.page.readText(file);
    this.length = this.text.value.length;
    this.move(0);
  }

  // The text

  typed() {
    const [caret, length] = [this.text.selectionStart, this.text.value.length];
    // The part that is shown follows the caret; a long text that is pasted is shown from its start.
    if (Math.abs(length - this.length) > PASTED) this.start = 0;
    else if (caret < this.start || caret >= this.start + PART) this.start = Math.floor(caret / PART) * PART;
    this.length = length;
    this.changed();
  }

  move(start) {
    this.start = Math.max(0, start);
    this.changed();
  }

  changed() {
    this.page.changed();
    this.refresh();
  }

  refresh() {
    if (this.element.hidden) return;
    this.leave();
    const text = this.text.value.toWellFormed();
    if (text.length > 2 * this.limits.text) {
      this.page.fail(new RequestError(t("type.too-long", { count: number(text.length), limit: number(this.limits.text) })));
      return;
    }
    const tokenizers = this.choice.chosen;
    if (!tokenizers.length) {
      this.panels = [];
      replaceChildren(this.grid);
      return;
    }
    const span = [this.start, this.start + PART];
    this.grid.ariaBusy = "true";
    this.comparing.ask({ text, tokenizers, span });
  }

  show(answer, { text, tokenizers }) {
    this.page.clearFailure();
    for (const block of answer.blocks) {
      block.tokens = block.ids.map((ids, place) => ids.map((id) => answer.splits[place].readable[id]));
    }
    this.answers.compare = answer;
    this.shownText = text;
    // Asked before the pieces are painted, the figures would delay them.
    this.areFiguresDue = true;
    requestAnimationFrame(() =>
      setTimeout(() => {
        this.areFiguresDue = false;
        this.evaluating.ask({ text, tokenizers });
      }),
    );
    if (tokenizers.join("\n") !== this.panels.map((panel) => panel.name).join("\n")) this.makePanels(answer.splits);
    const starts = lineStarts(answer.blocks);
    this.panels.forEach((panel, place) => {
      panel.count.textContent = t("type.tokens", { count: number(answer.splits[place].count) });
      panel.row.show(answer.blocks, starts);
    });
    const [first, last] = [answer.blocks[0]?.start ?? 0, answer.blocks.at(-1)?.end ?? 0];
    this.showPart(first, last, answer.characters);
  }

  showPart(first, last, all) {
    this.parts.hidden = first === 0 && last >= all;
    this.back.disabled = this.start === 0;
    this.next.disabled = last >= all;
    this.part.textContent = t("type.part", { start: number(first), end: number(last), all: number(all) });
  }

  makePanels(splits) {
    this.panels = splits.map(({ name, model }, place) => {
      const row = new PieceRow(place, t("type.pieces", { name }));
      const [count, figures] = [el("b"), el("span", { class: "more" })];
      const panel = el(
        "article",
        { class: "panel", "aria-label": name },
        el("h2", { text: name }),
        el("p", { class: "figures" }, el("span", { text: model }), count, figures),
        row.element,
      );
      return { name, row, count, figures, element: panel };
    });
    replaceChildren(this.grid, this.panels.map((panel) => panel.element));
  }

  showFigures(answer) {
    this.answers.evaluate = answer;
    for (const { name, total } of answer.tokenizers) {
      const panel = this.panels.find((each) => each.name === name);
      if (!panel) continue;
      const { metrics } = total;
      const figures = [
        [number(metrics.characters_per_token), t("type.characters-per-token")],
        [number(metrics.bytes_per_token), t("type.bytes-per-token")],
        [number(metrics.fertility), t("type.fertility")],
        [percent(metrics.whole_words), t("type.whole")],
        [percent(metrics.compression), t("type.compression")],
        [percent(metrics.unknown_rate), t("type.unknown")],
      ].map(([value, label]) => el("span", {}, el("b", { text: value }), ` ${label}`));
      if (metrics.changed_texts) figures.push(el("span", { text: t("type.changed") }));
      replaceChildren(panel.figures, figures);
    }
  }

  // One piece

  point({ place, block, index, id, element }) {
    for (const panel of this.panels) panel.row.markBlock(block);
    const split = this.answers.compare.splits[place];
    this.tip.show(element, split.name, id, offsetsOf(split, index, id));
  }

  leave() {
    this.tip.hide();
    for (const panel of this.panels) panel.row.markBlock(null);
  }

  explain({ place, index, id, element }) {
    const split = this.answers.compare.splits[place];
    this.tip.hide();
    this.explaining.ask(split.name, offsetsOf(split, index, id), element);
  }

  // Export

  data() {
    return this.answers.compare && { text: this.shownText, ...this.answers };
  }

  svg() {
    if (!this.answers.compare?.splits.length) return null;
    const rows = this.answers.compare.splits.map((split, place) => ({
      title: `${split.name}: ${t("type.tokens", { count: number(split.count) })}`,
      pieces: this.answers.compare.blocks.flatMap((block) =>
        block.tokens[place].map((text) => ({ text, differs: !block.agrees })),
      ),
    }));
    return piecesSvg(rows);
  }
}

// Returns the start and end of a piece in characters of the text. Tokens are in the order of the blocks, except where offsets
// go back, as with some normalizers; there the place is unknown.
function offsetsOf(split, index, id) {
  return split.ids[index] === id ? split.offsets[index] : null;
}
