// Saves what a view shows as a file of the browser.

import { hue, visibleText } from "./dom.js";

export function saveFile(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  [link.href, link.download] = [address, name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeXml(text) {
  // XML 1.0 has no other control characters.
  return text.replace(/[&<>"]/g, (c) => ESCAPES[c]).replace(/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd");
}

const measuring = document.createElement("canvas").getContext("2d");
const FONT = "14px ui-monospace, monospace";

// Returns an SVG picture of rows of pieces: [{ title, pieces: [{ text, differs }] }].
export function piecesSvg(rows, width = 900) {
  measuring.font = FONT;
  const [gap, height, padding] = [3, 24, 5];
  const parts = [];
  let y = 8;
  for (const { title, pieces } of rows) {
    parts.push(`<text class="title" x="8" y="${y + 14}">${escapeXml(title)}</text>`);
    y += 22;
    let x = 8;
    for (const { text, differs } of pieces) {
      const shown = visibleText(text);
      const size = Math.ceil(measuring.measureText(shown).width) + 2 * padding;
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

export function svgDocument(width, height, content) {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<style>text{font:${FONT};fill:#1f2328}.title{font:600 14px system-ui,sans-serif}.dim{fill:#59636e}</style>` +
    `<rect width="100%" height="100%" fill="#ffffff"/>${content}</svg>`
  );
}
