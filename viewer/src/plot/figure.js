// A figure is plain data: axes, lines and marks. It knows nothing of the page, so that the same figure is
// drawn on a canvas and written as SVG or CSV.
//
//   {title, x: axis, y: axis, equal, lines: [line], marks: [mark]}
//   axis: {label, unit, log, steps, least, range}    least: range that is not undercut; range: what is
//                                                    shown at first instead of everything
//   line: {label, unit, x, y, colour, dash, width, symbol, size, filled, joined, hidden, strong,
//         pickable, describe(index), channel, run}  channel and run: of several results
//   mark: {type: 'x' | 'y' | 'point' | 'ellipse' | 'left' | 'right', …} see drawMark
//
// Positions on an axis of logarithms are logarithms everywhere but in `line.x` and `line.y`.
import { decimate, extent, windowOf } from './decimate.js';

const kInk = '#1b1f24';
const kSoft = '#57606a';

const rises = new WeakMap();
// Whether x rises, as time does. Only such lines can be thinned out.
function isRising(x) {
  if (!rises.has(x)) {
    let rising = true;
    for (let i = 1; i < x.length && rising; ++i) rising = x[i] >= x[i - 1];
    rises.set(x, rising);
  }
  return rises.get(x);
}

const logarithms = new WeakMap();
// Numbers as positions on an axis. What has no logarithm is not finite.
function positions(axis, values) {
  if (!axis.log) return values;
  if (!logarithms.has(values)) logarithms.set(values, values.map((value) => Math.log10(value)));
  return logarithms.get(values);
}

export const place = (axis, value) => (axis.log ? (value > 0 ? Math.log10(value) : NaN) : value);
export const valueAt = (axis, position) => (axis.log ? 10 ** position : position);
export const shownLines = (figure) => figure.lines.filter((line) => !line.hidden);

function join(ranges) {
  const known = ranges.filter(Boolean);
  if (known.length === 0) return null;
  return [Math.min(...known.map((r) => r[0])), Math.max(...known.map((r) => r[1]))];
}

// What is this far below the highest is noise of rounding, and not worth an axis.
const kDecades = 9;

function useful(axis, range) {
  return range && axis.log ? [Math.max(range[0], range[1] - kDecades), range[1]] : range;
}

export function fullX(figure) {
  if (figure.x.range) return figure.x.range;
  const ranges = shownLines(figure).map((line) => extent(positions(figure.x, line.x)));
  const found = join([...ranges, figure.x.least]) ?? [0, 1];
  const isTime = shownLines(figure).every((line) => isRising(line.x) && line.joined !== false);
  return padded(found, isTime ? 0 : 0.06);
}

// The range of y for what is seen between the positions `from` and `to`.
export function fullY(figure, [from, to]) {
  const ranges = shownLines(figure).map((line) => {
    const x = positions(figure.x, line.x);
    const y = positions(figure.y, line.y);
    return useful(figure.y, isRising(x) ? extent(y, ...windowOf(x, from, to)) : extent(y));
  });
  return padded(join([...ranges, figure.y.least]) ?? [0, 1], 0.06);
}

function padded([low, high], share) {
  if (high - low > Math.abs(high) * 1e-12 || high - low > 1e-300) return [low - (high - low) * share, high + (high - low) * share];
  const half = Math.abs(low) * 0.1 || 1;
  return [low - half, high + half];
}

// Widens the shorter axis until one unit is as long across as it is up.
export function equalized(x, y, width, height) {
  const scale = Math.max((x[1] - x[0]) / width, (y[1] - y[0]) / height);
  const about = ([low, high], pixels) => {
    const middle = (low + high) / 2;
    return [middle - (scale * pixels) / 2, middle + (scale * pixels) / 2];
  };
  return [about(x, width), about(y, height)];
}

// `area`: {left, top, width, height, x: [from, to], y: [from, to]} in pixels and positions.
export function makeMap(area) {
  return {
    x: (p) => area.left + ((p - area.x[0]) / (area.x[1] - area.x[0])) * area.width,
    y: (p) => area.top + area.height - ((p - area.y[0]) / (area.y[1] - area.y[0])) * area.height,
  };
}

// Points of a line in pixels.
export function pixelsOf(figure, line, area) {
  const all = { x: positions(figure.x, line.x), y: positions(figure.y, line.y) };
  const thin = isRising(all.x) && line.joined !== false;
  const points = thin ? decimate(all.x, all.y, ...area.x, Math.ceil(area.width)) : all;
  const map = makeMap(area);
  return [Array.from(points.x, map.x), Array.from(points.y, map.y)];
}

// Whether a line goes up and down so often that dashes would only blur it.
function isDense(ys, width) {
  let way = 0;
  for (let i = 1; i < ys.length; ++i) way += Math.abs(ys[i] - ys[i - 1]) || 0;
  return way > 25 * width;
}

export function drawFigure(pen, figure, area) {
  const map = makeMap(area);
  const marks = figure.marks ?? [];
  marks.filter((mark) => mark.under).forEach((mark) => drawMark(pen, mark, area, map));
  for (const line of shownLines(figure)) {
    const [xs, ys] = pixelsOf(figure, line, area);
    const dash = line.dash?.length && isDense(ys, area.width) ? [] : line.dash;
    const style = { colour: line.colour, dash, width: (line.width ?? 1.5) + (line.strong ? 1.2 : 0) };
    if (line.joined !== false) pen.line(xs, ys, style);
    if (!line.symbol) continue;
    const point = { colour: line.colour, width: line.strong ? 2.4 : 1.6, filled: line.filled };
    xs.forEach((x, i) => {
      const inside = x > area.left - 9 && x < area.left + area.width + 9;
      if (inside && Number.isFinite(ys[i])) pen.symbol(line.symbol, x, ys[i], line.size ?? 4, point);
    });
  }
  marks.filter((mark) => !mark.under).forEach((mark) => drawMark(pen, mark, area, map));
}

function drawMark(pen, mark, area, map) {
  const { left, top, width, height } = area;
  const style = { colour: mark.colour ?? kSoft, width: mark.width ?? 1, dash: mark.dash ?? [4, 3] };
  const text = (x, y, anchor = 'start') => mark.text && pen.text(x, y, mark.text, { colour: mark.textColour ?? kInk, anchor });
  if (mark.type === 'x') {
    pen.line([map.x(mark.at), map.x(mark.at)], [top, top + height], style);
    const isFarRight = map.x(mark.at) > left + width - 110;
    text(map.x(mark.at) + (isFarRight ? -4 : 4), top + 12, isFarRight ? 'end' : 'start');
  } else if (mark.type === 'y') {
    pen.line([left, left + width], [map.y(mark.at), map.y(mark.at)], style);
    text(left + width - 4, map.y(mark.at) - 4, 'end');
  } else if (mark.type === 'point') {
    pen.symbol(mark.symbol, map.x(mark.x), map.y(mark.y), mark.size ?? 5, { ...style, dash: [], filled: mark.filled });
    text(map.x(mark.x) + 7, map.y(mark.y) - 6);
  } else if (mark.type === 'ellipse') {
    pen.ellipse(map.x(mark.x), map.y(mark.y), map.x(mark.x + mark.a) - map.x(mark.x), map.y(mark.y) - map.y(mark.y + mark.b), style);
  } else if (mark.type === 'right') {
    const from = Math.max(map.x(mark.from), left);
    if (from < left + width) pen.rectangle(from, top, left + width - from, height, mark.colour);
    if (from < left + width - 60) text(left + width - 5, top + 13, 'end');
  }
}
