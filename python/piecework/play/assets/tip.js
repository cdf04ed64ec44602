// Shows the facts of a piece beside it: id, bytes, code points, place and lineage.

import { ask } from "./api.js";
import { el, number, pieceElement, replaceChildren, visibleText } from "./dom.js";
import { addMessages, t } from "./messages.js";

addMessages({
  en: {
    "tip.id": "id",
    "tip.bytes": "bytes",
    "tip.code-points": "code points",
    "tip.offsets": "characters",
    "tip.lineage": "merged from",
    "tip.merge": "merge {step}",
    "tip.more": "and {count} more",
  },
  zh: {
    "tip.id": "编号",
    "tip.bytes": "字节",
    "tip.code-points": "码位",
    "tip.offsets": "字符",
    "tip.lineage": "合并自",
    "tip.merge": "第 {step} 次合并",
    "tip.more": "还有 {count} 个",
  },
});

const MAX_LISTED = 24;
const facts = new Map(); // the answers by tokenizer and id

async function tokenFacts(tokenizer, id) {
  const key = `${tokenizer}\n${id}`;
  if (!facts.has(key)) {
    if (facts.size > 5000) facts.clear();
    const answer = ask("token", { tokenizer, id });
    facts.set(key, answer);
    answer.catch(() => facts.delete(key));
  }
  return facts.get(key);
}

// To be called when the tokenizers change: another one may have the same name.
export function forgetFacts() {
  facts.clear();
}

// Returns the first items of a list, and the number of those left out.
export function listed(items) {
  const rest = items.length - MAX_LISTED;
  const shown = items.slice(0, MAX_LISTED).join(" ");
  return rest > 0 ? `${shown} … ${t("tip.more", { count: number(rest) })}` : shown;
}

export class PieceTip {
  constructor() {
    this.element = el("div", { id: "tip", role: "tooltip", hidden: true });
    this.current = null;
  }

  async show(target, tokenizer, id, offsets) {
    this.hide();
    this.current = target;
    let token;
    try {
      token = await tokenFacts(tokenizer, id);
    } catch {
      return; // the tokenizer was replaced
    }
    if (this.current !== target) return;
    const rows = [
      ["tip.id", String(id)],
      ["tip.bytes", listed(token.bytes ? token.bytes.split(" ") : [])],
      ["tip.code-points", listed(token.code_points)],
      offsets && ["tip.offsets", `${number(offsets[0])}–${number(offsets[1])}`],
    ].filter(Boolean);
    const list = el("dl", {}, rows.flatMap(([key, value]) => [el("dt", { text: t(key) }), el("dd", { text: value })]));
    const own = token.merges.find((merge) => merge.token === token.token);
    if (own) {
      const [left, right] = [own.left, own.right].map((part) => visibleText(token.tokens[part].display_token));
      const text = `${left} + ${right} (${t("tip.merge", { step: own.step })})`;
      list.append(el("dt", { text: t("tip.lineage") }), el("dd", { text }));
    }
    replaceChildren(this.element, pieceElement(token.display_token), list);
    target.setAttribute("aria-describedby", "tip");
    this.element.hidden = false;
    this.place(target);
  }

  place(target) {
    const [box, own] = [target.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const left = Math.min(box.left, innerWidth - own.width - 8);
    const isBelow = box.bottom + own.height + 8 < innerHeight || box.top < own.height + 8;
    this.element.style.setProperty("left", `${Math.max(4, left)}px`);
    this.element.style.setProperty("top", `${isBelow ? box.bottom + 6 : box.top - own.height - 6}px`);
  }

  hide() {
    this.current?.removeAttribute("aria-describedby");
    this.current = null;
    this.element.hidden = true;
  }
}
