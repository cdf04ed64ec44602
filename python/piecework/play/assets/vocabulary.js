// The view "Vocabulary": the entries of a tokenizer, searched, filtered and sorted by the server.

import { LatestQuestion, ask } from "./api.js";
import { el, number, replaceChildren } from "./dom.js";
import { COLUMNS, EntryTable, scriptName } from "./entry-table.js";
import { EntryPanel } from "./entry.js";
import { lineageSvgText } from "./lineage.js";
import { addMessages, t } from "./messages.js";

addMessages({
  en: {
    "vocabulary.tab": "Vocabulary",
    "vocabulary.tokenizer": "Tokenizer",
    "vocabulary.search": "Search",
    "vocabulary.search.hint": "a part of an entry",
    "vocabulary.kind": "Entries",
    "vocabulary.kind.all": "all",
    "vocabulary.kind.unused": "unused",
    "vocabulary.kind.unreachable": "unreachable",
    "vocabulary.script": "Script",
    "vocabulary.script.all": "all",
    "vocabulary.counts": "Counts",
    "vocabulary.counts.training": "of the training",
    "vocabulary.counts.text": "in the text of Type",
    "vocabulary.found": "{total} of {entries} entries",
    "vocabulary.none": "No entry is like this.",
    "vocabulary.no-counts": "The counts of the training are unknown. Count the entries in the text of Type instead.",
    "vocabulary.linting": "Searching for entries that no text produces. A vocabulary of 250,000 entries takes up to 10 seconds.",
    "vocabulary.back": "Previous",
    "vocabulary.next": "Next",
    "vocabulary.range": "{first}–{last}",
    "vocabulary.help": "Length is in characters, without marks such as ##. Choose an entry to see what it is made of.",
  },
  zh: {
    "vocabulary.tab": "词表",
    "vocabulary.tokenizer": "分词器",
    "vocabulary.search": "搜索",
    "vocabulary.search.hint": "词条的一部分",
    "vocabulary.kind": "词条",
    "vocabulary.kind.all": "全部",
    "vocabulary.kind.unused": "未使用",
    "vocabulary.kind.unreachable": "不可达",
    "vocabulary.script": "文字",
    "vocabulary.script.all": "全部",
    "vocabulary.counts": "计数",
    "vocabulary.counts.training": "训练中",
    "vocabulary.counts.text": "“输入”的文本中",
    "vocabulary.found": "{entries} 个词条中的 {total} 个",
    "vocabulary.none": "没有符合条件的词条。",
    "vocabulary.no-counts": "训练中的计数未知。可改为在“输入”的文本中计数。",
    "vocabulary.linting": "正在查找没有文本能产生的词条。25 万个词条的词表最多需要 10 秒。",
    "vocabulary.back": "上一页",
    "vocabulary.next": "下一页",
    "vocabulary.range": "第 {first}–{last} 个",
    "vocabulary.help": "长度以字符计，不含 ## 等标记。选择一个词条，可看它由什么组成。",
  },
});

const KINDS = ["all", "unused", "unreachable"];
const COUNTS = ["training", "text"];
const MAX_SEARCH = 1000; // characters
const DELAY = 150; // ms after the last key

export function createVocabularyView(page) {
  return new VocabularyView(page);
}

class VocabularyView {
  constructor(page) {
    this.key = "vocabulary";
    this.page = page;
    this.asked = { sort: "id", descending: false, script: null, start: 0 };
    this.answer = null;
    const show = (answer, members) => members === this.members && this.show(answer);
    const fail = (error) => this.fail(error);
    const run = (members, signal) => ask("vocabulary", members, signal);
    // Entries that no text produces take seconds, in which the other questions are answered.
    this.questions = { fast: new LatestQuestion(run, show, fail), slow: new LatestQuestion(run, show, fail) };
    this.entry = new EntryPanel(page, (id) => {
      this.table.mark(id);
      page.changed();
    });
    this.table = new EntryTable({
      sort: (column) => this.sort(column),
      choose: (id, opener) => this.entry.open(this.tokenizer.value, id, opener),
    });
    this.element = this.build();
  }

  build() {
    const change = (setting) => ({ change: () => this.changed(setting) });
    const choice = (key, values) =>
      el(
        "select",
        { on: change(key) },
        values.map((value) => el("option", { value, text: t(`vocabulary.${key}.${value}`) })),
      );
    this.tokenizer = el("select", { class: "tokenizer", on: change("tokenizer") });
    this.search = el("input", {
      type: "search",
      maxlength: MAX_SEARCH,
      spellcheck: "false",
      autocomplete: "off",
      placeholder: t("vocabulary.search.hint"),
      on: { input: () => this.typed() },
    });
    this.kind = choice("kind", KINDS);
    this.counts = choice("counts", COUNTS);
    this.script = el("select", { on: change("script") });
    const labelled = (key, control) => el("label", {}, t(`vocabulary.${key}`), control);
    this.found = el("span", { class: "found", role: "status", "aria-live": "polite" });
    this.range = el("span", { class: "dim" });
    const turn = (step) => () => this.turn(step);
    this.back = el("button", { type: "button", text: t("vocabulary.back"), on: { click: turn(-1) } });
    this.next = el("button", { type: "button", text: t("vocabulary.next"), on: { click: turn(1) } });
    this.turning = el("span", { class: "turning" }, this.back, this.range, this.next);
    this.note = el("p", { class: "note dim", hidden: true });
    this.waiting = el("progress", { class: "waiting", hidden: true, "aria-label": t("vocabulary.linting") });
    return el(
      "section",
      {},
      el(
        "div",
        { class: "row", role: "search" },
        labelled("tokenizer", this.tokenizer),
        labelled("search", this.search),
        labelled("kind", this.kind),
        labelled("script", this.script),
        labelled("counts", this.counts),
      ),
      el("p", { class: "dim help", text: t("vocabulary.help") }),
      el("div", { class: "row" }, this.found, this.turning),
      this.waiting,
      this.note,
      el("div", { class: "vocabulary" }, this.table.element, this.entry.element),
    );
  }

