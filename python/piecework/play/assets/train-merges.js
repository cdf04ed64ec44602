// Shows the states of a training by merging: the last merge, the candidates for the next, the words and the vocabulary.

import { el, number, visibleText } from "./dom.js";
import { piecesSvg } from "./exporting.js";
import { t } from "./messages.js";
import { KeyedList, PieceList, figure, headedTable, numberCell, scrollBox, setShown, setText } from "./train-parts.js";
import { MergeStates } from "./train-state.js";
import { LastMerges } from "./train-table.js";

const MAX_INITIAL = 200; // entries that are shown
const MAX_LEARNED = 100;
const LEARNED_BLOCK = 50; // entries that leave the list together, so that most merges only append to it

export class MergesPanel {
  // `answer` is that of the server; `detail` is the criterion whose words and candidates are shown.
  constructor(answer, detail) {
    const readable = new Map(Object.entries(answer.readable));
    this.all = Object.entries(answer.traces).map(([name, trace]) => [name, new MergeStates(trace, readable)]);
    this.start = 0;
    this.end = Math.max(...this.all.map(([, states]) => states.length));
    this.element = el("div", {});
    this.choose(this.all.some(([name]) => name === detail) ? detail : this.all[0][0]);
  }

  // Shows the details by another criterion.
  choose(detail) {
    this.detail = detail;
    const states = this.all.find(([name]) => name === detail)[1];
    this.states = states;
    this.made = new MadeLine(states);
    this.candidates = new CandidateTable(states);
    this.words = new WordTable(states);
    this.merges = new LastMerges(this.all, states);
    this.vocabulary = new VocabularyList(states);
    this.ended = el("p", { class: "note dim train-ended" });
    this.element.replaceChildren(
      this.made.element,
      this.ended,
      el(
        "div",
        { class: "panels train-panels" },
        el("div", { class: "train-column" }, this.candidates.element, this.merges.element),
        el("div", { class: "train-column" }, this.words.element, this.vocabulary.element),
      ),
    );
  }

  move(state) {
    const { states } = this;
    const changed = states.moveTo(Math.min(state, states.length));
    this.made.show();
    this.candidates.show();
    this.words.show(changed);
    this.merges.show(state);
    this.vocabulary.show();
    setShown(this.ended, state > states.length);
    if (state > states.length) setText(this.ended, t("train.ended", { criterion: t(`train.criterion.${this.detail}`), count: number(states.length) }));
  }

  // Returns what a screen reader says of the state.
  said() {
    const { states } = this;
    if (!states.state) return t("train.start");
    const won = states.merge(states.state);
    const names = { left: won.left, right: won.right, token: won.token };
    for (const [name, token] of Object.entries(names)) names[name] = visibleText(states.show(token));
    return t("train.said", {
      ...names,
      step: states.state,
      score: figure(won.score),
      pair: won.pair_count,
      leftCount: won.left_count,
      rightCount: won.right_count,
      ties: states.steps[states.state - 1].ties,
    });
  }

  svg() {
    const rows = this.states.trace.words.map(({ word, count }, index) => ({
      title: `${visibleText(this.states.show(word))} (${number(count)})`,
      pieces: this.states.pieces(index).pieces.map(([text, differs]) => ({ text, differs })),
    }));
    return piecesSvg([{ title: this.said(), pieces: [] }, ...rows]);
  }

  // Returns the words of the training as a text.
  text() {
    return this.states.trace.words.map(({ word }) => this.states.show(word).trim()).join(" ");
  }

  summary() {
    const { states } = this;
    return { key: "train.done.merges", steps: number(states.length), entries: number(states.initial.length + states.learned.length) };
  }
}

