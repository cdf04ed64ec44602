// The view "Train": it asks for a training and plays its steps.

import { LatestQuestion, ask } from "./api.js";
import { el, replaceChildren } from "./dom.js";
import { t } from "./messages.js";
import { TrainForm } from "./train-form.js";
import { MergesPanel } from "./train-merges.js";
import "./train-messages.js";
import { setShown } from "./train-parts.js";
import { Player } from "./train-player.js";
import { UnigramPanel } from "./train-unigram.js";

// The last answer survives a change of the language, which builds the page again.
let last = null; // { key, answer }
// The question of the view that the page was built with before, whose answer nobody would see.
let lastQuestion = null;

class TrainView {
  constructor(page) {
    this.page = page;
    this.key = "train";
    this.panel = this.answer = null;
    this.wanted = {}; // the step and the criterion of a link, until the training is there
    this.form = new TrainForm(page, { run: () => this.run(), cancel: () => this.cancel() });
    this.player = new Player(
      (state) => this.panel.move(state),
      () => this.settled(),
    );
    this.live = el("p", { class: "visually-hidden train-live", "aria-live": "polite" });
    this.detail = el("select", { class: "train-detail", on: { change: () => this.chooseDetail() } });
    this.detailLabel = el("label", {}, t("train.detail"), this.detail);
    this.use = el("button", { type: "button", class: "train-use", on: { click: () => this.useInType() } });
    this.below = el("div", { class: "row" }, this.player.speedLabel, this.detailLabel, this.use);
    this.content = el("div", {});
    this.steps = el("div", { class: "train-training", hidden: true }, this.player.element, this.below, this.content);
    this.element = el("section", { class: "train" }, this.form.element, this.live, this.steps);
    this.question = new LatestQuestion(
      (request, signal) => ask("trace", request, signal),
      (answer, request) => this.trained(answer, request),
      (error) => page.say(error),
      () => this.setBusy(false),
    );
    lastQuestion?.cancel();
    lastQuestion = this.question;
  }

  settings() {
    return { ...this.form.settings(), step: this.panel ? this.player.state : this.wanted.step, detail: this.panel?.detail ?? this.wanted.detail };
  }

  restore(settings) {
    this.form.restore(settings);
    this.wanted = { step: settings.step, detail: settings.detail };
    this.panel = this.answer = null;
    setShown(this.steps, false);
  }

  // Starts the training of the settings when the view is first opened.
  shown() {
    if (this.panel || this.question.isBusy) return;
    if (this.form.isReady()) this.run();
    else if (this.form.isTextMissing) this.page.say(t("train.text.missing"));
  }

  run() {
    let request;
    try {
      request = this.form.request();
    } catch (error) {
      return this.page.say(error);
    }
    this.question.cancel();
    const key = JSON.stringify(request);
    if (last?.key === key) return this.show(last.answer);
    this.player.pause();
    this.setBusy(true);
    this.page.say(t("train.running"));
    this.question.ask(request);
  }

  cancel() {
    this.question.cancel();
    this.page.say(t("train.cancelled"));
  }

  setBusy(isBusy) {
    if (isBusy) this.element.setAttribute("aria-busy", "true");
    else this.element.removeAttribute("aria-busy");
    this.form.setBusy(isBusy);
  }

  trained(answer, request) {
    last = { key: JSON.stringify(request), answer };
    this.show(answer);
    const summary = this.panel.summary();
    this.page.say(t(summary.key, { name: answer.tokenizer, ...summary }));
    this.page.refreshTokenizers(answer.tokenizer).catch((error) => this.page.say(error));
  }

  // Shows a training from its start, or from the step of a link.
  show(answer) {
    const { step, detail } = this.wanted;
    this.wanted = {};
    this.answer = answer;
    this.panel = answer.kind === "unigram" ? new UnigramPanel(answer) : new MergesPanel(answer, detail);
    replaceChildren(this.content, this.panel.element);
    const criteria = Object.keys(answer.traces);
    replaceChildren(this.detail, criteria.map((name) => el("option", { value: name, text: t(`train.criterion.${name}`) })));
    this.detail.value = this.panel.detail;
    setShown(this.detailLabel, criteria.length > 1);
    this.use.textContent = t("train.use", { name: answer.tokenizer, view: t("type.tab") });
    setShown(this.steps, true);
    this.player.load(this.panel.start, this.panel.end, Number.isSafeInteger(step) ? step : this.panel.start);
  }

  chooseDetail() {
    this.panel.choose(this.detail.value);
    this.player.stopAt(this.player.state);
  }

  settled() {
    this.live.textContent = this.panel.said();
    this.page.changed();
  }

  useInType() {
    const type = this.page.views.find((view) => view.key === "type").settings({ isWhole: true });
    this.page.openView("type", { ...type, text: type.text || this.panel.text(), tokenizers: [this.answer.tokenizer] });
  }

  async takeText(file) {
    await this.form.takeText(file);
  }

  data() {
    return this.answer;
  }

  svg() {
    return this.panel?.svg() ?? null;
  }
}

export function createTrainView(page) {
  return new TrainView(page);
}
