// Saves what a view shows as a file of the browser.

import { hue, visibleText } from "./dom.js";

export function saveFile(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  [link.href, link.download] = [address, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// XML 1.0 has no other control characters.
const NOT_XML = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeXml(text) {
  return text.replace(/[&<>"]/g, (c) => ESCAPES[c]).replace(NOT_XML, "\ufffd");
}

const measuring = document.createElement("canvas").getContext("2d");
const FONT = "14px ui-monospace, monospace";

// Returns the width of a text in pixels, rounded up.
export function textWidth(text, font = FONT) {
  measuring.font = font;
  return Math.ceil(measuring.measureText(text).width);
}

// Returns an SVG picture of rows of pieces: [{ title, pieces: [{ text, differs }] }].
export function piecesSvg(rows, width = 900) {
  const [gap, height, padding] = [3, 24, 5];
  const parts = [];
  let y = 8;
  for (const { title, pieces } of rows) {
    parts.push(`<text class="title" x="8" y="${y + 14}">${escapeXml(title)}</text>`);
    y += 22;
    let x = 8;
    for (const { text, differs } of pieces) {
      const shown = visibleText(text);
      const size = textWidth(shown) + 2 * padding;
      if (x + size > width - 8 && x > 8) [x, y] = [8, y + height + gap];
      const outline = differs ? ' stroke="#b3261e" stroke-width="1.5"' : "";
      parts.push(
        `<rect x="${x}" y="${y}" width="${size}" height="${height}" rx="3" fill="hsl(${hue(text)} 72% 86%)"${outline}/>` +
          `<text x="${x + padding}" y="${y + 17}" xml:space="preserve">${escapeXml(shown)}</text>`,
      );
      x += size + gap;
    }
    y += height + 16;
  }
  return svgDocument(width, y, parts.join(""));
}

// Returns the text of an SVG file with what an SVG element shows.
export function svgFileOf(svg) {
  const serializer = new XMLSerializer();
  const content = Array.from(svg.children, (child) => serializer.serializeToString(child)).join("");
  return svgDocument(svg.getAttribute("width"), svg.getAttribute("height"), content.replace(NOT_XML, "\ufffd"));
}

function svgDocument(width, height, content) {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<style>text{font:${FONT};fill:#1f2328}.title{font:600 14px system-ui,sans-serif}.dim{fill:#59636e}</style>` +
    `<rect width="100%" height="100%" fill="#ffffff"/>${content}</svg>`
  );
}
