// Eigenvalues in the s plane.
import { makeStatus } from './card.js';
import { makeCharts } from './charts.js';
import { formatNumber, formatQuantity } from './numbers.js';
import { kFaint, kStable, kUnstable } from './palette.js';

export function describeRoot([re, im]) {
  const size = Math.hypot(re, im);
  const value = im === 0 ? formatNumber(re) : `${formatNumber(re)} ± ${formatNumber(im)} i`;
  return `${value} rad/s · ${formatQuantity(im / (2 * Math.PI), 'Hz')} · damping ${formatNumber(size > 0 ? (-100 * re) / size : 0, 3)} %`;
}

export const kPlane = {
  x: { label: 'real part', unit: 'rad/s' },
  y: { label: 'imaginary part', unit: 'rad/s' },
};

// The half plane where motions grow.
export const kGrows = { type: 'right', from: 0, colour: '#fdf0ee', text: 'grows', textColour: '#b3261e', under: true };
export const kAxis = { type: 'x', at: 0, dash: [], under: true };

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
  const old = { label: 'before', ...points(before), joined: false, colour: kFaint, symbol: 'cross', size: 4, describe: (k) => `before: ${describeRoot(before[k])}` };
  return {
    x: { ...kPlane.x, range },
    y: { ...kPlane.y, least: [0, 0] },
    height,
    lines: [
      ...(before.length ? [old] : []),
      line('stable', true, { colour: kStable, symbol: 'cross', size: 4.5 }),
      line('unstable', false, { colour: kUnstable, symbol: 'triangle', size: 5, filled: true }),
    ],
    marks: [kGrows, kAxis, ...(ring ? [{ type: 'point', x: ring[0], y: ring[1], symbol: 'circle', size: 9, width: 2, colour: '#1b1f24' }] : [])],
  };
}

export function makePolePlot({ store }) {
  const status = makeStatus();
  const charts = makeCharts({ onpick: (line, k) => line.indices && store.set({ mode: line.indices[k], moves: 'mode' }) });
  const stop = store.on(['modes', 'mode'], ({ modes, mode }) => {
    charts.setFigures(modes ? [poleFigure(modes.modes, mode)] : []);
    status.show(modes ? '' : 'No modes are known.');
  });
  return { title: 'Pole map', settings: [], charts, status, destroy: stop };
}
