// The table of entries of the view "Vocabulary".

import { el, number, pieceElement, replaceChildren } from "./dom.js";
import { addMessages, t } from "./messages.js";

addMessages({
  en: {
    "vocabulary.script.Other": "no letters",
    "vocabulary.id": "Id",
    "vocabulary.token": "Entry",
    "vocabulary.count": "Count",
    "vocabulary.length": "Length",
    "vocabulary.script-column": "Script",
    "vocabulary.reason": "Why no text produces it",
    "vocabulary.table": "Entries of the vocabulary",
  },
  zh: {
    "vocabulary.script.Other": "无字母",
    "vocabulary.id": "编号",
    "vocabulary.token": "词条",
    "vocabulary.count": "计数",
    "vocabulary.length": "长度",
    "vocabulary.script-column": "文字",
    "vocabulary.reason": "为什么没有文本产生它",
    "vocabulary.table": "词表的词条",
  },
});

export const COLUMNS = ["id", "token", "count", "length", "script"]; // those that sort

export function scriptName(script) {
  return script === "Other" ? t("vocabulary.script.Other") : script;
}

export class EntryTable {
  // `sort` is called with a column, `choose` with the id of an entry and its button.
  constructor({ sort, choose }) {
    [this.sort, this.choose] = [sort, choose];
    this.heads = COLUMNS.map((column) => this.head(column));
    this.reasonHead = el("th", { scope: "col", text: t("vocabulary.reason") });
    this.rows = el("tbody", { on: { click: (event) => this.clicked(event), keydown: (event) => this.move(event) } });
    this.stop = null; // the button that Tab reaches: one of the rows, whose others the arrow keys reach
    const label = t("vocabulary.table");
    this.table = el(
      "table",
      { class: "entries", "aria-label": label },
      el("thead", {}, el("tr", {}, this.heads.slice(0, 2), this.reasonHead, this.heads.slice(2))),
      this.rows,
    );
    this.element = el("div", { class: "scroll entry-scroll", tabindex: "0", role: "region", "aria-label": label }, this.table);
  }

  head(column) {
    const key = column === "script" ? "vocabulary.script-column" : `vocabulary.${column}`;
    const arrow = el("span", { class: "arrow", "aria-hidden": "true" });
    const button = el("button", { type: "button", on: { click: () => this.sort(column) } }, t(key), arrow);
    return el("th", { scope: "col", class: `column-${column}` }, button);
  }

  show(rows, { sort, descending }, { hasReasons }) {
    this.heads.forEach((head, place) => {
      if (COLUMNS[place] !== sort) head.removeAttribute("aria-sort");
      else head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    });
    this.reasonHead.hidden = !hasReasons;
    this.element.hidden = !rows.length;
    replaceChildren(this.rows, rows.map((row) => this.row(row, hasReasons)));
    this.element.scrollTop = 0;
    this.stopAt(this.rows.querySelector("button"));
  }

  stopAt(button) {
    if (this.stop) this.stop.tabIndex = -1;
    this.stop = button;
    if (button) button.tabIndex = 0;
  }

  row(row, hasReasons) {
    const piece = pieceElement(row.display_token, { class: row.is_special ? "special" : null });
    return el(
      "tr",
      { data: { id: row.id } },
      el("td", { class: "number", text: String(row.id) }),
      el("td", { class: "column-token" }, el("button", { type: "button", class: "entry", tabindex: "-1" }, piece)),
      hasReasons && el("td", { class: "reason", text: row.reason }),
      el("td", { class: "number", text: number(row.count) }),
      el("td", { class: "number", text: number(row.length) }),
      el("td", { text: scriptName(row.script) }),
    );
  }

  setBusy(isBusy) {
    this.element.setAttribute("aria-busy", String(isBusy));
  }

  // Marks the row of the entry whose details are shown.
  mark(id) {
    for (const row of this.rows.children) {
      if (Number(row.dataset.id) === id) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  clicked(event) {
    const row = event.target.closest("tr");
    if (!row) return;
    this.stopAt(row.querySelector("button"));
    this.choose(Number(row.dataset.id), this.stop);
  }

  move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = event.target.closest("tr");
    if (!step || !row) return;
    event.preventDefault();
    const other = step > 0 ? row.nextElementSibling : row.previousElementSibling;
    if (!other) return;
    this.stopAt(other.querySelector("button"));
    this.stop.focus();
  }
}
