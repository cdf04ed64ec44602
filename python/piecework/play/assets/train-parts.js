// Parts of the view "Train" that change a little at each step: they keep the elements that stay.

import { el, number, pieceElement } from "./dom.js";
import { t } from "./messages.js";

const NUMBERS = new Set(
  ["step", "rank", "score", "count", "left", "right", "tie-count", "pieces-before", "log-likelihood", "removed", "loss", "expected", "probability"],
);

// Shows the children of an element by keys.
export class KeyedList {
  constructor(parent, make) {
    [this.parent, this.make] = [parent, make];
    this.elements = new Map();
  }

  show(keys) {
    const wanted = new Set(keys);
    for (const [key, element] of this.elements) {
      if (wanted.has(key)) continue;
      element.remove();
      this.elements.delete(key);
    }
    let place = this.parent.firstChild;
    for (const key of keys) {
      let element = this.elements.get(key);
      if (!element) {
        element = this.make(key);
        this.elements.set(key, element);
      }
      if (element === place) place = place.nextSibling;
      else this.parent.insertBefore(element, place);
    }
  }
}

// Shows pieces in an element, [text, isNew] each. Only those between the equal ones at the start and at the end are replaced.
export class PieceList {
  constructor(element) {
    this.element = element;
    this.shown = [];
  }

  show(pieces) {
    const { shown } = this;
    const isEqual = (one, other) => one[0] === other[0] && one[1] === other[1];
    const shorter = Math.min(shown.length, pieces.length);
    let start = 0;
    while (start < shorter && isEqual(shown[start], pieces[start])) start++;
    let end = 0;
    while (end < shorter - start && isEqual(shown.at(-1 - end), pieces.at(-1 - end))) end++;
    if (start + end === shown.length && start + end === pieces.length) return;
    const children = this.element.children;
    for (let count = shown.length - start - end; count > 0; count--) children[start].remove();
    const after = children[start] ?? null;
    for (const piece of pieces.slice(start, pieces.length - end)) this.element.insertBefore(pieceOf(piece), after);
    this.shown = pieces;
  }
}

function pieceOf([text, isNew]) {
  return pieceElement(text, isNew ? { class: "train-new" } : {});
}

// Sets the text of an element if it is another one.
export function setText(element, text) {
  if (element.firstChild?.data !== text) element.textContent = text;
}

export function setShown(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

// Returns a score or another figure, with six significant digits.
export function figure(value) {
  return number(value, 6);
}

export function numberCell(text = "") {
  return el("td", { class: "number", text });
}

// Returns a table with heads, which are names of messages; columns of numbers are set right.
export function headedTable(name, heads, body) {
  const head = (each) => el("th", { scope: "col", class: NUMBERS.has(each) ? "number" : null, text: t(`train.${each}`) });
  return el("table", { class: name }, el("thead", {}, el("tr", {}, heads.map(head))), body);
}

// Returns a box that scrolls by itself, also by keyboard.
export function scrollBox(label, child, name = "") {
  return el("div", { class: `scroll train-box ${name}`, role: "region", tabindex: "0", "aria-label": label }, child);
}
