// The view "Type".

import { el } from "./dom.js";
import { addMessages } from "./messages.js";

addMessages({ en: { "type.tab": "Type" }, zh: { "type.tab": "Type" } });

export function createTypeView(page) {
  return {
    key: "type",
    element: el("section"),
    settings: () => ({}),
    restore: () => {},
    shown: () => {},
    data: () => null,
    svg: () => null,
  };
}
