// Explains pieces: the steps of the model for each word, and what each piece is.

import { el, number, percent, pieceElement, replaceChildren, table, visibleText } from "./dom.js";
import { addMessages, t } from "./messages.js";
import { listed } from "./tip.js";

addMessages({
  en: {
    "why.title": "Why {name} cuts it so",
    "why.close": "Close",
    "why.word": "Word",
    "why.added": "An added token: it is found before the model sees the text.",
    "why.long": "No steps are listed: the word has {count} characters (steps are listed up to 2,000), or the model has none.",
    "why.tried": "tried, not in the vocabulary",
    "why.special": "in the vocabulary, but a special token",
    "why.found": "longest match",
    "why.at": "at character",
    "why.none": "no piece matches",
    "why.more": "and {count} longer ones",
    "why.merge": "merge",
    "why.rank": "rank",
    "why.after": "symbols after it",
    "why.blocks": "blocks",
    "why.whole": "The word is a token; it is taken without merging.",
    "why.unmerged": "No merge joins",
    "why.other-pairs": "other pairs make {token}",
    "why.replaced": "{token} merges but is no token; it becomes",
    "why.unknown": "unknown",
    "why.lattice": "Pieces by their place, with scores; a frame marks those that are taken",
    "why.best": "best segmentations",
    "why.score": "score",
    "why.share": "share",
    "why.taken": "taken",
    "why.kind": "kind",
    "why.piece": "piece",
    "why.lineage": "merges",
    "why.left-out": "{count} further pieces are not listed.",
    "why.kind.merged": "merged",
    "why.kind.alphabet": "a character of the alphabet",
    "why.kind.symbol": "user-defined symbol",
    "why.kind.special": "special token",
    "why.kind.added": "added token",
    "why.kind.word": "whole word",
    "why.kind.byte": "byte of a character without a token",
    "why.kind.unknown": "unknown",
    "why.kind.piece": "piece",
    "why.kind.vocabulary": "of the vocabulary",
  },
  zh: {
    "why.title": "{name} 为什么这样切分",
    "why.close": "关闭",
    "why.word": "词",
    "why.added": "添加的词元：在模型处理文本之前就被找出。",
    "why.long": "未列出步骤：该词有 {count} 个字符（最多列出 2,000 个字符的步骤），或模型没有步骤。",
    "why.tried": "尝试过，不在词表中",
    "why.special": "在词表中，但属于特殊词元",
    "why.found": "最长匹配",
    "why.at": "字符位置",
    "why.none": "没有匹配的片段",
    "why.more": "以及 {count} 个更长的",
    "why.merge": "合并",
    "why.rank": "次序",
    "why.after": "合并后的符号",
    "why.blocks": "阻止了",
    "why.whole": "整个词就是词元，不经合并直接采用。",
    "why.unmerged": "没有合并规则连接",
    "why.other-pairs": "{token} 由其他对合并而成",
    "why.replaced": "{token} 可合并但不是词元；变为",
    "why.unknown": "未知",
    "why.lattice": "各位置的片段和分数；带框的被采用",
    "why.best": "最佳切分",
    "why.score": "分数",
    "why.share": "占比",
    "why.taken": "采用",
    "why.kind": "类别",
    "why.piece": "片段",
    "why.lineage": "合并",
    "why.left-out": "另有 {count} 个片段未列出。",
    "why.kind.merged": "合并而成",
    "why.kind.alphabet": "字母表中的字符",
    "why.kind.symbol": "用户定义符号",
    "why.kind.special": "特殊词元",
    "why.kind.added": "添加的词元",
    "why.kind.word": "整词",
    "why.kind.byte": "无词元字符的字节",
    "why.kind.unknown": "未知",
    "why.kind.piece": "片段",
    "why.kind.vocabulary": "词表中的片段",
  },
});

const MAX_STEPS = 60;
const MAX_PIECES = 200; // of a word: one of SentencePiece can be the whole text

