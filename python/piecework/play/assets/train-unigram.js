// Shows the steps of a Unigram training: EM steps and prunings, with the pieces that each removed and kept.

import { el, number, pieceElement, replaceChildren, svgEl } from "./dom.js";
import { piecesSvg } from "./exporting.js";
import { t } from "./messages.js";
import { figure, headedTable, numberCell, scrollBox, setText } from "./train-parts.js";

const LISTS = ["removed", "kept", "most_probable"];
const [WIDTH, HEIGHT, MARGIN] = [600, 110, 6];

export class UnigramPanel {
  constructor(answer) {
    [this.trace] = Object.values(answer.traces);
    this.readable = new Map(Object.entries(answer.readable));
    this.steps = this.trace.steps;
    [this.start, this.end] = [1, this.steps.length];
    this.title = el("b", {});
    this.facts = el("span", { class: "figures" });
    this.cursor = svgEl("line", { class: "train-cursor", y1: 0, y2: HEIGHT });
    this.rows = this.steps.map((step) => this.row(step));
    this.probable = el("div", {});
    this.lists = el("div", { class: "train-column" });
    this.element = el(
      "div",
      {},
      el("div", { class: "panel train-made-panel" }, el("p", { class: "train-made" }, this.title, this.facts)),
      this.chart(),
      el("div", { class: "panels train-panels train-rounds" }, this.probable, this.lists, this.stepTable()),
    );
  }

  show(piece) {
    return this.readable.get(piece) ?? piece;
  }

  x(step) {
    return this.end > 1 ? MARGIN + ((step - 1) / (this.end - 1)) * (WIDTH - 2 * MARGIN) : WIDTH / 2;
  }

  // Returns a line through the values of steps; those without a value are left out.
  line(name) {
    const points = this.steps.filter((step) => step[name] !== null);
    const values = points.map((step) => step[name]);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const y = (value) => HEIGHT - MARGIN - (most > least ? (value - least) / (most - least) : 0.5) * (HEIGHT - 2 * MARGIN);
    const coordinates = points.map((step) => `${this.x(step.step).toFixed(1)},${y(step[name]).toFixed(1)}`).join(" ");
    return svgEl("polyline", { class: `train-line train-line-${name.replace("_", "-")}`, points: coordinates });
  }

  chart() {
    const picture = svgEl(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", class: "train-chart", role: "img", "aria-label": t("train.chart") },
      this.cursor,
      this.line("pieces"),
      this.line("log_likelihood"),
    );
    const key = (name, label) => el("span", {}, el("span", { class: `train-key train-key-${name}` }), label);
    return el(
      "figure",
      { class: "panel train-figure" },
      picture,
      el("figcaption", { class: "figures" }, key("log-likelihood", t("train.log-likelihood")), key("pieces", t("train.pieces"))),
    );
  }

  row(step) {
    const cells = [step.pieces, step.log_likelihood, step.removed_number].map((value) => numberCell(figure(value)));
    return el("tr", {}, numberCell(step.step), el("td", { text: t(`train.kind.${step.kind}`) }), cells);
  }

  stepTable() {
    const heads = ["step", "kind", "pieces-before", "log-likelihood", "removed"];
    return el(
      "section",
      { class: "panel" },
      el("h2", {}, t("train.steps")),
      scrollBox(t("train.steps"), headedTable("train-steps", heads, el("tbody", {}, this.rows))),
    );
  }

  move(state) {
    this.rows[this.state - 1]?.removeAttribute("aria-current");
    this.state = state;
    this.rows[state - 1].setAttribute("aria-current", "step");
    const step = this.steps[state - 1];
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.x(state));
    setText(this.title, t("train.unigram.made", { step: state, kind: t(`train.kind.${step.kind}`) }));
    const facts = { "pieces-before": number(step.pieces), removed: number(step.removed_number) };
    if (step.log_likelihood !== null) facts["log-likelihood"] = figure(step.log_likelihood);
    replaceChildren(this.facts, Object.entries(facts).map(([key, value]) => el("span", {}, `${t(`train.${key}`)} `, el("b", { text: value }))));
    replaceChildren(this.probable, this.list(step, "most_probable"));
    replaceChildren(this.lists, ["removed", "kept"].map((name) => this.list(step, name)));
  }

  list(step, name) {
    const value = name === "most_probable" ? "probability" : step.kind === "pruning" ? "loss" : "expected";
    const rows = step[name].map(([piece, worth]) => el("tr", {}, el("td", {}, pieceElement(this.show(piece))), numberCell(figure(worth))));
    const rest = name === "removed" && step.removed_number > step.removed.length;
    return el(
      "section",
      { class: `panel train-${name}` },
      el("h2", {}, t(`train.list.${name}`)),
      !step[name].length && el("p", { class: "note dim", text: t("train.list.none") }),
      el("div", { class: "scroll", hidden: !step[name].length }, headedTable("train-list", ["piece", value], el("tbody", {}, rows))),
      rest && el("p", { class: "note dim", text: t("train.list.rest", { shown: step.removed.length, count: number(step.removed_number) }) }),
    );
  }

  said() {
    const step = this.steps[this.state - 1];
    return t("train.unigram.said", {
      step: step.step,
      kind: t(`train.kind.${step.kind}`),
      pieces: number(step.pieces),
      removed: number(step.removed_number),
      likelihood: figure(step.log_likelihood),
    });
  }

  svg() {
    const step = this.steps[this.state - 1];
    const rows = LISTS.map((name) => ({
      title: t(`train.list.${name}`),
      pieces: step[name].map(([piece]) => ({ text: this.show(piece), differs: false })),
    }));
    return piecesSvg([{ title: this.said(), pieces: [] }, ...rows.filter((row) => row.pieces.length)]);
  }

  text() {
    return this.steps.at(-1).most_probable.map(([piece]) => this.show(piece).trim()).join(" ");
  }

  summary() {
    const last = this.steps.at(-1);
    return { key: "train.done.unigram", steps: number(this.end), entries: number(last.pieces - last.removed_number) };
  }
}
