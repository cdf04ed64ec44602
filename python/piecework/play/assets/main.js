// Starts the page: the header, the views, the permalink, and what the views share.

import { RequestError, ask, getSession, readFiles } from "./api.js";
import { el, replaceChildren } from "./dom.js";
import { saveFile } from "./exporting.js";
import { LANGUAGES, addMessages, currentLanguage, setLanguage, t } from "./messages.js";
import { decodeSettings, encodeSettings } from "./permalink.js";
import { forgetFacts } from "./tip.js";
import { createTypeView } from "./type.js";
import { createTrainView } from "./train.js";
import { createVocabularyView } from "./vocabulary.js";
import { createLanguagesView } from "./languages.js";

addMessages({
  en: {
    "page.views": "Views",
    "page.language": "Language",
    "page.link": "Copy link",
    "page.link.title": "Copy the address of this page with its text and settings",
    "page.link.done": "The link is copied. It opens on any page of piecework play: paste what follows # after its address.",
    "page.link.shown": "The address of this page now contains its text and settings.",
    "page.link.no-text": "A text is not in it: more than 200,000 characters are too many for a link.",
    "page.link.too-long": "The texts are too long for a link. Shorten them, or save the data as JSON.",
    "page.json": "JSON",
    "page.json.title": "Save the data of this view as JSON",
    "page.svg": "SVG",
    "page.svg.title": "Save this view as a picture",
    "page.nothing": "There is nothing to save yet.",
    "page.add": "Add a tokenizer …",
    "page.add.title": "Load the files of a tokenizer: tokenizer.json, vocab.txt, .model, .tiktoken, or vocab.json with merges.txt",
    "page.added": "{name} is loaded.",
    "page.loading": "Loading {name} …",
    "page.drop": "Drop the file of a tokenizer, or a text",
    "page.damaged": "The link is damaged; the page starts with its defaults.",
    "page.too-large": "{name} is larger than {limit}.",
    "page.unreadable": "The browser cannot read {name}; drop files, not a folder.",
    "page.local": "Texts stay on this machine.",
  },
  zh: {
    "page.views": "视图",
    "page.language": "语言",
    "page.link": "复制链接",
    "page.link.title": "复制本页地址，包括文本和设置",
    "page.link.done": "链接已复制。任何 piecework play 页面都能打开它：把 # 之后的内容接到该页面的地址后面。",
    "page.link.shown": "本页地址现在包含文本和设置。",
    "page.link.no-text": "有一段文本不在其中：超过 200,000 个字符的文本放不进链接。",
    "page.link.too-long": "文本太长，放不进链接。请缩短文本，或把数据保存为 JSON。",
    "page.json": "JSON",
    "page.json.title": "把本视图的数据保存为 JSON",
    "page.svg": "SVG",
    "page.svg.title": "把本视图保存为图片",
    "page.nothing": "还没有可保存的内容。",
    "page.add": "添加分词器……",
    "page.add.title": "加载分词器文件：tokenizer.json、vocab.txt、.model、.tiktoken，或 vocab.json 加 merges.txt",
    "page.added": "已加载 {name}。",
    "page.loading": "正在加载 {name}……",
    "page.drop": "拖入分词器文件或文本文件",
    "page.damaged": "链接已损坏；页面以默认设置打开。",
    "page.too-large": "{name} 超过 {limit}。",
    "page.unreadable": "浏览器无法读取 {name}；请拖入文件，而不是文件夹。",
    "page.local": "文本不会离开本机。",
  },
});

const VIEWS = [createTypeView, createTrainView, createVocabularyView, createLanguagesView];
const MAX_LINK = 100_000; // characters of an address that browsers take
const MAX_FILES = 64 << 20; // bytes of all files that are sent at once
const TEXT_FILE = /\.(txt|md|csv|tsv|json|jsonl|html|xml|py|js|rs|c|java|log)$/i;

class Page {
  constructor(session) {
    this.session = session;
    this.views = [];
    this.active = 0;
    this.status = el("p", { id: "status", role: "status", "aria-live": "polite" });
  }

  // Shows a short message; an error is shown as one.
  say(message) {
    this.said = message;
    const isError = message instanceof Error;
    this.status.classList.toggle("error", isError);
    this.status.textContent = isError ? message.message : message;
    if (isError && !(message instanceof RequestError)) console.error(message);
  }

