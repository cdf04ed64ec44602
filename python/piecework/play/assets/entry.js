// Shows an entry of a vocabulary: id, bytes, code points, and its lineage as a tree and as a table.

import { ask } from "./api.js";
import { el, number, pieceElement, replaceChildren, table, visibleText } from "./dom.js";
import { lineageSvg } from "./lineage.js";
import { addMessages, t } from "./messages.js";
import { listed } from "./tip.js";

addMessages({
  en: {
    "entry.label": "The chosen entry",
    "entry.close": "Close",
    "entry.id": "id",
    "entry.special": "special token",
    "entry.token": "in the file",
    "entry.bytes": "bytes",
    "entry.code-points": "code points",
    "entry.count": "count",
    "entry.lineage": "Lineage",
    "entry.tree": "Tree of the merges; it scrolls sideways",
    "entry.counts": "Counts are those of the pair when it was merged → of the token after the training.",
    "entry.no-merge": "No merge created this entry: it is a character of the alphabet, or it was added.",
    "entry.no-merges": "The merges of this tokenizer are unknown, or its model has none.",
    "entry.merges": "The {count} merges in order",
    "entry.step": "Merge",
    "entry.parts": "Parts",
    "entry.merged": "Token",
    "entry.birth": "Count then",
    "entry.final": "Count now",
  },
  zh: {
    "entry.label": "所选词条",
    "entry.close": "关闭",
    "entry.id": "编号",
    "entry.special": "特殊词元",
    "entry.token": "文件中的写法",
    "entry.bytes": "字节",
    "entry.code-points": "码位",
    "entry.count": "计数",
    "entry.lineage": "谱系",
    "entry.tree": "合并的树；可横向滚动",
    "entry.counts": "计数：合并时该对的计数 → 训练结束后该词元的计数。",
    "entry.no-merge": "没有合并产生这个词条：它是字母表中的字符，或是添加的。",
    "entry.no-merges": "这个分词器的合并未知，或者它的模型没有合并。",
    "entry.merges": "{count} 次合并，按顺序",
    "entry.step": "合并",
    "entry.parts": "部分",
    "entry.merged": "词元",
    "entry.birth": "当时计数",
    "entry.final": "现在计数",
  },
});

export class EntryPanel {
  // `changed` is called with the id of the entry, null for none.
  constructor(page, changed) {
    this.page = page;
    this.changed = changed;
    this.id = null;
    this.data = null;
    this.opener = null;
    this.content = el("div");
    const close = el("button", { type: "button", class: "close", text: t("entry.close"), on: { click: () => this.leave() } });
    this.element = el("aside", { class: "panel entry-panel", "aria-label": t("entry.label"), tabindex: "-1", hidden: true }, close, this.content);
    this.element.addEventListener("keydown", (event) => event.key === "Escape" && this.leave());
  }

  // Shows an entry; if an element opened it, the focus goes to the panel, and back when it is closed.
  async open(tokenizer, id, opener = null) {
    this.id = id;
    this.opener = opener ?? this.opener;
    this.changed(id);
    try {
      const entry = await ask("token", { tokenizer, id });
      if (this.id !== id) return; // another one was chosen meanwhile
      this.data = entry;
      this.draw(tokenizer, entry);
      this.element.hidden = false;
      this.centreTree();
      if (!opener) return;
      this.element.focus({ preventScroll: true });
      const { top } = this.element.getBoundingClientRect();
      if (top < 0 || top > innerHeight / 2) this.element.scrollIntoView();
    } catch (error) {
      if (this.id === id) this.close();
      this.page.say(error);
    }
  }

  close() {
    [this.id, this.data, this.opener] = [null, null, null];
    this.element.hidden = true;
    replaceChildren(this.content);
  }

  leave() {
    const opener = this.opener;
    this.close();
    this.changed(null);
    if (opener?.isConnected) opener.focus();
  }

  draw(tokenizer, entry) {
    const facts = [
      ["entry.id", String(entry.id)],
      ["entry.token", entry.token === entry.display_token ? null : visibleText(entry.token)],
      ["entry.bytes", entry.bytes && listed(entry.bytes.split(" "))],
      ["entry.code-points", entry.code_points.length ? listed(entry.code_points) : null],
      ["entry.count", entry.final_count === null ? null : number(entry.final_count)],
    ].filter(([, value]) => value);
    replaceChildren(
      this.content,
      el("h2", {}, pieceElement(entry.display_token), entry.is_special && el("small", { class: "dim", text: ` ${t("entry.special")}` })),
      el("dl", { class: "facts" }, facts.flatMap(([key, value]) => [el("dt", { text: t(key) }), el("dd", { text: value })])),
      el("h3", { text: t("entry.lineage") }),
      entry.merges.length ? this.lineage(tokenizer, entry) : el("p", { class: "dim", text: this.absence(tokenizer) }),
    );
  }

  // The chosen token is in the middle of its tree, which can be wider than the panel.
  centreTree() {
    const tree = this.content.querySelector(".scroll");
    if (tree) tree.scrollLeft = (tree.scrollWidth - tree.clientWidth) / 2;
  }

  absence(tokenizer) {
    const { model, has_history: hasHistory } = this.page.session.tokenizers.find((each) => each.name === tokenizer) ?? {};
    return t(model === "BPE" || (hasHistory && model === "WordPiece") ? "entry.no-merge" : "entry.no-merges");
  }

  lineage(tokenizer, entry) {
    const open = (token) => {
      const { id } = entry.tokens[token];
      if (id !== null && id !== entry.id) this.open(tokenizer, id, this.opener);
    };
    const piece = (token) =>
      el("button", { type: "button", class: "entry", on: { click: () => open(token) } }, pieceElement(entry.tokens[token].display_token));
    const hasCounts = entry.merges.some((merge) => merge.pair_count !== undefined);
    const heads = ["step", "parts", "merged", ...(hasCounts ? ["birth", "final"] : [])].map((key) => t(`entry.${key}`));
    const rows = entry.merges.map((merge) => [
      merge.step,
      el("span", { class: "parts" }, piece(merge.left), " + ", piece(merge.right)),
      piece(merge.token),
      ...(hasCounts ? [merge.pair_count, merge.final_count] : []).map((count) => el("span", { class: "count", text: number(count) })),
    ]);
    return [
      hasCounts ? el("p", { class: "dim help", text: t("entry.counts") }) : null,
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("entry.tree") }, lineageSvg(entry, open)),
      el(
        "details",
        {},
        el("summary", { text: t("entry.merges", { count: number(entry.merges.length) }) }),
        el("div", { class: "scroll" }, table(heads, rows)),
      ),
    ];
  }
}
