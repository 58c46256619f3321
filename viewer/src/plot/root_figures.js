// Figures of eigenvalues: as they are, and over one number of the model.
import { formatNumber, formatQuantity } from './numbers.js';
import { colour, dash, kFaint, kStable, kUnstable } from './palette.js';

const kNone = [NaN, NaN];
const hz = ([, im]) => im / (2 * Math.PI);
const percent = ([re, im]) => (-100 * re) / (Math.hypot(re, im) || 1);

export function describeRoot([re, im]) {
  const size = Math.hypot(re, im);
  const value = im === 0 ? formatNumber(re) : `${formatNumber(re)} ± ${formatNumber(im)} i`;
  return `${value} rad/s · ${formatQuantity(im / (2 * Math.PI), 'Hz')} · damping ${formatNumber(size > 0 ? (-100 * re) / size : 0, 3)} %`;
}

const kPlane = {
  x: { label: 'real part', unit: 'rad/s' },
  y: { label: 'imaginary part', unit: 'rad/s' },
};

// The half plane where motions grow.
const kGrows = { type: 'right', from: 0, colour: '#fdf0ee', text: 'grows', textColour: '#b3261e', under: true };
const kAxis = { type: 'x', at: 0, dash: [], under: true };

// What is worth seeing of the real axis: fast real roots, of filters for example, would press all others
// against its right end. They are found by zooming out.
export function realRange(roots) {
  const highest = Math.max(0, ...roots.map(([, im]) => Math.abs(im)));
  const seen = roots.map(([re]) => re).filter((re) => highest === 0 || Math.abs(re) < 2 * highest);
  if (seen.length === 0) return null;
  const [low, high] = [Math.min(...seen, 0), Math.max(...seen, 0)];
  const pad = 0.08 * (high - low || 1);
  return [low - pad, high + pad];
}

const ringAt = ([x, y]) => ({ type: 'point', x, y, symbol: 'circle', size: 9, width: 2, colour: '#1b1f24' });
const points = (roots) => ({ x: roots.map((r) => r[0]), y: roots.map((r) => r[1]) });

// `modes`: of modes.json; `chosen`: index with a ring; `before`: roots shown in grey.
export function poleFigure(modes, chosen, { before = [], height = 300 } = {}) {
  const range = realRange([...modes.map((mode) => mode.eigenvalue), ...before]);
  const line = (label, stable, style) => {
    const indices = modes.map((mode, i) => i).filter((i) => modes[i].stable === stable);
    const roots = indices.map((i) => modes[i].eigenvalue);
    const outside = range ? roots.filter(([re]) => re < range[0] || re > range[1]).length : 0;
    return {
      label: `${label} (${indices.length}${outside ? `, ${outside} outside` : ''})`,
      ...points(roots),
      joined: false,
      indices,
      describe: (k) => `${modes[indices[k]].name ? `${modes[indices[k]].name}: ` : ''}${describeRoot(roots[k])}`,
      ...style,
    };
  };
  const ring = modes[chosen]?.eigenvalue;
  const old = {
    label: 'before',
    ...points(before),
    joined: false,
    colour: kFaint,
    symbol: 'cross',
    size: 4,
    describe: (k) => `before: ${describeRoot(before[k])}`,
  };
  return {
    x: { ...kPlane.x, range },
    y: { ...kPlane.y, least: [0, 0] },
    height,
    lines: [
      ...(before.length ? [old] : []),
      line('stable', true, { colour: kStable, symbol: 'cross', size: 4.5 }),
      line('unstable', false, { colour: kUnstable, symbol: 'triangle', size: 5, filled: true }),
    ],
    marks: [kGrows, kAxis, ...(ring ? [ringAt(ring)] : [])],
  };
}

const kMostNamed = 10; // branches; the names of more would fill the page, and a point tells its own

// Lines of all branches with x and y of every point; those that grow, by the verdict of the program, once more, as
// triangles. `shown` is what a point is called.
function linesOf(sweep, name, xOf, yOf) {
  const describe = (b, p) => `${name} = ${formatNumber(sweep.points[p])}: ${describeRoot(sweep.branches[b].roots[p])}`;
  const lines = sweep.branches.map(({ roots }, b) => {
    const first = roots.find(Boolean);
    const known = roots.map((root) => root ?? kNone);
    return {
      label: first ? `${b + 1}: ${first[1] === 0 ? 'real' : formatQuantity(hz(first), 'Hz', 3)}` : `${b + 1}`,
      x: known.map((root, p) => xOf(root, sweep.points[p])),
      y: known.map((root, p) => yOf(root, sweep.points[p])),
      colour: colour(b),
      dash: dash(b),
      unnamed: sweep.branches.length > kMostNamed,
      symbol: 'circle',
      size: 2.4,
      filled: true,
      describe: (p) => describe(b, p),
      root: (p) => ({ value: sweep.points[p], eigenvalue: roots[p] }),
    };
  });
  const growing = sweep.branches.flatMap(({ grows }, b) => grows.flatMap((isSo, p) => (isSo ? [{ b, p }] : [])));
  if (growing.length === 0) return lines;
  const at = (of) => growing.map(({ b, p }) => of(sweep.branches[b].roots[p], sweep.points[p]));
  return [
    ...lines,
    {
      label: 'unstable',
      x: at(xOf),
      y: at(yOf),
      joined: false,
      colour: kUnstable,
      symbol: 'triangle',
      size: 4,
      filled: true,
      describe: (k) => describe(growing[k].b, growing[k].p),
      root: (k) => ({ value: sweep.points[growing[k].p], eigenvalue: sweep.branches[growing[k].b].roots[growing[k].p] }),
    },
  ];
}

export function locusFigure(sweep, name) {
  const last = sweep.points.length - 1;
  const ends = (p, symbol) => {
    const roots = sweep.branches.map((branch) => branch.roots[p]).filter(Boolean);
    const [x, y] = [0, 1].map((k) => roots.map((root) => root[k]));
    return { label: `at ${formatNumber(sweep.points[p])}`, x, y, joined: false, symbol, size: 5, colour: '#1b1f24', pickable: false };
  };
  return {
    ...kPlane,
    x: { ...kPlane.x, range: realRange(sweep.branches.flatMap(({ roots }) => roots.filter(Boolean))) },
    height: 360,
    lines: [...linesOf(sweep, name, (root) => root[0], (root) => root[1]), ends(0, 'square'), ends(last, 'diamond')],
    marks: [kGrows, kAxis],
  };
}

export function campbellFigures(sweep, name, unit) {
  const x = { label: name, unit };
  const lines = (of) => linesOf(sweep, name, (root, value) => value, of);
  const highest = Math.max(...sweep.branches.flatMap(({ roots }) => roots.map((root) => (root ? hz(root) : 0))));
  // What turns once or twice in a revolution shakes the machine at these frequencies.
  const orders = unit !== 'rad/s' ? [] : [1, 2, 3].map((n) => ({
    label: `${n}×`, x: sweep.points, colour: '#8c959f', dash: [2, 4], width: 1,
    y: sweep.points.map((value) => (n * value) / (2 * Math.PI)).map((f) => (f <= highest * 1.1 ? f : NaN)),
  }));
  return [
    { x, y: { label: 'frequency', unit: 'Hz', least: [0, 0] }, height: 250, lines: [...lines(hz), ...orders] },
    {
      x,
      y: { label: 'damping', unit: '%' },
      height: 190,
      lines: lines(percent),
      marks: [{ type: 'y', at: 0, colour: kUnstable, text: 'grows below' }],
    },
  ];
}
