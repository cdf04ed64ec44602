// The settings of a training: where the words come from, the model, and its options.

import { RequestError } from "./api.js";
import { el } from "./dom.js";
import { t } from "./messages.js";
import { setShown } from "./train-parts.js";

const MODELS = ["wordpiece", "bpe", "byte-bpe", "unigram"];
const CRITERIA = ["likelihood", "pmi", "sum", "frequency"];
const TIES = ["lex", "first"];
const MAX_SHOWN = 200_000; // characters of a text that are shown, and written into links
const MAX_SIZE = 10_000;
const OWN = "text";
const DEFAULTS = { source: "note-000", model: "wordpiece", vocab_size: 200, criterion: "likelihood", ties: "lex", side_by_side: false };

// A long text survives a change of the language, though it is not in the settings.
let longText = null; // { name, text, isCut }

export class TrainForm {
  // `run()` is called when the training should start, `cancel()` when it should end.
  constructor(page, { run, cancel }) {
    [this.page, this.run] = [page, run];
    this.long = null;
    this.source = this.select("source", [
      el("optgroup", { label: t("train.source.examples") }, Object.keys(page.session.examples).map((name) => this.example(name))),
      el("option", { value: OWN, text: t("train.source.text") }),
    ]);
    this.model = this.select("model", MODELS.map((name) => option(name, "model")));
    this.criterion = this.select("criterion", CRITERIA.map((name) => option(name, "criterion")));
    this.ties = this.select("ties", TIES.map((name) => option(name, "ties")));
    this.size = el("input", { type: "number", min: "1", max: String(MAX_SIZE), step: "1", class: "train-size", on: { change: () => page.changed() } });
    this.side = el("input", { type: "checkbox", class: "train-side", on: { change: () => this.sideChanged() } });
    this.text = el("textarea", {
      class: "train-text",
      spellcheck: "false",
      "aria-label": t("train.text"),
      placeholder: t("train.text.hint"),
      on: { input: () => page.changed() },
    });
    this.longNote = el("span", { class: "train-long" });
    this.longRow = el("p", { class: "row" }, this.longNote, this.button("file.drop", () => this.writeInstead()));
    this.chooser = el("input", { type: "file", hidden: true, class: "train-file", on: { change: () => this.chosen() } });
    this.start = el("button", { type: "submit", class: "primary train-run", text: t("train.run") });
    this.stop = el("button", { type: "button", class: "train-cancel", hidden: true, text: t("train.cancel"), on: { click: cancel } });
    this.own = el("div", { class: "train-own" }, this.text, this.longRow);
    this.labels = {};
    for (const [key, control] of Object.entries({ model: this.model, size: this.size, criterion: this.criterion, ties: this.ties })) {
      this.labels[key] = el("label", {}, t(`train.${key}`), control);
    }
    this.labels.side = el("label", {}, this.side, t("train.side"));
    this.open = this.button("file", () => this.chooser.click());
    this.element = el(
      "form",
      { class: "row train-form", "aria-label": t("train.settings"), on: { submit: (event) => this.submitted(event) } },
      el("label", {}, t("train.source"), this.source),
      this.open,
      this.chooser,
      this.own,
      Object.values(this.labels),
      this.start,
      this.stop,
    );
    this.restore({});
  }

  example(name) {
    const key = `train.example.${name}`;
    const title = t(key);
    return el("option", { value: name, text: title === key ? `${name}: ${this.page.session.examples[name]}` : title });
  }

  select(name, options) {
    const select = el("select", { class: `train-${name}-choice` }, options);
    select.addEventListener("change", () => this.changed(name));
    return select;
  }

  button(key, run) {
    return el("button", { type: "button", text: t(`train.${key}`), on: { click: run } });
  }

  // Shows the controls that the choices leave, and runs an example that was chosen.
  changed(name) {
    this.update();
    this.page.changed();
    if (name === "source" && this.source.value !== OWN) this.run();
  }

  sideChanged() {
    this.page.changed();
    if (this.source.value !== OWN) this.run();
  }

  submitted(event) {
    event.preventDefault();
    this.run();
  }

  // Shows the button that cancels while a training runs.
  setBusy(isBusy) {
    // A button that is hidden loses the focus.
    if (!isBusy && document.activeElement === this.stop) this.start.focus();
    setShown(this.stop, isBusy);
  }

