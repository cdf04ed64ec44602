// The pieces of one tokenizer in lines that wrap; only lines that changed are drawn again.

import { el, number, pieceElement } from "./dom.js";

const [LEAST, MOST] = [40, 160]; // blocks of a line

// Returns the lines into which all tokenizers divide the blocks of a comparison: the first block of each, and the end.
// A line ends after a line feed, or where the ids themselves decide, so that an edit moves no line but its own.
export function lineStarts(blocks) {
  const starts = [0];
  blocks.forEach(({ ids, tokens }, index) => {
    const size = index + 1 - starts[starts.length - 1];
    const isEnd = tokens.some((each) => each.some((token) => token.includes("\\n")));
    const isChosen = size >= LEAST && (ids[0][0] ?? 0) % 16 === 0;
    if ((isEnd || isChosen || size >= MOST) && index + 1 < blocks.length) starts.push(index + 1);
  });
  return [...starts, blocks.length];
}

export class PieceRow {
  // Events of the element, with { place, block, index, id, element }: pieceselect, piecefocus, pieceleave.
  constructor(place, label) {
    this.place = place;
    this.lines = []; // { key, pieces: [{ id, block, index }], end, hidden, element }, whose children are the pieces
    this.element = el("div", { class: "pieces", role: "group", tabindex: "0", "aria-label": label, dir: "auto" });
    this.element.addEventListener("click", (event) => this.emit("pieceselect", event.target));
    this.element.addEventListener("pointerover", (event) => this.emit("piecefocus", event.target));
    this.element.addEventListener("focusin", (event) => this.emit("piecefocus", event.target));
    for (const type of ["pointerleave", "focusout"]) {
      this.element.addEventListener(type, () => this.element.dispatchEvent(new CustomEvent("pieceleave", { bubbles: true })));
    }
    this.element.addEventListener("keydown", (event) => this.move(event));
  }

  // Shows the tokens of blocks, divided into lines.
  show(blocks, starts) {
    this.markBlock(null);
    const [old, next] = [this.lines, []];
    let first = 0;
    for (let number = 0; number + 1 < starts.length; number++) {
      const line = this.line(blocks, starts[number], starts[number + 1], first);
      first = line.end;
      next.push(line);
    }
    const most = Math.min(old.length, next.length);
    let same = 0;
    while (same < most && old[same].key === next[same].key) same += 1;
    let tail = 0;
    while (tail < most - same && old[old.length - 1 - tail].key === next[next.length - 1 - tail].key) tail += 1;
    for (let index = 0; index < same; index++) next[index].element = old[index].element;
    for (let index = 1; index <= tail; index++) next[next.length - index].element = old[old.length - index].element;
    for (const line of old.slice(same, old.length - tail)) line.element.remove();
    const drawn = next.slice(same, next.length - tail).map((line) => draw(line));
    const following = tail ? next[next.length - tail].element : null;
    for (const element of drawn) this.element.insertBefore(element, following);
    this.lines = next;
  }

  line(blocks, start, end, first) {
    const pieces = [];
    let [index, hidden] = [first, 0];
    for (let block = start; block < end; block++) {
      const [ids, tokens, count] = ["ids", "tokens", "counts"].map((name) => blocks[block][name][this.place]);
      for (let place = 0; place < ids.length; place++) {
        pieces.push({ id: ids[place], block, index: index + place, display: tokens[place], differs: !blocks[block].agrees });
      }
      hidden += count - ids.length;
      index += count;
    }
    const key = `${pieces.map(({ id, differs }) => (differs ? -id - 1 : id)).join()} ${hidden}`;
    return { key, pieces, end: index, hidden, element: null };
  }

  // Marks the pieces of a block.
  markBlock(block) {
    for (const element of this.element.querySelectorAll(".same")) element.classList.remove("same");
    if (block === null) return;
    for (const line of this.lines) {
      if (line.pieces.length && line.pieces[0].block <= block && block <= line.pieces[line.pieces.length - 1].block) {
        line.pieces.forEach((piece, index) => piece.block === block && line.element.children[index].classList.add("same"));
      }
    }
  }

  // Returns the line of a piece, and its place there.
  find(element) {
    const line = this.lines.find((each) => each.element === element?.parentElement);
    return line ? [line, [...line.element.children].indexOf(element)] : null;
  }

  emit(type, target) {
    const element = target.closest?.(".piece");
    const found = element && this.find(element);
    if (!found) return;
    const [line, index] = found;
    const detail = { ...line.pieces[index], place: this.place, element };
    this.element.dispatchEvent(new CustomEvent(type, { detail, bubbles: true }));
  }

  move(event) {
    const all = [...this.element.querySelectorAll(".piece")];
    const index = all.indexOf(document.activeElement);
    const last = all.length - 1;
    const targets = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: last };
    if (event.key in targets) {
      event.preventDefault();
      all[Math.min(Math.max(targets[event.key], 0), last)]?.focus();
    } else if ((event.key === "Enter" || event.key === " ") && index >= 0) {
      event.preventDefault();
      this.emit("pieceselect", all[index]);
    } else if (event.key === "Escape" && index >= 0) this.element.focus();
  }
}

function draw(line) {
  line.element = el(
    "div",
    { class: "line" },
    line.pieces.map(({ display, differs }) =>
      pieceElement(display, { class: differs ? "differs" : null, tabindex: "-1", role: "button" }),
    ),
    line.hidden ? el("span", { class: "dim", text: `… +${number(line.hidden)}` }) : null,
  );
  return line.element;
}