  // Settings

  settings() {
    return {
      tokenizer: this.tokenizer.value,
      search: this.search.value,
      kind: this.kind.value,
      counts: this.counts.value,
      ...this.asked,
      entry: this.entry.id,
    };
  }

  restore({ tokenizer, search, kind, counts, sort, descending, script, start, entry }) {
    this.drawTokenizers(tokenizer);
    this.search.value = typeof search === "string" ? search.slice(0, MAX_SEARCH) : "";
    this.kind.value = KINDS.includes(kind) ? kind : "all";
    this.counts.value = COUNTS.includes(counts) ? counts : "training";
    this.asked = {
      sort: COLUMNS.includes(sort) ? sort : "id",
      descending: descending === true,
      script: typeof script === "string" ? script.slice(0, 100) : null,
      start: Number.isSafeInteger(start) && start > 0 ? start : 0,
    };
    this.drawScripts({});
    this.entry.close();
    this.wanted = Number.isSafeInteger(entry) && entry >= 0 ? entry : null;
  }

  shown() {
    this.refresh();
    if (this.wanted !== null) this.entry.open(this.tokenizer.value, this.wanted);
    this.wanted = null;
  }

  tokenizersChanged(added, isChosen) {
    const before = this.tokenizer.value;
    this.drawTokenizers(isChosen ? added : before);
    if (this.tokenizer.value !== before || added === before) this.changed("tokenizer");
  }

  async takeText(file) {
    await this.typeView().takeText(file);
    this.counts.value = "text";
    this.changed("counts");
  }

  drawTokenizers(chosen) {
    const names = this.page.session.tokenizers.map((each) => each.name);
    replaceChildren(this.tokenizer, names.map((name) => el("option", { value: name, text: name })));
    this.tokenizer.value = names.includes(chosen) ? chosen : names[0];
  }

  // Questions

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.changed("search"), DELAY);
  }

  changed(setting) {
    if (setting === "script") this.asked.script = this.script.value || null;
    else if (setting === "tokenizer") {
      this.asked.script = null;
      this.entry.close();
    }
    this.askAgain({ start: 0 });
  }

  sort(column) {
    const isSame = column === this.asked.sort;
    // Counts and lengths are most interesting from the largest one.
    const descending = isSame ? !this.asked.descending : column === "count" || column === "length";
    this.askAgain({ sort: column, descending, start: 0 });
  }

  turn(step) {
    this.askAgain({ start: Math.max(0, this.asked.start + step * this.page.session.limits.rows) });
  }

  askAgain(asked) {
    Object.assign(this.asked, asked);
    this.page.changed();
    this.refresh();
  }

  refresh() {
    if (this.element.hidden) return;
    const members = { ...this.asked, tokenizer: this.tokenizer.value, search: this.search.value.toWellFormed(), kind: this.kind.value };
    if (this.counts.value === "text") members.text = this.typeView().currentText();
    this.members = members;
    const isSlow = members.kind === "unreachable";
    this.waiting.hidden = !isSlow;
    if (isSlow) this.setNote("vocabulary.linting");
    this.table.setBusy(true);
    this.questions[isSlow ? "fast" : "slow"].cancel();
    this.questions[isSlow ? "slow" : "fast"].ask(members);
  }

  // The view "Type", which has the text in which entries are counted.
  typeView() {
    return this.page.views.find((view) => view.key === "type");
  }

  fail(error) {
    this.waiting.hidden = true;
    this.setNote(null);
    this.table.setBusy(false);
    this.page.fail(error);
  }

  setNote(key) {
    this.note.hidden = key === null;
    this.note.textContent = key === null ? "" : t(key);
  }

  // The answer

  show(answer) {
    this.answer = answer;
    this.waiting.hidden = true;
    this.table.setBusy(false);
    this.page.clearFailure();
    this.found.textContent = t("vocabulary.found", { total: number(answer.total), entries: number(answer.entries) });
    this.setNote(this.noteOf(answer));
    this.drawScripts(answer.scripts);
    const last = answer.start + answer.rows.length;
    this.range.textContent = t("vocabulary.range", { first: number(answer.start + 1), last: number(last) });
    this.back.disabled = answer.start === 0;
    this.next.disabled = last >= answer.total;
    this.turning.hidden = answer.start === 0 && last >= answer.total;
    this.table.show(answer.rows, this.asked, { hasReasons: this.members.kind === "unreachable" });
    this.table.mark(this.entry.id);
  }

  noteOf(answer) {
    const needsCounts = this.kind.value === "unused" || this.asked.sort === "count";
    if (!answer.has_counts && needsCounts) return "vocabulary.no-counts";
    return answer.total ? null : "vocabulary.none";
  }

  drawScripts(scripts) {
    const chosen = this.asked.script;
    const counts = Object.entries(scripts);
    if (chosen !== null && !Object.hasOwn(scripts, chosen)) counts.push([chosen, 0]);
    const option = (value, text) => el("option", { value, text });
    replaceChildren(
      this.script,
      option("", t("vocabulary.script.all")),
      counts.map(([script, count]) => option(script, `${scriptName(script)} (${number(count)})`)),
    );
    this.script.value = chosen ?? "";
  }

  // Export

  data() {
    return this.answer && { query: this.members, ...this.answer, entry: this.entry.data };
  }

  svg() {
    return this.entry.data && lineageSvgText(this.entry.data);
  }
}