export class WhyDialog {
  constructor() {
    this.content = el("div");
    const close = el("button", { type: "button", class: "close", text: t("why.close"), on: { click: () => this.element.close() } });
    this.element = el("dialog", { id: "why", "aria-labelledby": "why-title" }, close, this.content);
    this.element.addEventListener("click", (event) => event.target === this.element && this.element.close());
  }

  // Shows the explanation of the words around a piece; the focus returns to it.
  open(name, explanation, span, target) {
    const words = explanation.words.map((word) => wordParts(word, span, explanation.readable));
    replaceChildren(
      this.content,
      el("h2", { id: "why-title", text: t("why.title", { name }) }),
      words.length ? words : el("p", { text: t("why.none") }),
    );
    this.element.addEventListener("close", () => target.focus({ preventScroll: true }), { once: true });
    this.element.showModal();
    this.element.scrollTop = 0;
  }
}

function pieces(symbols, taken = () => false) {
  return el(
    "span",
    { class: "pieces" },
    symbols.map((symbol) => pieceElement(symbol.display_token ?? symbol, { class: taken(symbol) ? "same" : null })),
  );
}

function wordParts(word, span, readable) {
  const isMeant = (piece) => span && piece.offsets[0] === span[0] && piece.offsets[1] === span[1];
  const [start, end] = rangeAround(word.pieces.findIndex(isMeant), word.pieces.length);
  const shown = word.pieces.slice(start, end);
  const title = el("h3", {}, `${t("why.word")} `, el("q", { text: visibleText(word.display_text) }), " → ");
  title.append(start > 0 ? "… " : "", pieces(shown, isMeant), end < word.pieces.length ? " …" : "");
  const left = word.pieces_left_out + word.pieces.length - shown.length;
  return el("section", {}, title, steps(word), pieceTable(shown, left, readable));
}

// Returns the start and end of the pieces that are shown around one.
function rangeAround(place, length) {
  const start = Math.max(0, Math.min(place - MAX_PIECES / 2, length - MAX_PIECES));
  return [start, Math.min(start + MAX_PIECES, length)];
}

function steps(word) {
  if (word.kind !== "text") return el("p", { text: t("why.added") });
  if (!word.steps) return el("p", { class: "dim", text: t("why.long", { count: number(Array.from(word.text).length) }) });
  return { WordPiece: matchSteps, BPE: mergeSteps, lattice }[word.steps.type](word.steps);
}

// WordPiece: the prefixes that were tried at each position.
function matchSteps({ matches }) {
  const rows = matches.map((match) => {
    const tried = el("span", { class: "tried" }, match.tried.slice(0, MAX_STEPS).map((text) => el("s", { text: visibleText(text) })));
    for (const each of tried.querySelectorAll("s")) each.after(" ");
    const more = match.tried_count - Math.min(match.tried.length, MAX_STEPS);
    if (more > 0) tried.append(el("span", { class: "dim", text: t("why.more", { count: number(more) }) }));
    for (const text of match.special) tried.append(el("span", { class: "dim", text: ` ${visibleText(text)}: ${t("why.special")}` }));
    const found = match.symbol ? pieces([match.symbol]) : el("span", { class: "error", text: t("why.none") });
    return [match.start, found, tried];
  });
  return scrolling(table([t("why.at"), t("why.found"), t("why.tried")], rows));
}

