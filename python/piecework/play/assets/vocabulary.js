// The view "Vocabulary".

import { el } from "./dom.js";
import { addMessages } from "./messages.js";

addMessages({ en: { "vocabulary.tab": "Vocabulary" }, zh: { "vocabulary.tab": "Vocabulary" } });

export function createVocabularyView(page) {
  return {
    key: "vocabulary",
    element: el("section"),
    settings: () => ({}),
    restore: () => {},
    shown: () => {},
    data: () => null,
    svg: () => null,
  };
}
