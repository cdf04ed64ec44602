// The view "Languages": the same text in several languages, and what each costs.

import { LatestQuestion, RequestError, ask } from "./api.js";
import { barsSvg } from "./bars.js";
import { el, number, replaceChildren } from "./dom.js";
import { svgFileOf } from "./exporting.js";
import { LanguageTable, METRICS, valueOf } from "./language-table.js";
import { addMessages, t } from "./messages.js";
import { TokenizerChoice } from "./tokenizer-choice.js";

addMessages({
  en: {
    "languages.tab": "Languages",
    "languages.metric": "Bars",
    "languages.reference": "Compared with",
    "languages.tokens": "tokens",
    "languages.characters_per_token": "characters per token",
    "languages.bytes_per_token": "bytes per token",
    "languages.premium": "premium",
    "languages.premium.title": "premium: tokens, divided by those of {reference}",
    "languages.help": "Each row is the same text in another language. Its premium is its number of tokens, divided by that of the language it is compared with.",
    "languages.gini": "{name}: Gini coefficient {gini} (0: all languages need equally many tokens), largest premium {largest}",
    "languages.add": "Add a language",
    "languages.own": "Use my own texts",
    "languages.samples": "Back to the samples",
    "languages.paste": "One paragraph for each language, with empty lines between them. A first line that ends with a colon names the language.",
    "languages.apply": "Use these texts",
    "languages.cancel": "Cancel",
    "languages.new": "Language {number}",
    "languages.most": "At most {most} languages are compared.",
  },
  zh: {
    "languages.tab": "语言",
    "languages.metric": "条形图",
    "languages.reference": "对比基准",
    "languages.tokens": "词元数",
    "languages.characters_per_token": "字符/词元",
    "languages.bytes_per_token": "字节/词元",
    "languages.premium": "溢价",
    "languages.premium.title": "溢价：词元数除以 {reference} 的词元数",
    "languages.help": "每一行是同一段文本的另一种语言。溢价是它的词元数除以对比基准语言的词元数。",
    "languages.gini": "{name}：基尼系数 {gini}（0 表示所有语言的词元数相同），最大溢价 {largest}",
    "languages.add": "添加语言",
    "languages.own": "使用自己的文本",
    "languages.samples": "恢复示例",
    "languages.paste": "每种语言一段，段落之间空一行。以冒号结尾的首行是语言名称。",
    "languages.apply": "使用这些文本",
    "languages.cancel": "取消",
    "languages.new": "语言 {number}",
    "languages.most": "最多比较 {most} 种语言。",
  },
});

const DELAY = 250; // ms after the last key
const EXPORT_WIDTH = 900;

export function createLanguagesView(page) {
  return new LanguagesView(page);
}

// Returns the paragraphs of a text as [language, text]; paragraphs without a name are numbered.
function paragraphsOf(text) {
  const paragraphs = text.split(/\r?\n[^\S\n]*(?:\r?\n[^\S\n]*)+/).filter((each) => each.trim());
  return paragraphs.map((each, place) => {
    const [first, ...others] = each.trim().split(/\r?\n/);
    const name = others.length ? /^(.{1,60}?)\s*[:：]$/u.exec(first.trim())?.[1] : null;
    return name ? [name, others.join("\n")] : [t("languages.new", { number: place + 1 }), each.trim()];
  });
}

class LanguagesView {
  constructor(page) {
    this.key = "languages";
    this.page = page;
    this.samples = Object.entries(page.session.parallel_texts);
    this.answer = null;
    this.question = new LatestQuestion(
      (members) => ask("evaluate", members),
      (answer) => this.show(answer),
      (error) => this.page.fail(error),
      () => (this.table.element.ariaBusy = "false"),
    );
    this.tokenizers = new TokenizerChoice(page, () => this.changed());
    this.table = new LanguageTable({
      edited: () => this.edited(),
      open: (text) => page.openView("type", { text, tokenizers: this.tokenizers.chosen }),
    });
    this.element = this.build();
    new ResizeObserver(() => this.drawBars()).observe(this.bars);
  }

  build() {
    const titles = METRICS.map((metric) => el("option", { value: metric, text: t(`languages.${metric}`) }));
    this.metric = el("select", { on: { change: () => this.draw() } }, titles);
    this.reference = el("select", { on: { change: () => this.changed() } });
    this.bars = el("div", { class: "bars" });
    this.figures = el("ul", { class: "gini dim" });
    const button = (key, run) => el("button", { type: "button", text: t(`languages.${key}`), on: { click: run } });
    this.pasted = el("textarea", { rows: 8, dir: "auto", "aria-label": t("languages.paste") });
    this.paste = el(
      "div",
      { class: "panel", hidden: true },
      el("p", { class: "dim help", text: t("languages.paste") }),
      this.pasted,
      el("div", { class: "row" }, button("apply", () => this.usePasted()), button("cancel", () => this.togglePaste(false))),
    );
    this.own = button("own", () => this.togglePaste(this.paste.hidden));
    this.own.setAttribute("aria-expanded", "false");
    return el(
      "section",
      {},
      this.tokenizers.element,
      el("p", { class: "dim help", text: t("languages.help") }),
      el(
        "div",
        { class: "row" },
        el("label", {}, t("languages.reference"), this.reference),
        el("label", {}, t("languages.metric"), this.metric),
      ),
      this.bars,
      this.figures,
      el(
        "div",
        { class: "row" },
        button("add", () => this.add()),
        this.own,
        button("samples", () => this.replace(this.samples)),
      ),
      this.paste,
      this.table.element,
    );
  }