// BPE: the merges in order, and what they block.
function mergeSteps({ is_whole: isWhole, symbols, merges, unmerged, replacements }) {
  if (isWhole) return el("p", { text: t("why.whole") });
  const current = [...symbols];
  const rows = [["", "", pieces(current), ""]];
  for (const merge of merges) {
    current.splice(merge.index, 2, merge.merged);
    if (rows.length > MAX_STEPS) continue;
    const blocked = merge.blocked.map(({ left, right, rank }) =>
      el("span", {}, pieces([left]), "+", pieces([right]), el("span", { class: "dim", text: ` (${rank + 1}) ` })),
    );
    rows.push([
      el("span", {}, pieces([merge.left]), "+", pieces([merge.right])),
      merge.rank + 1,
      pieces(current, (symbol) => symbol === merge.merged),
      el("span", {}, blocked),
    ]);
  }
  const parts = [scrolling(table([t("why.merge"), t("why.rank"), t("why.after"), t("why.blocks")], rows))];
  if (unmerged.length) {
    const pairs = unmerged.slice(0, MAX_STEPS).map(({ left, right, token }) =>
      el("li", {}, pieces([left]), "+", pieces([right]), token ? ` (${t("why.other-pairs", { token: visibleText(token) })})` : ""),
    );
    parts.push(el("p", { text: t("why.unmerged") }), el("ul", {}, pairs));
  }
  for (const { symbol, symbols: others } of replacements) {
    const text = t("why.replaced", { token: visibleText(symbol.display_token) });
    parts.push(el("p", {}, `${text} `, others.length ? pieces(others) : t("why.unknown")));
  }
  return el("div", {}, parts);
}

// Unigram: all pieces by their place, and the best segmentations.
function lattice({ nodes, edges, taken, nbest }) {
  const columns = new Map(nodes.map((node, index) => [node.position, index + 1]));
  const grid = el("div", { class: "lattice" });
  for (const edge of edges.slice(0, 500)) {
    const shown = edge.symbol
      ? pieceElement(edge.symbol.display_token, { class: edge.is_taken ? "same" : null })
      : el("span", { class: "error", text: t("why.unknown") });
    const cell = el("div", {}, shown, el("small", { class: "dim", text: number(edge.score) }));
    const [start, end] = edge.span.map((position) => columns.get(position) ?? 1);
    cell.style.setProperty("grid-column", `${start} / ${Math.max(end, start + 1)}`);
    grid.append(cell);
  }
  const same = (one, other) => one.symbols.map((each) => each.id).join() === other.symbols.map((each) => each.id).join();
  const best = nbest.some((each) => same(each, taken)) ? nbest : [taken, ...nbest];
  const rows = best.map((each) => [each.score.toFixed(4), percent(each.share), same(each, taken) ? t("why.taken") : "", pieces(each.symbols)]);
  return el(
    "div",
    {},
    el("p", { class: "dim", text: t("why.lattice") }),
    scrolling(grid),
    scrolling(table([t("why.score"), t("why.share"), "", t("why.best")], rows, { class: "best" })),
  );
}

// Returns a table of pieces, and the number of those that are not in it.
function pieceTable(shown, left, readable) {
  const show = (token) => visibleText(readable[token]);
  const heads = [t("why.piece"), t("tip.id"), t("why.kind"), t("tip.offsets"), t("tip.bytes"), t("tip.code-points"), t("why.lineage")];
  const rows = shown.map((piece) => [
    pieceElement(piece.display_token, { class: piece.kind === "unknown" ? "unknown" : piece.kind === "special" ? "special" : null }),
    String(piece.id),
    piece.reason ? visibleReason(piece.reason) : t(`why.kind.${piece.kind}`),
    `${number(piece.offsets[0])}–${number(piece.offsets[1])}`,
    listed(piece.bytes ? piece.bytes.split(" ") : []),
    listed(piece.code_points),
    el("div", { class: "merges" }, piece.merges.slice(-MAX_STEPS).map((merge) =>
      el("div", {}, `${merge.step}: ${show(merge.left)} + ${show(merge.right)} = ${show(merge.token)}`),
    )),
  ]);
  return el(
    "div",
    {},
    scrolling(table(heads, rows)),
    left > 0 && el("p", { class: "dim", text: t("why.left-out", { count: number(left) }) }),
  );
}

function visibleReason(reason) {
  return reason.length > 300 ? `${reason.slice(0, 300)} …` : reason;
}

function scrolling(content) {
  return el("div", { class: "scroll", tabindex: "0" }, content);
}