// The merge that led to the state, with its score, counts and ties.
class MadeLine {
  constructor(states) {
    this.states = states;
    this.number = el("b", {});
    this.left = new PieceList(el("span", { class: "train-left" }));
    this.right = new PieceList(el("span", { class: "train-right" }));
    this.token = new PieceList(el("span", { class: "train-token" }));
    this.figures = Object.fromEntries(["score", "pair-count", "left-count", "right-count"].map((key) => [key, el("b", { class: `train-${key}` })]));
    this.ties = el("b", { class: "train-ties" });
    this.tied = el("span", {}, this.ties, ` ${t("train.ties-count")}`);
    this.merge = el(
      "p",
      { class: "train-made" },
      this.number,
      el("span", { class: "train-equation" }, this.left.element, " + ", this.right.element, " → ", this.token.element),
      el("span", { class: "figures" }, Object.entries(this.figures).map(([key, figure]) => el("span", {}, `${t(`train.${key}`)} `, figure)), this.tied),
    );
    this.beginning = el("p", { class: "train-made", text: t("train.start") });
    this.element = el("div", { class: "panel train-made-panel" }, this.beginning, this.merge);
  }

  show() {
    const { states } = this;
    setShown(this.beginning, states.state === 0);
    setShown(this.merge, states.state > 0);
    if (!states.state) return;
    const won = states.merge(states.state);
    setText(this.number, t("train.made", { step: states.state }));
    for (const side of ["left", "right", "token"]) this[side].show([[states.show(won[side]), side === "token"]]);
    setText(this.figures.score, figure(won.score));
    for (const side of ["pair", "left", "right"]) setText(this.figures[`${side}-count`], number(won[`${side}_count`]));
    const { ties } = states.steps[states.state - 1];
    setText(this.ties, number(ties));
    setShown(this.tied, ties > 1);
  }
}

// The best candidates for the next merge.
class CandidateTable {
  constructor(states) {
    this.states = states;
    this.rows = Array.from({ length: states.trace.top }, () => new CandidateRow());
    this.title = el("h2", {});
    this.note = el("p", { class: "note dim" });
    const body = el("tbody", {}, this.rows.map((row) => row.element));
    const table = headedTable("train-candidates", ["rank", "pair", "score", "count", "left", "right"], body);
    this.element = el("section", { class: "panel" }, this.title, scrollBox(t("train.pairs"), table), this.note);
  }

  show() {
    const { states } = this;
    const { candidates, ties, pairs } = states.candidates();
    const isEnd = states.state === states.length;
    setText(this.title, isEnd ? t("train.candidates.rest") : t("train.candidates", { step: states.state + 1 }));
    this.rows.forEach((row, place) => row.show(candidates[place], states, !isEnd && place === 0, ties > 1));
    const notes = [];
    if (!candidates.length) notes.push(t("train.candidates.none"));
    if (pairs > candidates.length) notes.push(t("train.candidates.listed", { shown: candidates.length, pairs: number(pairs) }));
    if (ties > 1 && !isEnd) notes.push(t("train.candidates.tied", { ties: number(ties) }));
    setText(this.note, notes.join(" "));
  }
}

class CandidateRow {
  constructor() {
    this.rank = el("span", {});
    this.tie = el("span", { class: "train-tie", text: t("train.tied") });
    this.pair = new PieceList(el("td", { class: "train-pair" }));
    this.numbers = ["score", "pair_count", "left_count", "right_count"].map((name) => [name, numberCell()]);
    this.element = el("tr", {}, el("td", { class: "number" }, this.tie, " ", this.rank), this.pair.element, this.numbers.map(([, cell]) => cell));
  }

  show(candidate, states, isNext, hasTies) {
    this.element.classList.toggle("train-empty", !candidate);
    if (!candidate) return;
    this.element.classList.toggle("train-next", isNext);
    setText(this.rank, String(candidate.rank));
    setShown(this.tie, hasTies && candidate.rank === 1);
    this.pair.show([candidate.left, candidate.right].map((token) => [states.show(token), false]));
    for (const [name, cell] of this.numbers) setText(cell, figure(candidate[name]));
  }
}

