// The table of the last merges, by one criterion with their counts, or by several side by side.

import { el, number, pieceElement } from "./dom.js";
import { t } from "./messages.js";
import { KeyedList, figure, headedTable, numberCell, scrollBox, setShown } from "./train-parts.js";

const ROWS = 10;
const HEADS = ["step", "pair", "token", "score", "count", "left", "right", "tie-count", "next"];

export class LastMerges {
  // `all` are the states by criterion; `states` those whose merges are shown if there is one criterion.
  constructor(all, states) {
    const isSideBySide = all.length > 1;
    [this.all, this.states] = [all, states];
    const heads = isSideBySide ? ["step", ...all.map(([name]) => `criterion.${name}`)] : HEADS;
    this.rows = new KeyedList(el("tbody", {}), (step) => (isSideBySide ? this.sideBySide(step) : this.one(step)));
    this.none = el("p", { class: "note dim", text: t("train.merges.none") });
    this.element = el(
      "section",
      { class: "panel train-recent" },
      el("h2", {}, t("train.merges")),
      isSideBySide && el("p", { class: "note dim", text: t("train.merges.differ", { criterion: t(`train.criterion.${all[0][0]}`) }) }),
      this.none,
      scrollBox(t("train.merges"), headedTable(isSideBySide ? "train-criteria" : "train-merges", heads, this.rows.parent)),
    );
  }

  show(state) {
    const first = Math.max(1, state - ROWS + 1);
    this.rows.show(Array.from({ length: state - first + 1 }, (_, index) => first + index).filter((step) => this.has(step)));
    for (const [step, row] of this.rows.elements) {
      if (step === state) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    }
    setShown(this.none, state === 0);
  }

  has(step) {
    return this.all.some(([, states]) => step <= states.length);
  }

  one(step) {
    const { states } = this;
    const { candidates, ties } = states.steps[step - 1];
    const [won, next] = candidates;
    const piece = (token) => pieceElement(states.show(token));
    return el(
      "tr",
      {},
      numberCell(step),
      el("td", { class: "train-pair" }, piece(won.left), piece(won.right)),
      el("td", { class: "train-token" }, piece(won.token)),
      numberCell(figure(won.score)),
      [won.pair_count, won.left_count, won.right_count, ties].map((count) => numberCell(number(count))),
      el("td", { class: "train-pair" }, next && [piece(next.left), piece(next.right), ` ${figure(next.score)}`]),
    );
  }

  sideBySide(step) {
    const merges = this.all.map(([, states]) => (step <= states.length ? states.merge(step) : null));
    const cells = merges.map((won, place) => {
      if (!won) return el("td", { class: "dim" }, "–");
      const differs = won.token !== merges[0]?.token;
      const piece = pieceElement(this.all[place][1].show(won.token), differs ? { class: "differs" } : {});
      return el("td", {}, piece, " ", el("span", { class: "train-score" }, figure(won.score)));
    });
    return el("tr", {}, numberCell(step), cells);
  }
}
