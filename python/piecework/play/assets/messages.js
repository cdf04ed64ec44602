// The texts of the page in English and Chinese. Each view adds its own.

const messages = { en: {}, zh: {} };
let language = "en";

export const LANGUAGES = { en: "English", zh: "中文" };

export function addMessages(added) {
  Object.assign(messages.en, added.en);
  Object.assign(messages.zh, added.zh);
}

export function setLanguage(name) {
  language = typeof name === "string" && Object.hasOwn(LANGUAGES, name) ? name : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

export function currentLanguage() {
  return language;
}

// t("type.tokens", { count: 3 }) returns a text, with {count} replaced.
export function t(key, values = {}) {
  const text = messages[language][key] ?? messages.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// For tests: the keys that one language has and another lacks.
export function missingMessages() {
  const [en, zh] = [Object.keys(messages.en), Object.keys(messages.zh)];
  return [...en.filter((key) => !zh.includes(key)), ...zh.filter((key) => !en.includes(key))];
}
