// Roots over one number of the model: as a locus in the s plane, or as frequency and damping over the number.
import { element } from '../element.js';
import { showModesAt } from '../recompute.js';
import { makeStatus } from './card.js';
import { makeCharts } from './charts.js';
import { formatNumber, formatQuantity, writeUnit } from './numbers.js';
import { colour, dash, kUnstable } from './palette.js';
import { describeRoot, kAxis, kGrows, kPlane, realRange } from './poles.js';

const kNone = [NaN, NaN];
const grows = ([re]) => re > 0;
const hz = ([, im]) => im / (2 * Math.PI);
const percent = ([re, im]) => (-100 * re) / (Math.hypot(re, im) || 1);

// Lines of all branches with x and y of every point; those that grow once more, as triangles. `shown` is
// what a point is called.
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
      symbol: 'circle',
      size: 2.4,
      filled: true,
      describe: (p) => describe(b, p),
      root: (p) => ({ value: sweep.points[p], eigenvalue: roots[p] }),
    };
  });
  const growing = sweep.branches.flatMap(({ roots }, b) => roots.flatMap((root, p) => (root && grows(root) ? [{ b, p }] : [])));
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
    { x, y: { label: 'damping', unit: '%' }, height: 190, lines: lines(percent), marks: [{ type: 'y', at: 0, colour: kUnstable, text: 'grows below' }] },
  ];
}

// kind: 'locus' or 'campbell'.
export function makeLocusPlot(page, options, kind) {
  const { source, store, scene } = page;
  const status = makeStatus();
  const charts = makeCharts({ onpick: show });
  const choice = element('select', { 'aria-label': 'Parameter', onchange: propose }, scene.parameters.map((p, i) => element('option', { value: i }, [p.path])));
  const number = (label, value) => element('input', { type: 'number', step: 'any', 'aria-label': label, value });
  const [from, to, count] = [number('From'), number('To'), number('Number of points', 25)];
  const log = element('input', { type: 'checkbox', onchange: propose });
  const button = element('button', { type: 'submit', class: 'primary' }, ['Compute']);
  const unit = element('small');
  const parameter = () => scene.parameters[choice.value];

  function propose() {
    const { path, value: start, group, unit: written } = parameter();
    const value = store.get('values')[path] ?? start;
    const low = log.checked ? value / 10 : group === 'blocks' ? 0 : value * 0.2;
    from.value = Number(low.toPrecision(6));
    to.value = Number((log.checked ? value * 10 : value * 2 || 1).toPrecision(6));
    unit.textContent = writeUnit(written);
  }

  async function compute() {
    const { path, unit: written } = parameter();
    const question = { values: store.get('values'), path, from: Number(from.value), to: Number(to.value), count: Number(count.value), log: log.checked };
    button.disabled = true;
    status.show('Computing …');
    try {
      const sweep = await source.ask('sweep', question);
      charts.path = path;
      charts.setFigures(kind === 'locus' ? [locusFigure(sweep, path)] : campbellFigures(sweep, path, written));
      charts.resetZoom();
      status.show('Click a point to see its mode move.');
    } catch (error) {
      status.show(error.message, true);
    }
    button.disabled = false;
  }

  async function show(line, index) {
    const { value, eigenvalue } = line.root?.(index) ?? {};
    if (!eigenvalue) return;
    status.show(`${charts.path} = ${formatNumber(value)} …`);
    try {
      await showModesAt(page, { ...store.get('values'), [charts.path]: value }, eigenvalue, { moves: 'mode' });
      status.show(`${charts.path} = ${formatNumber(value)}: the machine shows ${describeRoot(eigenvalue)}`);
    } catch (error) {
      status.show(error.message, true);
    }
  }

  const onsubmit = (event) => {
    event.preventDefault();
    compute();
  };
  const settings = element('form', { class: 'settings', onsubmit }, [
    choice, element('span', { class: 'settings' }, [from, 'to', to, unit]),
    element('label', {}, [count, ' points']), element('label', {}, [log, ' log']), button,
  ]);
  if (scene.parameters.length > 0) {
    // Gains first: they are what a root locus is about.
    choice.value = Math.max(0, scene.parameters.findIndex((p) => p.group === 'blocks'));
    propose();
    compute();
  } else {
    settings.hidden = true;
    status.show('The model has no number that may be changed.');
  }
  return { title: kind === 'locus' ? 'Root locus' : 'Campbell', settings: [settings], charts, status, destroy: () => {} };
}
