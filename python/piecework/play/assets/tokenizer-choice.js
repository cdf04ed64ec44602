// Check boxes that choose some of the tokenizers of the page.

import { el, number, replaceChildren } from "./dom.js";
import { addMessages, t } from "./messages.js";

addMessages({
  en: {
    "choice.title": "Tokenizers (up to {most})",
    "choice.most": "At most {most} tokenizers are compared.",
  },
  zh: {
    "choice.title": "分词器（最多 {most} 个）",
    "choice.most": "最多比较 {most} 个分词器。",
  },
});

export class TokenizerChoice {
  // `changed` is called after the user has changed the choice.
  constructor(page, changed) {
    this.page = page;
    this.changed = changed;
    this.most = page.session.limits.tokenizers;
    this.boxes = el("div", { class: "row" });
    this.element = el("fieldset", { class: "choice" }, el("legend", { text: t("choice.title", { most: this.most }) }), this.boxes);
    this.restore(null);
  }

  names() {
    return this.page.session.tokenizers.map((each) => each.name);
  }

  // Chooses tokenizers by their names; the first ones if none of them is there.
  restore(wanted) {
    const known = new Set(this.names());
    const chosen = Array.isArray(wanted) ? wanted.filter((name) => known.has(name)) : [];
    this.chosen = (chosen.length ? chosen : this.names()).slice(0, this.most);
    this.draw();
  }

  // Follows the tokenizers of the page, and chooses a new one, if it is not null.
  update(added) {
    const known = new Set(this.names());
    this.chosen = this.chosen.filter((name) => known.has(name));
    if (added && !this.chosen.includes(added)) this.chosen = [...this.chosen.slice(0, this.most - 1), added];
    this.draw();
  }

  draw() {
    const label = ({ name, model, vocab_size: size }) => {
      const box = el("input", { type: "checkbox", checked: this.chosen.includes(name) });
      box.addEventListener("change", () => this.toggle(name, box));
      return el("label", { title: `${model}, ${number(size)}` }, box, name);
    };
    replaceChildren(this.boxes, this.page.session.tokenizers.map(label));
  }

  toggle(name, box) {
    if (!box.checked) this.chosen = this.chosen.filter((each) => each !== name);
    else if (this.chosen.length < this.most) this.chosen = [...this.chosen, name];
    else {
      box.checked = false;
      this.page.say(t("choice.most", { most: this.most }));
      return;
    }
    this.page.say("");
    this.changed();
  }
}