  update() {
    const isOwn = this.source.value === OWN;
    const isWordPiece = this.model.value === "wordpiece";
    setShown(this.own, isOwn);
    setShown(this.text, !this.long);
    setShown(this.longRow, Boolean(this.long));
    setShown(this.labels.model, isOwn);
    setShown(this.labels.size, isOwn);
    setShown(this.labels.criterion, isOwn && isWordPiece);
    setShown(this.labels.ties, isOwn && this.model.value !== "unigram");
    setShown(this.labels.side, this.hasCriteria());
  }

  hasCriteria() {
    if (this.source.value === OWN) return this.model.value === "wordpiece";
    return this.page.session.examples_with_criteria.includes(this.source.value);
  }

  async chosen() {
    const [file] = this.chooser.files;
    this.chooser.value = "";
    if (file) await this.takeText(file);
  }

  // Reads a file as text, and trains on it.
  async takeText(file) {
    const limit = this.page.session.limits.text;
    // A character of UTF-8 has at most four bytes.
    let text = await file.slice(0, 4 * limit).text();
    const isCut = text.length > limit || file.size > 4 * limit;
    if (isCut) text = text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
    this.source.value = OWN;
    this.setText({ name: file.name, text, isCut });
    this.page.changed();
    this.run();
  }

  setText(given) {
    const isLong = given.text.length > MAX_SHOWN || given.isCut;
    this.long = isLong ? given : null;
    longText = this.long ?? longText;
    this.text.value = isLong ? "" : given.text;
    if (isLong) {
      const count = given.text.length.toLocaleString(document.documentElement.lang);
      this.longNote.textContent = t(given.isCut ? "train.file.cut" : "train.file.taken", { name: given.name, count });
    }
    this.update();
  }

  writeInstead() {
    this.long = longText = null;
    this.update();
    this.text.focus();
    this.page.changed();
  }

  // Returns the members of the request, or throws an error that says what is missing.
  request() {
    const side_by_side = this.hasCriteria() && this.side.checked;
    if (this.source.value !== OWN) return { example: this.source.value, side_by_side };
    const text = this.long?.text ?? this.text.value;
    if (!text.trim()) throw new RequestError(t("train.text.needed"));
    const request = { text, model: this.model.value, vocab_size: this.size.valueAsNumber || 0, side_by_side };
    if (request.model === "wordpiece") request.criterion = this.criterion.value;
    if (request.model !== "unigram") request.ties = this.ties.value;
    return request;
  }

  settings() {
    const isLong = this.long || this.text.value.length > MAX_SHOWN;
    if (isLong && !this.long) longText = { name: t("train.text"), text: this.text.value, isCut: false };
    return {
      source: this.source.value,
      text: isLong ? null : this.text.value,
      model: this.model.value,
      vocab_size: this.size.valueAsNumber || DEFAULTS.vocab_size,
      criterion: this.criterion.value,
      ties: this.ties.value,
      side_by_side: this.side.checked,
    };
  }

  // Sets what settings contain; a link may contain anything.
  restore(settings) {
    const choose = (select, name) => {
      select.value = typeof settings[name] === "string" ? settings[name] : DEFAULTS[name];
      if (select.selectedIndex < 0) select.value = DEFAULTS[name];
    };
    choose(this.source, "source");
    choose(this.model, "model");
    choose(this.criterion, "criterion");
    choose(this.ties, "ties");
    this.size.value = String(Number.isSafeInteger(settings.vocab_size) ? settings.vocab_size : DEFAULTS.vocab_size);
    this.side.checked = settings.side_by_side === true;
    if (settings.text === null && longText) this.setText(longText);
    else this.setText({ name: "", text: typeof settings.text === "string" ? settings.text : "", isCut: false });
    // The text of a link that was too long is not there.
    this.isTextMissing = settings.source === OWN && settings.text === null && !longText;
  }

  // Returns whether a training can start without further input.
  isReady() {
    return this.source.value !== OWN || Boolean(this.long || this.text.value.trim());
  }
}

function option(name, kind) {
  return el("option", { value: name, text: t(`train.${kind}.${name}`) });
}