// The words as they are segmented.
class WordTable {
  constructor(states) {
    this.states = states;
    this.rows = states.trace.words.map(({ word, count }, index) => new WordRow(states, index, word, count));
    this.note = el("p", { class: "note dim" });
    const others = states.trace.other_words;
    this.element = el(
      "section",
      { class: "panel train-word-list" },
      el("h2", {}, t("train.words")),
      this.note,
      scrollBox(
        t("train.words"),
        headedTable("train-words", ["word", "count", "pieces"], el("tbody", {}, this.rows.map((row) => row.element))),
      ),
      others > 0 && el("p", { class: "note dim", text: t("train.words.others", { count: number(others) }) }),
    );
  }

  show(changed) {
    setText(this.note, t("train.words.note", { tokens: number(this.states.total()) }));
    for (const index of changed) this.rows[index].show();
  }
}

class WordRow {
  constructor(states, index, word, count) {
    [this.states, this.index] = [states, index];
    this.more = el("span", { class: "dim", text: "…" });
    this.pieces = new PieceList(el("span", {}));
    this.element = el(
      "tr",
      {},
      el("th", { scope: "row", class: "train-word", text: visibleText(states.show(word)) }),
      numberCell(number(count)),
      el("td", {}, this.pieces.element, this.more),
    );
    this.show();
  }

  show() {
    const { pieces, isCut } = this.states.pieces(this.index);
    this.pieces.show(pieces);
    setShown(this.more, isCut);
    this.element.classList.toggle("train-changed", pieces.some(([, isNew]) => isNew));
  }
}

// The entries that exist at the state, with their occurrences.
class VocabularyList {
  constructor(states) {
    this.states = states;
    this.entries = new Map(); // by token
    const initial = states.initial.slice(0, MAX_INITIAL);
    const rest = states.initial.length - initial.length;
    this.learned = new KeyedList(el("ol", { class: "train-entries" }), (index) => this.entry(states.learned[index]));
    [this.title, this.earlier, this.number] = [el("h2", {}), el("p", { class: "note dim" }), el("h3", {})];
    this.element = el(
      "section",
      { class: "panel" },
      this.title,
      this.number,
      this.earlier,
      scrollBox(t("train.learned"), this.learned.parent, "train-learned"),
      el("h3", {}, t("train.vocabulary.initial", { count: number(states.initial.length) })),
      scrollBox(t("train.initial"), el("ol", { class: "train-entries" }, initial.map((token) => this.entry(token)))),
      rest > 0 && el("p", { class: "note dim", text: t("train.vocabulary.more", { count: number(rest) }) }),
    );
  }

  entry(token) {
    const entry = new VocabularyEntry(this.states, token);
    this.entries.set(token, entry);
    return entry.element;
  }

  show() {
    const { states } = this;
    const count = states.learnedNumber();
    const first = Math.max(0, Math.ceil((count - MAX_LEARNED) / LEARNED_BLOCK) * LEARNED_BLOCK);
    this.learned.show(Array.from({ length: count - first }, (_, index) => first + index));
    setText(this.title, t("train.vocabulary", { count: number(states.initial.length + count) }));
    setText(this.number, t("train.vocabulary.learned", { count: number(count) }));
    setShown(this.earlier, first > 0);
    setText(this.earlier, t("train.vocabulary.earlier", { count: number(first) }));
    const newest = states.state ? states.merge(states.state).token : null;
    for (const [token, entry] of this.entries) {
      if (entry.element.isConnected) entry.show(token === newest);
      else this.entries.delete(token);
    }
  }
}

class VocabularyEntry {
  constructor(states, token) {
    [this.states, this.token] = [states, token];
    this.count = el("span", { class: "train-occurrences" });
    this.pieces = new PieceList(el("span", {}));
    this.element = el("li", {}, this.pieces.element, this.count);
  }

  show(isNew) {
    this.pieces.show([[this.states.show(this.token), isNew]]);
    setText(this.count, number(this.states.counts.get(this.token) ?? 0));
  }
}
