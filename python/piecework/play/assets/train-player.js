// The player: it goes through the states of a training, by buttons, a slider, keys, or by itself.

import { el } from "./dom.js";
import { t } from "./messages.js";
import { setText } from "./train-parts.js";

const SPEEDS = { slow: 1, medium: 4, fast: 15, frame: Infinity }; // steps a second; the last: one each frame
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", " ": "play" };
const ICONS = { first: "|◀", back: "◀", forward: "▶", last: "▶|" };
const QUIET = 250; // milliseconds without a move until it counts as settled

export class Player {
  // `moved(state)` shows a state; `settled(state)` is called when it stays.
  constructor(moved, settled) {
    [this.moved, this.settled] = [moved, settled];
    [this.state, this.start, this.end] = [0, 0, 0];
    this.isPlaying = false;
    this.runs = 0;
    this.buttons = Object.fromEntries(["first", "back", "play", "forward", "last"].map((key) => [key, this.button(key)]));
    this.slider = el("input", {
      type: "range",
      class: "train-slider",
      min: "0",
      max: "0",
      "aria-label": t("train.position"),
      on: { input: () => this.stopAt(Number(this.slider.value)) },
    });
    this.position = el("span", { class: "train-position" });
    this.speed = el(
      "select",
      { class: "train-speed" },
      Object.keys(SPEEDS).map((key) => el("option", { value: key, text: t(`train.speed.${key}`) })),
    );
    this.speed.value = "medium";
    this.speedLabel = el("label", {}, t("train.speed"), this.speed); // the view places it
    this.element = el(
      "div",
      { class: "train-player", role: "group", "aria-label": t("train.player"), on: { keydown: (event) => this.pressed(event) } },
      el("div", { class: "train-buttons" }, Object.values(this.buttons)),
      this.slider,
      this.position,
    );
  }

  button(key) {
    const name = t(`train.${key}`);
    // A button that does nothing at the ends is not disabled: it would lose the focus.
    return el("button", { type: "button", class: `train-${key}`, title: name, "aria-label": name, text: ICONS[key] ?? name, on: { click: () => this.press(key) } });
  }

  press(key) {
    const { state, start, end } = this;
    if (key === "play") this.isPlaying ? this.pause() : this.play();
    else this.stopAt({ first: start, last: end, back: state - 1, forward: state + 1 }[key]);
  }

  pressed(event) {
    const key = KEYS[event.key];
    const { target } = event;
    if (!key || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.tagName === "BUTTON" && key === "play") return; // a button has this key itself
    if (target === this.slider && key !== "play") return; // a slider has these keys itself
    event.preventDefault();
    this.press(key);
  }

  // Sets the range of states and goes to one of them.
  load(start, end, state) {
    this.pause();
    [this.start, this.end] = [start, end];
    this.slider.min = String(start);
    this.slider.max = String(end);
    this.go(state);
    this.settle();
  }

  stopAt(state) {
    this.pause();
    this.go(state);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), QUIET);
  }

  go(state) {
    this.state = Math.min(Math.max(state, this.start), this.end);
    this.slider.value = String(this.state);
    setText(this.position, `${this.state} / ${this.end}`);
    const [isStart, isEnd] = [this.state === this.start, this.state === this.end];
    for (const key of ["first", "back"]) this.buttons[key].classList.toggle("train-idle", isStart);
    for (const key of ["forward", "last"]) this.buttons[key].classList.toggle("train-idle", isEnd);
    this.moved(this.state);
  }

  settle() {
    if (!this.element.isConnected) return;
    this.slider.setAttribute("aria-valuetext", t("train.position.of", { step: this.state, last: this.end }));
    this.settled(this.state);
  }

  play() {
    if (this.start === this.end) return;
    if (this.state === this.end) this.go(this.start);
    this.setPlaying(true);
    const run = ++this.runs;
    let [before, due] = [null, 0];
    const frame = (time) => {
      if (!this.isPlaying || run !== this.runs) return;
      if (!this.element.isConnected || this.element.closest("[hidden]")) return this.pause();
      const rate = SPEEDS[this.speed.value];
      due += before === null ? 0 : ((time - before) / 1000) * rate;
      before = time;
      // A frame makes one step at most: none is skipped when the page was in the background.
      if (rate === Infinity || due >= 1) {
        due = rate === Infinity ? 0 : Math.min(due - 1, 1);
        this.go(this.state + 1);
      }
      if (this.state === this.end) this.pause();
      else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  pause() {
    if (!this.isPlaying) return;
    this.setPlaying(false);
    this.settle();
  }

  setPlaying(isPlaying) {
    this.isPlaying = isPlaying;
    const name = t(isPlaying ? "train.pause" : "train.play");
    this.buttons.play.textContent = this.buttons.play.title = name;
    this.buttons.play.setAttribute("aria-label", name);
  }
}
