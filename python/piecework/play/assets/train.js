// The view "Train".

import { el } from "./dom.js";
import { addMessages } from "./messages.js";

addMessages({ en: { "train.tab": "Train" }, zh: { "train.tab": "Train" } });

export function createTrainView(page) {
  return {
    key: "train",
    element: el("section"),
    settings: () => ({}),
    restore: () => {},
    shown: () => {},
    data: () => null,
    svg: () => null,
  };
}
