// Figures as files: SVG of true vectors, PNG made from it, CSV of the numbers that are seen.
import { windowOf } from './decimate.js';
import { drawFigure, equalized, fullX, fullY, makeMap, place, shownLines, valueAt } from './figure.js';
import { labelAxis } from './numbers.js';
import { escapeXml, svgPen } from './pens.js';

const kInk = '#1b1f24';
const kSoft = '#57606a';
const kGrid = '#e6eaee';
const kRow = 17;

const labelled = (axis, unit) => (unit ? `${axis.label} [${unit}]` : axis.label);

// One SVG with the figures below each other. `views`: {x, y} of each as seen, or nothing for all.
export function writeSvg(figures, { width = 760, height = 300, views = [], title = '' } = {}) {
  const parts = [];
  let top = title ? 28 : 8;
  if (title) svgPen(parts).text(width / 2, 19, title, { colour: kInk, anchor: 'middle', size: 14, bold: true });
  figures.forEach((figure, i) => {
    top = addFigure(parts, figure, { width, height, top, view: views[i], id: i });
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" width="${width}" height="${top}" ` +
    `font-family="Helvetica, Arial, sans-serif" role="img" aria-label="${escapeXml(title)}">\n` +
    `<rect width="${width}" height="${top}" fill="#ffffff"/>\n${parts.join('\n')}\n</svg>\n`
  );
}

function addFigure(parts, figure, { width, height, top, view, id }) {
  const pen = svgPen(parts);
  let plotTop = top + 6;
  plotTop = addLegend(pen, figure, width, plotTop);
  const area = { left: 68, top: plotTop, width: width - 84, height: figure.equal ? height * 1.4 : height };
  area.x = view?.x ?? fullX(figure);
  area.y = view?.y ?? fullY(figure, area.x);
  if (figure.equal) [area.x, area.y] = equalized(area.x, area.y, area.width, area.height);
  addAxes(pen, figure, area);
  const name = `area-${id}-${Math.round(top)}`;
  parts.push(
    `<clipPath id="${name}"><rect x="${area.left}" y="${area.top}" width="${area.width}" height="${area.height}"/></clipPath>`,
    `<g clip-path="url(#${name})">`,
  );
  drawFigure(pen, figure, area);
  parts.push('</g>');
  const right = area.left + area.width;
  const bottom = area.top + area.height;
  pen.line([area.left, right, right, area.left, area.left], [area.top, area.top, bottom, bottom, area.top], { colour: kSoft, width: 1 });
  return bottom + 44;
}

function addLegend(pen, figure, width, top) {
  let x = 68;
  let y = top + 8;
  for (const line of shownLines(figure)) {
    const long = 34 + 6.2 * line.label.length;
    if (x > 68 && x + long > width - 12) {
      x = 68;
      y += kRow;
    }
    if (line.joined !== false) pen.line([x, x + 22], [y, y], { colour: line.colour, dash: line.dash, width: line.width });
    if (line.symbol) pen.symbol(line.symbol, x + 11, y, 4, { colour: line.colour, filled: line.filled });
    pen.text(x + 28, y + 4, line.label, { colour: kInk });
    x += long + 14;
  }
  return y + 12;
}

function addAxes(pen, figure, area) {
  const map = makeMap(area);
  const bottom = area.top + area.height;
  const x = labelAxis({ from: area.x[0], to: area.x[1], count: area.width / 80, ...figure.x });
  const y = labelAxis({ from: area.y[0], to: area.y[1], count: area.height / 40, ...figure.y });
  x.values.forEach((value, i) => {
    const at = map.x(place(figure.x, value));
    pen.line([at, at], [area.top, bottom], { colour: kGrid, width: 1 });
    pen.text(at, bottom + 15, x.texts[i], { colour: kInk, anchor: 'middle' });
  });
  y.values.forEach((value, i) => {
    const at = map.y(place(figure.y, value));
    pen.line([area.left, area.left + area.width], [at, at], { colour: kGrid, width: 1 });
    pen.text(area.left - 6, at + 4, y.texts[i], { colour: kInk, anchor: 'end' });
  });
  pen.text(area.left + area.width / 2, bottom + 32, labelled(figure.x, x.unit), { colour: kInk, anchor: 'middle', size: 12 });
  pen.text(16, area.top + area.height / 2, labelled(figure.y, y.unit), { colour: kInk, anchor: 'middle', size: 12, turned: true });
}

// Columns of all lines that are seen, between the borders of the view. Lines with the same x share a column.
export function writeCsv(figures, views = []) {
  const columns = [];
  figures.forEach((figure, i) => {
    for (const line of shownLines(figure)) {
      const [from, to] = views[i]?.x ?? fullX(figure);
      const inside = indicesInside(line.x, valueAt(figure.x, from), valueAt(figure.x, to));
      const last = columns.findLast((column) => column.isX);
      if (!last || last.values !== line.x || last.inside.length !== inside.length) {
        columns.push({ isX: true, name: named(figure.x.label, figure.x.unit), values: line.x, inside });
      }
      columns.push({ name: named(line.label, line.unit ?? figure.y.unit), values: line.y, inside });
    }
  });
  const rows = Math.max(0, ...columns.map((column) => column.inside.length));
  const lines = [columns.map((column) => quoted(column.name)).join(',')];
  for (let r = 0; r < rows; ++r) {
    lines.push(columns.map(({ values, inside }) => (r < inside.length ? numberText(values[inside[r]]) : '')).join(','));
  }
  return `${lines.join('\n')}\n`;
}

const named = (label, unit) => (unit ? `${label} [${unit}]` : label);
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const numberText = (value) => (Number.isFinite(value) ? String(value) : '');

function indicesInside(x, from, to) {
  const slack = (to - from) * 1e-9;
  const inside = [];
  const [first, end] = windowOf(x, -Infinity, Infinity);
  for (let i = first; i < end; ++i) if (x[i] >= from - slack && x[i] <= to + slack) inside.push(i);
  return inside;
}

export function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// PNG at twice the size of the SVG, sharp enough for print.
export async function pngOf(svg) {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  } finally {
    URL.revokeObjectURL(address);
  }
}