  // Shows an error that the next answer of a view removes.
  fail(error) {
    this.failure = error;
    this.say(error);
  }

  clearFailure() {
    if (this.said && this.said === this.failure) this.say("");
  }

  // Builds the page from settings, which are those of a permalink.
  build(settings) {
    this.views = VIEWS.map((create) => create(this));
    const root = document.getElementById("page");
    replaceChildren(root, this.header(), this.status, el("main", {}, this.views.map((view) => view.element)), this.footer());
    this.views.forEach((view, index) => {
      view.element.id = `view-${view.key}`;
      view.element.setAttribute("role", "tabpanel");
      view.element.setAttribute("aria-labelledby", `tab-${view.key}`);
      view.restore(settings[view.key] ?? {});
      if (settings.view === view.key) this.active = index;
    });
    document.body.dataset.drop = t("page.drop");
    this.open(this.active);
  }

  header() {
    this.tabs = this.views.map((view, index) =>
      el("button", {
        id: `tab-${view.key}`,
        role: "tab",
        type: "button",
        "aria-controls": `view-${view.key}`,
        text: t(`${view.key}.tab`),
        on: { click: () => this.open(index), keydown: (event) => this.moveTab(event) },
      }),
    );
    const choices = Object.entries(LANGUAGES).map(([key, name]) => el("option", { value: key, text: name }));
    const language = el(
      "select",
      { id: "language", "aria-label": t("page.language"), on: { change: () => this.translate(language.value) } },
      choices,
    );
    language.value = currentLanguage();
    const button = (key, run) =>
      el("button", { type: "button", id: `button-${key}`, title: t(`page.${key}.title`), text: t(`page.${key}`), on: { click: run } });
    const chooser = el("input", { type: "file", id: "file", hidden: true, multiple: true });
    chooser.addEventListener("change", () => {
      this.receive([...chooser.files], { asTokenizer: true });
      chooser.value = "";
    });
    return el(
      "header",
      {},
      el("h1", {}, "piecework"),
      el("nav", { role: "tablist", "aria-label": t("page.views") }, this.tabs),
      el(
        "div",
        { class: "tools" },
        button("add", () => chooser.click()),
        chooser,
        button("link", () => this.copyLink()),
        button("json", () => this.saveJson()),
        button("svg", () => this.saveSvg()),
        language,
      ),
    );
  }

  footer() {
    return el("footer", {}, `piecework ${this.session.version} · ${t("page.local")}`);
  }

  moveTab(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const index = step ? (this.active + step + this.tabs.length) % this.tabs.length : { Home: 0, End: this.tabs.length - 1 }[event.key];
    if (index === undefined) return;
    event.preventDefault();
    this.open(index);
    this.tabs[index].focus();
  }

  open(index) {
    this.active = index;
    this.tabs.forEach((tab, place) => {
      tab.setAttribute("aria-selected", String(place === index));
      tab.tabIndex = place === index ? 0 : -1;
    });
    this.views.forEach((view, place) => (view.element.hidden = place !== index));
    this.say("");
    this.views[index].shown();
    this.changed();
  }

  openView(key, settings) {
    const index = this.views.findIndex((view) => view.key === key);
    if (settings) this.views[index].restore(settings);
    this.open(index);
  }

  settings(options) {
    const settings = { view: this.views[this.active].key, language: currentLanguage() };
    for (const view of this.views) settings[view.key] = view.settings(options);
    return settings;
  }

  translate(language) {
    const settings = this.settings({ isWhole: true });
    setLanguage(language);
    this.build({ ...settings, language });
    document.getElementById("language").focus();
  }

