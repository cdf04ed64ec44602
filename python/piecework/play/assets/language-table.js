// The table of the view "Languages": a row for each language with its text and the figures of each tokenizer.

import { el, number, replaceChildren } from "./dom.js";
import { addMessages, t } from "./messages.js";

addMessages({
  en: {
    "languages.table": "Languages with their texts and figures",
    "languages.name": "Language",
    "languages.text": "Text",
    "languages.name-of": "Name of language {number}",
    "languages.text-of": "Text in {name}",
    "languages.open": "Type",
    "languages.open.title": "Open the text in {name} in the view Type",
    "languages.remove": "Remove {name}",
    "languages.unnamed": "A language has no name; give it one.",
    "languages.twice": "Two languages have the name {name}; change one of them.",
  },
  zh: {
    "languages.table": "各语言的文本和数字",
    "languages.name": "语言",
    "languages.text": "文本",
    "languages.name-of": "第 {number} 种语言的名称",
    "languages.text-of": "{name} 的文本",
    "languages.open": "输入",
    "languages.open.title": "在“输入”视图中打开 {name} 的文本",
    "languages.remove": "删除 {name}",
    "languages.unnamed": "有一种语言没有名称；请填写。",
    "languages.twice": "有两种语言都叫 {name}；请修改其中一个。",
  },
});

export const METRICS = ["premium", "tokens", "characters_per_token", "bytes_per_token"];

// Returns a value of a language from the result of a tokenizer; undefined if it has none.
export function valueOf({ parity, groups }, language, metric) {
  if (!Object.hasOwn(groups, language)) return undefined; // a name that was just typed
  if (metric === "premium") return parity?.premiums[language];
  return metric === "tokens" ? groups[language].tokens : groups[language].metrics[metric];
}

export class LanguageTable {
  // `edited` is called after a change of the texts, `open` with a text to open.
  constructor({ edited, open }) {
    [this.edited, this.open] = [edited, open];
    this.lines = []; // { name, text, row, open, remove }
    this.results = [];
    this.heads = el("thead");
    this.body = el("tbody");
    const label = t("languages.table");
    this.element = el(
      "div",
      { class: "scroll language-scroll", tabindex: "0", role: "region", "aria-label": label },
      el("table", { class: "languages", "aria-label": label }, this.heads, this.body),
    );
  }

  // Returns [name, text] of each row.
  rows() {
    return this.lines.map(({ name, text }) => [name.value.trim(), text.value]);
  }

  fill(rows) {
    this.lines = [];
    replaceChildren(this.body);
    for (const [name, text] of rows) this.add(name, text);
  }

  // Adds a row; returns the field of its name.
  add(name, text) {
    const line = {
      name: el("input", { value: name, maxlength: 100, spellcheck: "false", dir: "auto", on: { input: () => this.changed() } }),
      text: el("textarea", { value: text, rows: 2, dir: "auto", spellcheck: "false", on: { input: () => this.edited() } }),
      open: el("button", { type: "button", text: t("languages.open"), on: { click: () => this.open(line.text.value) } }),
      remove: el("button", { type: "button", text: "×", on: { click: () => this.remove(line) } }),
    };
    const buttons = el("div", { class: "row" }, line.open, line.remove);
    line.row = el("tr", {}, el("th", { scope: "row" }, line.name, buttons), el("td", { class: "text" }, line.text));
    this.lines.push(line);
    this.body.append(line.row);
    this.label();
    return line.name;
  }

  remove(line) {
    const place = this.lines.indexOf(line);
    this.lines.splice(place, 1);
    line.row.remove();
    const next = this.lines[Math.min(place, this.lines.length - 1)];
    next?.remove.focus();
    this.changed();
  }

  changed() {
    this.label();
    this.edited();
  }

  label() {
    this.lines.forEach(({ name, text, open, remove }, place) => {
      const own = name.value.trim() || String(place + 1);
      name.setAttribute("aria-label", t("languages.name-of", { number: place + 1 }));
      text.setAttribute("aria-label", t("languages.text-of", { name: own }));
      for (const attribute of ["title", "aria-label"]) {
        open.setAttribute(attribute, t("languages.open.title", { name: own }));
        remove.setAttribute(attribute, t("languages.remove", { name: own }));
      }
    });
  }

  // Returns what is wrong with the names, or null; marks those that are wrong.
  problem() {
    const seen = new Set();
    let problem = null;
    for (const { name } of this.lines) {
      const own = name.value.trim();
      const isWrong = !own || seen.has(own);
      if (isWrong) {
        name.setAttribute("aria-invalid", "true");
        problem ??= own ? t("languages.twice", { name: own }) : t("languages.unnamed");
      } else name.removeAttribute("aria-invalid");
      seen.add(own);
    }
    return problem;
  }

  // Shows the results of tokenizers; the fields of the texts stay, so that typing goes on.
  show(results) {
    const head = (content, span) => el("th", { scope: span ? "colgroup" : "col", colspan: span, class: span ? "first" : null }, content);
    replaceChildren(
      this.heads,
      el("tr", {}, el("td", { colspan: 2 }), results.map(({ name }) => head(name, METRICS.length))),
      el("tr", {}, head(t("languages.name")), head(t("languages.text")), results.flatMap(() => METRICS.map((key) => head(t(`languages.${key}`))))),
    );
    for (const { name, row } of this.lines) {
      const own = name.value.trim();
      // The fields are not moved, which would take the focus from them.
      for (const cell of [...row.children].slice(2)) cell.remove();
      row.append(...results.flatMap((result) => METRICS.map((key) => this.cell(valueOf(result, own, key), key))));
    }
  }

  cell(value, metric) {
    return el("td", { class: metric === METRICS[0] ? "number first" : "number", text: number(value) });
  }
}
