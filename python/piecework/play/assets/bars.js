// Draws bars: a group for each row, a bar in it for each series.

import { number, shortText, svgEl } from "./dom.js";
import { textWidth } from "./exporting.js";
import { addMessages, t } from "./messages.js";

addMessages({
  en: { "bars.label": "Bars: {title}. The table below has the figures." },
  zh: { "bars.label": "条形图：{title}。数字见下表。" },
});

const COLOURS = ["#3b6fb6", "#d98c2b", "#4b9b6e", "#a05fb4"]; // by series; readable on light and dark
const [BAR, GAP, TOP, LINE] = [14, 10, 28, 20];
const MAX_NAME = 22; // characters

const widthOf = (text) => textWidth(text, "13px system-ui, sans-serif");

function textAt(x, y, content, properties = {}) {
  return svgEl("text", { x, y, "font-size": 13, "font-family": "system-ui, sans-serif", ...properties }, content);
}

// Returns an SVG element. rows: [{ name, values }], with a value for each series, null for none; `marked` is a value
// with a line at it, null for none.
export function barsSvg({ title, series, rows, width, marked }) {
  const names = rows.map((row) => shortText(row.name, MAX_NAME));
  const figures = rows.map((row) => row.values.map((value) => number(value)));
  const left = Math.min(Math.max(40, ...names.map(widthOf)) + 10, width * 0.4);
  const right = Math.max(20, ...figures.flat().map(widthOf)) + 8;
  const most = Math.max(marked ?? 0, ...rows.flatMap((row) => row.values.map((value) => value ?? 0))) || 1;
  const scale = Math.max(10, width - left - right) / most;
  const legend = legendOf(series, width);
  const start = TOP + legend.height;
  const step = series.length * BAR + GAP;
  const height = start + rows.length * step + 4;
  const svg = svgEl("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("bars.label", { title }) });
  svg.append(textAt(0, 16, title, { class: "title" }), ...legend.elements);
  rows.forEach((row, place) => {
    const y = start + place * step;
    svg.append(textAt(left - 8, y + (series.length * BAR) / 2 + 5, names[place], { "text-anchor": "end" }));
    row.values.forEach((value, number) => {
      const [top, size] = [y + number * BAR, Math.max(1, (value ?? 0) * scale)];
      const bar = svgEl("rect", { x: left, y: top + 1, width: size, height: BAR - 2, rx: 2, fill: COLOURS[number % COLOURS.length] });
      bar.append(svgEl("title", {}, `${row.name}, ${series[number]}: ${figures[place][number]}`));
      svg.append(bar, textAt(left + size + 4, top + 12, figures[place][number], { class: "dim" }));
    });
  });
  if (marked !== null) {
    const x = left + marked * scale;
    svg.append(svgEl("line", { x1: x, x2: x, y1: start - 2, y2: height, stroke: "#8c959f", "stroke-dasharray": "3 3" }));
  }
  return svg;
}

// Returns the names of the series with their colours, in lines that fit the width.
function legendOf(series, width) {
  let [x, y] = [0, TOP];
  const elements = series.flatMap((name, place) => {
    const shown = shortText(name, MAX_NAME);
    const size = widthOf(shown) + 34;
    if (x > 0 && x + size > width) [x, y] = [0, y + LINE];
    const mark = svgEl("rect", { x, y, width: 12, height: 12, rx: 2, fill: COLOURS[place % COLOURS.length] });
    const text = textAt(x + 17, y + 11, shown);
    x += size;
    return [mark, text];
  });
  return { elements, height: y - TOP + LINE + 6 };
}