  // Views call it when a setting has changed: the address follows, so that reloading keeps the page.
  changed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.writeAddress(), 400);
  }

  async writeAddress() {
    const fragment = await encodeSettings(this.settings());
    if (fragment.length > MAX_LINK) return false;
    history.replaceState(null, "", `#${fragment}`);
    return true;
  }

  async copyLink() {
    if (!(await this.writeAddress())) {
      this.say(new RequestError(t("page.link.too-long")));
      return;
    }
    // A text that is too long is null in the settings.
    const { type, train } = this.settings();
    const left = type.text === null || train.text === null ? ` ${t("page.link.no-text")}` : "";
    try {
      await navigator.clipboard.writeText(location.href);
      this.say(t("page.link.done") + left);
    } catch {
      this.say(t("page.link.shown") + left);
    }
  }

  saveJson() {
    const view = this.views[this.active];
    const data = view.data();
    if (data) saveFile(`piecework-${view.key}.json`, JSON.stringify(data, null, 1), "application/json");
    else this.say(t("page.nothing"));
  }

  saveSvg() {
    const view = this.views[this.active];
    const picture = view.svg();
    if (picture) saveFile(`piecework-${view.key}.svg`, picture, "image/svg+xml");
    else this.say(t("page.nothing"));
  }

  // Takes files that were dropped or chosen: a text goes to the view that is shown, other files are tokenizers.
  async receive(files, { asTokenizer = false } = {}) {
    if (!files.length) return;
    const view = this.views[this.active];
    const names = files.map((file) => file.name).join(" + ");
    try {
      if (!asTokenizer && files.length === 1 && view.takeText && (await isText(files[0]))) {
        this.say("");
        await view.takeText(files[0]);
        return;
      }
      const size = files.reduce((sum, file) => sum + file.size, 0);
      if (size > MAX_FILES) throw new RequestError(t("page.too-large", { name: names, limit: "64 MB" }));
      this.say(t("page.loading", { name: names }));
      const added = await ask("tokenizers", { files: await readFiles(files) });
      this.setTokenizers(added.tokenizers, added.name, true);
      this.say(t("page.added", { name: added.name }));
    } catch (error) {
      this.say(error instanceof DOMException ? new RequestError(t("page.unreadable", { name: names })) : error);
    }
  }

  // Returns the text of a file, unless the server would refuse it for its size.
  async readText(file) {
    const most = 4 * this.session.limits.text; // a character has at most four bytes
    if (file.size > most) throw new RequestError(t("page.too-large", { name: file.name, limit: `${most / 1e6} MB` }));
    return file.text();
  }

  // Gives the views the tokenizers of the server, which one is new or another one than before, and whether they show it.
  setTokenizers(tokenizers, added, isChosen) {
    forgetFacts();
    this.session.tokenizers = tokenizers;
    for (const view of this.views) view.tokenizersChanged?.(added, isChosen);
  }

  // Reads the tokenizers again, after a training has added one; what the views compare stays.
  async refreshTokenizers(added) {
    const session = await getSession();
    this.setTokenizers(session.tokenizers, added, false);
  }
}

// Returns whether a file is a text, and not that of a tokenizer, which has lines or members of its own.
async function isText(file) {
  if (!TEXT_FILE.test(file.name)) return false;
  const start = await file.slice(0, 1 << 16).text();
  return !/^(\[UNK\]|\[PAD\]|<unk>|#version: 0\.2)/m.test(start) && !/"(model|vocab|version)":/.test(start);
}

function watchDrops(page) {
  const isFiles = (event) => event.dataTransfer?.types.includes("Files");
  let depth = 0;
  const mark = (change) => {
    depth = Math.max(0, depth + change);
    document.body.classList.toggle("dropping", depth > 0);
  };
  addEventListener("dragenter", (event) => isFiles(event) && mark(1));
  addEventListener("dragleave", (event) => isFiles(event) && mark(-1));
  addEventListener("dragover", (event) => isFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!isFiles(event)) return;
    event.preventDefault();
    mark(-depth);
    page.receive([...event.dataTransfer.files]);
  });
}

async function settingsOfAddress() {
  const fragment = location.hash.slice(1);
  return fragment ? await decodeSettings(fragment) : {};
}

async function start() {
  const given = await settingsOfAddress();
  const own = navigator.language.startsWith("zh") ? "zh" : "en";
  setLanguage(given?.language ?? own);
  const page = new Page(await getSession());
  page.build(given ?? {});
  if (!given) page.say(t("page.damaged"));
  watchDrops(page);
  addEventListener("hashchange", async () => {
    const settings = await settingsOfAddress();
    if (!settings) return page.say(t("page.damaged"));
    setLanguage(settings.language ?? currentLanguage());
    page.build(settings);
  });
  document.documentElement.dataset.ready = "true";
}

start().catch((error) => {
  document.getElementById("page").textContent = error.message;
});