  // Settings

  settings() {
    const rows = this.table.rows();
    const isSample = (name, text) => this.page.session.parallel_texts[name] === text;
    const areSamples = rows.length === this.samples.length && rows.every(([name, text]) => isSample(name, text));
    return {
      tokenizers: this.tokenizers.chosen,
      metric: this.metric.value,
      reference: this.reference.value,
      // A text that is a sample is left out.
      rows: areSamples ? null : rows.map(([name, text]) => (isSample(name, text) ? [name] : [name, text])),
    };
  }

  restore({ tokenizers, metric, reference, rows }) {
    this.tokenizers.restore(tokenizers);
    this.metric.value = METRICS.includes(metric) ? metric : METRICS[0];
    const samples = this.page.session.parallel_texts;
    const isText = (each) => typeof each === "string";
    const known = (Array.isArray(rows) ? rows : [])
      .filter((row) => Array.isArray(row) && isText(row[0]) && (isText(row[1]) || Object.hasOwn(samples, row[0])))
      .slice(0, this.page.session.limits.languages)
      .map(([name, text]) => [name, text ?? samples[name]]);
    this.table.fill(known.length ? known : this.samples);
    this.drawReferences(reference);
  }

  shown() {
    this.refresh();
  }

  tokenizersChanged(added, isChosen) {
    this.tokenizers.update(isChosen ? added : null);
    this.refresh();
  }

  async takeText(file) {
    this.add(file.name, await this.page.readText(file));
  }

  // Texts

  add(name = null, text = "") {
    const { languages: most } = this.page.session.limits;
    const count = this.table.rows().length;
    if (count >= most) return this.page.say(t("languages.most", { most }));
    this.table.add(name ?? t("languages.new", { number: count + 1 }), text).focus();
    this.edited();
  }

  replace(rows) {
    this.table.fill(rows);
    this.changed();
  }

  togglePaste(isOpen) {
    this.paste.hidden = !isOpen;
    this.own.setAttribute("aria-expanded", String(isOpen));
    (isOpen ? this.pasted : this.own).focus();
  }

  usePasted() {
    const { languages: most } = this.page.session.limits;
    const rows = paragraphsOf(this.pasted.value);
    if (rows.length > most) return this.page.say(t("languages.most", { most }));
    if (rows.length) this.replace(rows);
    this.togglePaste(false);
  }

  edited() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed(), DELAY);
  }

  changed() {
    this.drawReferences(this.reference.value);
    this.page.changed();
    this.refresh();
  }

  drawReferences(chosen) {
    const names = [...new Set(this.table.rows().map(([name]) => name))];
    replaceChildren(this.reference, names.map((name) => el("option", { value: name, text: name })));
    this.reference.value = names.includes(chosen) ? chosen : (names[0] ?? "");
  }

  // Questions and answers

  refresh() {
    if (this.element.hidden) return;
    const problem = this.table.problem();
    if (problem) return this.page.fail(new RequestError(problem));
    const rows = this.table.rows().map(([name, text]) => [name.toWellFormed(), text.toWellFormed()]);
    if (!rows.length || !this.tokenizers.chosen.length) {
      this.answer = null;
      return this.draw();
    }
    const members = { tokenizers: this.tokenizers.chosen, languages: Object.fromEntries(rows) };
    if (rows.length > 1) members.reference = this.reference.value.toWellFormed();
    this.table.element.ariaBusy = "true";
    this.question.ask(members);
  }

  show(answer) {
    this.page.clearFailure();
    this.answer = answer;
    this.draw();
  }

  draw() {
    this.page.changed();
    const results = this.answer?.tokenizers ?? [];
    this.table.show(results);
    const compared = results.filter((result) => result.parity);
    const sentences = compared.map(({ name, parity }) =>
      t("languages.gini", { name, gini: number(parity.gini), largest: number(parity.largest_premium) }),
    );
    replaceChildren(this.figures, sentences.map((text) => el("li", { text })));
    this.drawBars();
  }

  drawBars() {
    replaceChildren(this.bars, this.answer && this.picture(this.bars.clientWidth));
  }

  // Export

  picture(width) {
    const metric = this.metric.value;
    const title = metric === "premium" ? t("languages.premium.title", { reference: this.reference.value }) : t(`languages.${metric}`);
    const names = this.table.rows().map(([name]) => name);
    const rows = names.map((name) => ({ name, values: this.answer.tokenizers.map((result) => valueOf(result, name, metric)) }));
    return barsSvg({ title, series: this.answer.tokenizers.map((each) => each.name), rows, width, marked: metric === "premium" ? 1 : null });
  }

  data() {
    return this.answer && { texts: Object.fromEntries(this.table.rows()), ...this.answer };
  }

  svg() {
    return this.answer && svgFileOf(this.picture(EXPORT_WIDTH));
  }
}
