// Draws the lineage of a token as a tree: the token above, the tokens that were merged below it.

import { hue, number, shortText, svgEl } from "./dom.js";
import { svgFileOf, textWidth } from "./exporting.js";
import { addMessages, t } from "./messages.js";

addMessages({
  en: {
    "lineage.label": "Tree of the {count} merges that created {token}",
    "lineage.merge": "merge {step}",
    "lineage.counts": "{birth} → {final}",
    "lineage.title": "{token}: merge {step}, count {birth} at birth, {final} at the end",
    "lineage.title.leaf": "{token}: no merge",
  },
  zh: {
    "lineage.label": "{token} 的谱系树，共 {count} 次合并",
    "lineage.merge": "第 {step} 次合并",
    "lineage.counts": "{birth} → {final}",
    "lineage.title": "{token}：第 {step} 次合并，产生时计数 {birth}，训练结束时计数 {final}",
    "lineage.title.leaf": "{token}：没有合并",
  },
});

const MAX_NODES = 160; // a token can occur many times in its tree
const MAX_DEPTH = 24;
const MAX_LABEL = 24; // characters
const [GAP, BOX, LEVEL, PADDING, MARGIN] = [8, 24, 70, 6, 8];

const NOTE_FONT = "11px ui-monospace, monospace";

// Returns the root of the tree. `lineage` is Lineage.to_dict(); its member `tokens`, if there is one, has the readable form
// of each token by its name.
function treeOf(lineage) {
  const merges = new Map(lineage.merges.map((merge) => [merge.token, merge]));
  const node = (token, depth) => {
    const shown = lineage.tokens?.[token]?.display_token ?? (token === lineage.token ? lineage.display_token : token);
    const merge = merges.get(token);
    const notes = merge ? notesOf(merge) : [];
    const text = shortText(shown, MAX_LABEL);
    const box = textWidth(text) + 2 * PADDING;
    const width = Math.max(box, ...notes.map((note) => textWidth(note, NOTE_FONT)));
    return { token, shown, text, merge, notes, box, width, depth, parts: [], isCut: false };
  };
  const root = node(lineage.token, 0);
  // By levels, so that the limit cuts the deepest ones.
  const queue = [root];
  for (let count = 1, place = 0; place < queue.length; place++) {
    const parent = queue[place];
    if (!parent.merge) continue;
    if (count + 2 > MAX_NODES || parent.depth === MAX_DEPTH) {
      parent.isCut = true;
      continue;
    }
    parent.parts = [parent.merge.left, parent.merge.right].map((token) => node(token, parent.depth + 1));
    queue.push(...parent.parts);
    count += 2;
  }
  return { root, nodes: queue };
}

function notesOf(merge) {
  const notes = [t("lineage.merge", { step: number(merge.step) })];
  if (merge.pair_count !== undefined) {
    notes.push(t("lineage.counts", { birth: number(merge.pair_count), final: number(merge.final_count) }));
  }
  return notes;
}

// Gives each node its place, the parts of a token side by side below it; returns the size of the picture.
function place(tree) {
  for (const node of tree.nodes.toReversed()) {
    const below = node.parts.reduce((sum, part) => sum + part.span + GAP, -GAP);
    node.span = Math.max(node.width, below);
    node.below = below;
  }
  tree.root.left = MARGIN;
  for (const node of tree.nodes) {
    node.x = node.left + node.span / 2;
    node.y = MARGIN + node.depth * LEVEL;
    let left = node.x - node.below / 2;
    for (const part of node.parts) {
      part.left = left;
      left += part.span + GAP;
    }
  }
  const deepest = tree.nodes[tree.nodes.length - 1].depth;
  const notes = tree.nodes.some((node) => node.depth === deepest && node.notes.length) ? 36 : 4;
  return { width: tree.root.span + 2 * MARGIN, height: 2 * MARGIN + deepest * LEVEL + BOX + notes };
}

function nodeElement(node, choose) {
  const { x, y, merge } = node;
  const values = { token: node.text, step: merge?.step, birth: number(merge?.pair_count), final: number(merge?.final_count) };
  const box = svgEl("rect", {
    x: x - node.box / 2,
    y,
    width: node.box,
    height: BOX,
    rx: 3,
    fill: `hsl(${hue(node.shown)} 72% 86%)`,
    ...(node.isCut ? { stroke: "#59636e", "stroke-dasharray": "3 2" } : {}),
  });
  box.style.setProperty("--hue", hue(node.shown));
  const text = (content, top, kind) => {
    const attributes = { x, y: y + top, "text-anchor": "middle", class: kind, "font-size": kind === "dim" ? 11 : 14 };
    const element = svgEl("text", { ...attributes, "xml:space": "preserve" }, content);
    element.style.setProperty("font-size", kind === "dim" ? "11px" : "14px");
    return element;
  };
  const group = svgEl(
    "g",
    { class: choose ? "lineage-node choosable" : "lineage-node" },
    svgEl("title", {}, t(merge ? "lineage.title" : "lineage.title.leaf", values)),
    box,
    text(node.text, 17, "token"),
    ...node.notes.map((note, line) => text(note, BOX + 13 + 14 * line, "dim")),
  );
  if (choose) group.addEventListener("click", () => choose(node.token));
  return group;
}

function lineElement(parent, part) {
  const top = parent.y + BOX + 14 * parent.notes.length + 4;
  const middle = (top + part.y) / 2;
  const path = `M${parent.x} ${top}C${parent.x} ${middle} ${part.x} ${middle} ${part.x} ${part.y - 1}`;
  return svgEl("path", { d: path, fill: "none", stroke: "#8c959f", class: "lineage-line" });
}

// Returns an SVG element of a lineage; `choose`, if given, is called with the token that is clicked.
export function lineageSvg(lineage, choose = null) {
  const tree = treeOf(lineage);
  const { width, height } = place(tree);
  const description = t("lineage.label", { count: number(lineage.merges.length), token: shortText(lineage.display_token, MAX_LABEL) });
  const lines = tree.nodes.flatMap((node) => node.parts.map((part) => lineElement(node, part)));
  const nodes = tree.nodes.map((node) => nodeElement(node, choose));
  const svg = svgEl("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "lineage", role: "img", "aria-label": description });
  svg.append(...lines, ...nodes);
  return svg;
}

// Returns the same picture as the text of an SVG file.
export function lineageSvgText(lineage) {
  return svgFileOf(lineageSvg(lineage));
}
