// The pieces of one tokenizer in a row that wraps; only those that changed are drawn again.

import { el, pieceElement } from "./dom.js";

export class PieceRow {
  // Events of the element, with { place, block, id, element }: pieceselect, piecefocus, pieceleave.
  constructor(place, label) {
    this.place = place;
    this.pieces = []; // { key, display, id, differs, block, element }
    this.blocks = new Map(); // the elements of each block
    this.element = el("div", { class: "pieces", role: "group", tabindex: "0", "aria-label": label, dir: "auto" });
    this.element.addEventListener("click", (event) => this.emit("pieceselect", event.target));
    this.element.addEventListener("pointerover", (event) => this.emit("piecefocus", event.target));
    this.element.addEventListener("focusin", (event) => this.emit("piecefocus", event.target));
    for (const type of ["pointerleave", "focusout"]) {
      this.element.addEventListener(type, () => this.element.dispatchEvent(new CustomEvent("pieceleave", { bubbles: true })));
    }
    this.element.addEventListener("keydown", (event) => this.move(event));
  }

  // Shows the tokens of the blocks of a comparison.
  show(blocks, place) {
    const next = [];
    blocks.forEach((block, number) => {
      block.tokens[place].forEach((display, index) => {
        const id = block.ids[place][index];
        next.push({ key: `${id} ${block.agrees}`, display, id, differs: !block.agrees, block: number, element: null });
      });
    });
    const [old, most] = [this.pieces, Math.min(this.pieces.length, next.length)];
    let same = 0;
    while (same < most && old[same].key === next[same].key) same += 1;
    let tail = 0;
    while (tail < most - same && old[old.length - 1 - tail].key === next[next.length - 1 - tail].key) tail += 1;
    for (let index = 0; index < same; index++) next[index].element = old[index].element;
    for (let index = 1; index <= tail; index++) next[next.length - index].element = old[old.length - index].element;
    for (const piece of old.slice(same, old.length - tail)) piece.element.remove();
    const fragment = document.createDocumentFragment();
    for (const piece of next.slice(same, next.length - tail)) {
      piece.element = pieceElement(piece.display, {
        class: piece.differs ? "differs" : null,
        tabindex: "-1",
        role: "button",
      });
      fragment.append(piece.element);
    }
    this.element.insertBefore(fragment, tail ? next[next.length - tail].element : null);
    this.pieces = next;
    this.marked = null;
  }

  // Marks the pieces of a block, in all rows at the same time.
  markBlock(block) {
    if (block === this.marked) return;
    const marked = this.marked ?? -1;
    for (const piece of this.pieces) {
      if (piece.block === marked || piece.block === block) piece.element.classList.toggle("same", piece.block === block);
    }
    this.marked = block;
  }

  indexOf(element) {
    return this.pieces.findIndex((piece) => piece.element === element);
  }

  // Returns the start and end of a piece in characters of the text; null if it is not shown.
  offsetsOf(element, split) {
    // Tokens are in the order of the blocks, except where offsets go back: then the first one with the id in the block.
    const index = this.indexOf(element);
    if (index < 0) return null;
    return split.ids[index] === this.pieces[index].id ? split.offsets[index] : null;
  }

  emit(type, target) {
    const element = target.closest?.(".piece");
    const index = element ? this.indexOf(element) : -1;
    if (index < 0) return;
    const { block, id } = this.pieces[index];
    const detail = { place: this.place, block, id, element };
    this.element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }

  move(event) {
    const index = this.indexOf(document.activeElement);
    const last = this.pieces.length - 1;
    const targets = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: last };
    if (event.key in targets) {
      event.preventDefault();
      this.pieces[Math.min(Math.max(targets[event.key], 0), last)]?.element.focus();
    } else if ((event.key === "Enter" || event.key === " ") && index >= 0) {
      event.preventDefault();
      this.emit("pieceselect", document.activeElement);
    } else if (event.key === "Escape" && index >= 0) this.element.focus();
  }
}
