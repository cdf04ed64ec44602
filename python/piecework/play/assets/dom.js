// Builds elements. Text is only ever set as text, so no user text becomes markup.

const MAX_CHARACTERS = 60; // of a token that is shown
const MAX_MARKS = 4; // combining marks on one character

// el("p", { class: "note", text: "a", on: { click: run } }, child, ...) returns an element.
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name === "on") for (const [type, run] of Object.entries(value)) element.addEventListener(type, run);
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  appendAll(element, children);
  return element;
}

// One call with all children would overflow the stack, if there are 100,000 of them.
function appendAll(element, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

export function svgEl(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  appendAll(element, children);
  return element;
}

export function replaceChildren(element, ...children) {
  const fragment = document.createDocumentFragment();
  appendAll(fragment, children);
  element.replaceChildren(fragment);
}

const CRC_TABLE = Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

const hues = new Map();

// Returns the hue of a piece, 0 to 359, by a fixed hash of its text: the same piece has the same colour everywhere,
// also in notebooks (`piecework/_show/html.py`).
export function hue(piece) {
  let found = hues.get(piece);
  if (found === undefined) {
    let crc = 0xffffffff;
    for (const byte of new TextEncoder().encode(piece)) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 255];
    found = ((crc ^ 0xffffffff) >>> 0) % 360;
    if (hues.size > 100000) hues.clear();
    hues.set(piece, found);
  }
  return found;
}

const MARK = /\p{M}/u;
const PLAIN = /^[!-~]([ -~]*[!-~])?$/;
const BYTES = /((?:<0x[0-9A-F]{2}>)+)/;

// Returns the parts of a text in readable form: [text, kind], where kind is "", "space", "escape" or "bytes".
// Control characters are escaped by the server; marks that are piled up, and spaces at the ends, are made visible here.
function visibleParts(text) {
  if (PLAIN.test(text) && text.length <= MAX_CHARACTERS) return [[text, ""]];
  const characters = Array.from(text);
  const shown = characters.slice(0, MAX_CHARACTERS);
  const parts = [];
  let marks = 0;
  const add = (part, kind) => {
    const last = parts[parts.length - 1];
    if (last && last[1] === kind) last[0] += part;
    else parts.push([part, kind]);
  };
  shown.forEach((c, index) => {
    const isMark = MARK.test(c);
    marks = isMark ? marks + 1 : 0;
    const isEnd = index === 0 || index === characters.length - 1 || shown.slice(index).every((each) => each === " ");
    if (c === " " && isEnd) add("␣", "space");
    else if (marks > MAX_MARKS) add(`\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`, "escape");
    else if (isMark && index === 0) add(`◌${c}`, "");
    else if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}\p{Co}]/u.test(c)) {
      add(`\\u{${c.codePointAt(0).toString(16)}}`, "escape");
    } else add(c, "");
  });
  if (characters.length > shown.length) add(`… +${characters.length - shown.length}`, "escape");
  return parts.flatMap(([part, kind]) => (kind ? [[part, kind]] : bytesApart(part)));
}

// Bytes in hexadecimal are parts of their own: beside Hebrew or Arabic letters a browser would change their order.
function bytesApart(text) {
  const parts = text.split(BYTES).map((part, place) => [part, place % 2 ? "bytes" : ""]);
  return parts.filter(([part]) => part);
}

export function visibleText(text) {
  return visibleParts(text)
    .map(([part]) => part)
    .join("");
}

// Returns a text in readable form, cut after a number of characters; an empty text is ∅.
export function shortText(text, most) {
  const characters = Array.from(visibleText(text) || "∅");
  return characters.length > most ? `${characters.slice(0, most - 1).join("")}…` : characters.join("");
}

function fill(element, text) {
  const parts = visibleParts(text);
  if (parts.length === 1 && !parts[0][1]) {
    element.textContent = parts[0][0];
    return element;
  }
  for (const [part, kind] of parts) element.append(kind ? el("span", { class: kind, text: part }) : part);
  if (!parts.length) element.append(el("span", { class: "space", text: "∅" }));
  return element;
}

// Returns a piece as an element in its colour.
export function pieceElement(displayToken, properties = {}) {
  const { class: more, ...others } = properties;
  const element = el("span", { ...others, class: more ? `piece ${more}` : "piece" });
  element.style.setProperty("--hue", hue(displayToken));
  return fill(element, displayToken);
}

// Returns a table. A cell is a text, a number or an element.
export function table(heads, rows, properties = {}) {
  const cell = (content) =>
    el("td", { class: typeof content === "number" ? "number" : null }, content instanceof Node ? content : String(content ?? ""));
  return el(
    "table",
    properties,
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map(cell)))),
  );
}

const formats = new Map(); // by language and digits: a format is slow to create

// Returns a number in the language of the page: an integer in full, others with four significant digits, or more.
export function number(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const language = document.documentElement.lang;
  const maximumSignificantDigits = Number.isInteger(value) ? 21 : digits;
  const key = `${language} ${maximumSignificantDigits}`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat(language, { maximumSignificantDigits }));
  return formats.get(key).format(value);
}

export function percent(value) {
  if (value === null || value === undefined) return "–";
  return value.toLocaleString(document.documentElement.lang, { style: "percent", maximumFractionDigits: 1 });
}
