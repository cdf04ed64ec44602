// The view "Languages".

import { el } from "./dom.js";
import { addMessages } from "./messages.js";

addMessages({ en: { "languages.tab": "Languages" }, zh: { "languages.tab": "Languages" } });

export function createLanguagesView(page) {
  return {
    key: "languages",
    element: el("section"),
    settings: () => ({}),
    restore: () => {},
    shown: () => {},
    data: () => null,
    svg: () => null,
  };
}
