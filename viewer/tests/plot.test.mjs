// The parts of plots that need no page: numbers, thinning, figures and their files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decimate, lowerBound, nearestIndex } from '../src/plot/decimate.js';
import { drawFigure, equalized, fullX, fullY } from '../src/plot/figure.js';
import { writeCsv, writeSvg } from '../src/plot/files.js';
import { formatNumber, formatQuantity, labelAxis, logTicks, niceTicks } from '../src/plot/numbers.js';
import { kColours } from '../src/plot/palette.js';
import { bodeFigures, nyquistFigure, unwrapped } from '../src/plot/response_figures.js';
import { signalsOf } from '../src/plot/response_signals.js';
import { locusFigure, poleFigure } from '../src/plot/root_figures.js';
import { dampingParts } from '../src/panels/mode_details.js';
import { rangeFor, stepOfValue, valueOfStep, writeNumber } from '../src/panels/slider_row.js';
import { mergeResults } from '../src/follow.js';
import { askModes, nearestMode, newestOnly } from '../src/recompute.js';
import { luminance, contrast, parseXml } from './support.mjs';

test('numbers have few digits and true minus signs', () => {
  assert.equal(formatNumber(0.123456), '0.1235');
  assert.equal(formatNumber(-12340), '−12340');
  assert.equal(formatNumber(1.2e-7), '1.2e−7');
  assert.equal(formatNumber(-0), '0');
  assert.equal(formatNumber(NaN), '–');
});

test('numbers of fields are short and exact', () => {
  assert.deepEqual([6.57e10, 0.0005, 2794, 0.785398163397448, -1e-12].map(writeNumber), [
    '6.57e10',
    '0.0005',
    '2794',
    '0.785398163397448',
    '-1e-12',
  ]);
});

test('quantities take prefixes where their unit has them', () => {
  assert.equal(formatQuantity(0.0123, 'm'), '12.3 mm');
  assert.equal(formatQuantity(2.1e11, 'Pa'), '210 GPa');
  assert.equal(formatQuantity(1500, 'N*m'), '1.5 kN·m');
  assert.equal(formatQuantity(0.002, 'm^2'), '0.002 m²');
  assert.equal(formatQuantity(4000, 's'), '4000 s');
  assert.equal(formatQuantity(0.5, 'Hz'), '0.5 Hz');
});

test('ticks are round and inside', () => {
  assert.deepEqual(niceTicks(0, 1, 5), [0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
  assert.deepEqual(niceTicks(-200, 10, 5, [45, 90, 180]), [-180, -135, -90, -45, 0]);
  assert.deepEqual(logTicks(-1, 2, 4), [0.1, 1, 10, 100]);
  assert.deepEqual(niceTicks(1, 1, 5), []);
});

test('an axis is labelled with one unit for all its ticks', () => {
  const axis = labelAxis({ from: -0.02, to: 0.06, count: 4, unit: 'm' });
  assert.deepEqual(axis.texts, ['−20', '0', '20', '40', '60']);
  assert.equal(axis.unit, 'mm');
  assert.equal(labelAxis({ from: 0, to: 3e6, count: 3, unit: 'kg' }).unit, '10⁶ kg');
});

test('a search in sorted numbers finds neighbours', () => {
  const x = [0, 1, 2, 3];
  assert.equal(lowerBound(x, 1.5), 2);
  assert.equal(nearestIndex(x, 1.4), 1);
  assert.equal(nearestIndex(x, -5), 0);
  assert.equal(nearestIndex(x, 50), 3);
  assert.equal(nearestIndex([], 1), -1);
});

test('thinning a million points keeps extremes, ends and gaps', () => {
  const n = 1e6;
  const x = Float64Array.from({ length: n }, (_, i) => i / n);
  const y = x.map((t) => Math.sin(400 * t));
  y[123456] = 9;
  y[654321] = -7;
  y[500000] = NaN;
  const start = performance.now();
  const thin = decimate(x, y, 0, 1, 500);
  assert.ok(performance.now() - start < 500, 'fast enough to follow a zoom');
  assert.ok(thin.x.length <= 5 * 501);
  assert.ok(thin.y.includes(9) && thin.y.includes(-7));
  assert.ok(thin.y.some(Number.isNaN));
  assert.equal(thin.x[0], 0);
  assert.equal(thin.x.at(-1), x[n - 1]);
  assert.ok(thin.x.every((value, i) => i === 0 || value >= thin.x[i - 1]));
});

test('thinning shows the outline of the curve in every column', () => {
  const n = 20000;
  const x = Float64Array.from({ length: n }, (_, i) => i);
  const y = x.map((v) => Math.sin(v * 1.7) * v);
  const thin = decimate(x, y, 0, n, 50);
  for (let column = 0; column < 50; ++column) {
    const inside = (v) => v >= column * 400 && v < (column + 1) * 400;
    const highest = Math.max(...y.filter((_, i) => inside(i)));
    assert.equal(Math.max(...thin.y.filter((_, i) => inside(thin.x[i]))), highest);
  }
});

const figure = {
  x: { label: 'time', unit: 's' },
  y: { label: 'a & b', unit: 'm' },
  lines: [
    { label: 'a<1>', x: [0, 1, 2, 3], y: [0, 1, 4, 9], colour: '#000000' },
    { label: 'b', x: [0, 1, 2, 3], y: [1, NaN, 1, 2], colour: '#ff0000', dash: [4, 2], symbol: 'triangle' },
  ],
};
figure.lines[1].x = figure.lines[0].x;

test('ranges follow the lines that are shown', () => {
  assert.deepEqual(fullX(figure), [0, 3]);
  const [low, high] = fullY(figure, [0, 3]);
  assert.ok(low < 0 && high > 9 && high < 10);
  const hidden = { ...figure, lines: [{ ...figure.lines[0], hidden: true }, figure.lines[1]] };
  assert.ok(fullY(hidden, [0, 3])[1] < 2.2);
});

test('equal axes have equal units', () => {
  const [x, y] = equalized([-1, 1], [0, 1], 400, 100);
  assert.ok(Math.abs((x[1] - x[0]) / 400 - (y[1] - y[0]) / 100) < 1e-12);
  assert.ok(x[0] <= -1 && x[1] >= 1 && y[0] <= 0 && y[1] >= 1);
});

test('CSV holds the numbers that are seen, x once for lines that share it', () => {
  const all = writeCsv([figure]).split('\n');
  assert.deepEqual(all, ['time [s],a<1> [m],b [m]', '0,0,1', '1,1,', '2,4,1', '3,9,2', '']);
  const part = writeCsv([figure], [{ x: [0.5, 2.5] }]).split('\n');
  assert.deepEqual(part, ['time [s],a<1> [m],b [m]', '1,1,', '2,4,1', '']);
  const own = { ...figure, lines: [figure.lines[0], { ...figure.lines[1], label: 'b, c', x: [5, 6, 7, 8] }] };
  assert.equal(writeCsv([own]).split('\n')[0], 'time [s],a<1> [m],time [s],"b, c [m]"');
});

test('SVG is well formed and puts points where the scales say', () => {
  const text = writeSvg([figure], { width: 484, height: 100, title: 'A "title" & more' });
  const tags = parseXml(text);
  assert.equal(tags[0].name, 'svg');
  assert.ok(text.includes('a&lt;1&gt;') && text.includes('a &amp; b [m]'));
  const curve = tags.find((tag) => tag.name === 'path' && tag.attributes.stroke === '#000000' && tag.attributes.d.split('L').length === 4);
  const points = curve.attributes.d.slice(1).split('L').map((point) => point.split(' ').map(Number));
  // 400 px for 3 s from 68 px on.
  assert.deepEqual(points.map(([x]) => x), [68, 201.33, 334.67, 468]);
  // 9 m for 1 m of padding (2·6 %) in 100 px.
  assert.ok(Math.abs(points[0][1] - points[3][1] - 100 / 1.12) < 0.02);
  assert.equal(tags.filter((tag) => tag.attributes['stroke-dasharray'] === '4 2').length, 2);
});

test('an axis of logarithms leaves out what has none', () => {
  const log = { x: { label: 'f', log: true }, y: { label: 'A', log: true }, lines: [{ label: 'l', x: [0, 1, 10, 100], y: [1, 0, 1, 100], colour: '#000' }] };
  assert.deepEqual(fullX(log), [0, 2]);
  const drawn = [];
  const pen = { line: (xs, ys) => drawn.push([xs, ys]) };
  drawFigure(pen, log, { left: 0, top: 0, width: 200, height: 100, x: [0, 2], y: [0, 2] });
  const [xs, ys] = drawn[0];
  assert.deepEqual(xs.slice(-2), [100, 200]);
  assert.deepEqual(ys.slice(-2), [100, 0]);
  assert.ok(!Number.isFinite(ys.at(-3)));
});

test('phase of three lags falls without jumps', () => {
  const w = Array.from({ length: 200 }, (_, i) => 10 ** (-2 + i * 0.03));
  // 1/(1 + iω)³, whose phase is −3 atan ω
  const phases = w.map((v) => -3 * Math.atan(v));
  const sizes = w.map((v) => (1 + v * v) ** -1.5);
  const re = w.map((_, i) => sizes[i] * Math.cos(phases[i]));
  const im = w.map((_, i) => sizes[i] * Math.sin(phases[i]));
  unwrapped(re, im).forEach((phase, i) => assert.ok(Math.abs(phase - (phases[i] * 180) / Math.PI) < 1e-9));
});

test('a loop that is cut is shown as L with its margins', () => {
  const margins = { gain_margins: [{ frequency_hz: 5, db: 6.02, factor: 2 }], gain_margin: { frequency_hz: 5, db: 6.02 }, phase_margins: [], phase_margin: null };
  const answer = { frequency_hz: [1, 5], responses: [{ input: 'u', output: 'u', re: [0, 0.5], im: [1, 0] }], cut: 'u', margins };
  const [gain, phase] = bodeFigures(answer);
  assert.ok(Math.abs(gain.lines[0].y[1] + 6.0206) < 1e-3);
  assert.ok(Math.abs(phase.lines[0].y[0] + 90) < 1e-9 && Math.abs(phase.lines[0].y[1] + 180) < 1e-9);
  assert.ok(gain.marks.some((mark) => mark.text?.includes('6.02 dB')));
  const nyquist = nyquistFigure(answer);
  assert.ok(nyquist.equal && nyquist.marks.some((mark) => mark.x === -1 && mark.y === 0));
  assert.equal(nyquist.lines[0].x[1], -0.5);
});

test('stable and unstable roots differ in shape and colour', () => {
  const modes = [{ eigenvalue: [-1, 5], stable: true, name: '' }, { eigenvalue: [0.5, 9], stable: false, name: '' }];
  const [stable, unstable] = poleFigure(modes, 1).lines;
  assert.notEqual(stable.symbol, unstable.symbol);
  assert.notEqual(stable.colour, unstable.colour);
  assert.deepEqual(unstable.indices, [1]);
});

test('a locus knows value and root of every point', () => {
  const sweep = {
    path: 'kp',
    points: [1, 2],
    branches: [
      { roots: [[-1, 2], [0.1, 3]], grows: [false, true] },
      { roots: [[-4, 0], null], grows: [false, false] },
    ],
  };
  const { lines } = locusFigure(sweep, 'kp');
  assert.deepEqual(lines[0].root(1), { value: 2, eigenvalue: [0.1, 3] });
  const growing = lines.find((line) => line.label === 'unstable');
  assert.deepEqual(growing.root(0), { value: 2, eigenvalue: [0.1, 3] });
  assert.ok(Number.isNaN(lines[1].x[1]));
});

test('a root on the axis to rounding is painted as the program judges it', () => {
  const sweep = { path: 'kp', points: [1, 2], branches: [{ roots: [[1e-15, 2], [3e-14, 3]], grows: [false, false] }] };
  assert.equal(locusFigure(sweep, 'kp').lines.find((line) => line.label === 'unstable'), undefined);
});

test('a view with few modes does not cut the next one', async () => {
  const counts = { flexible: 14, rigid: 2 };
  const values = { modes: { loop: 'closed', bodies: 'flexible', modes: Array(14).fill({}) }, values: {} };
  const page = {
    store: { get: (key) => values[key] },
    source: {
      ask: async (_, { count, ...view }) => ({ ...view, modes: Array(Math.min(count, counts[view.bodies])).fill({}) }),
    },
  };
  for (const bodies of ['rigid', 'flexible']) {
    values.modes = await askModes(page, values.values, { bodies });
    assert.equal(values.modes.modes.length, counts[bodies]);
  }
});

test('rounding has no origin of damping', () => {
  assert.deepEqual(dampingParts({ arm: 3e-17, servo: -3e-17 }), []);
  assert.deepEqual(dampingParts({ arm: 1e-7, servo: -3e-17 }), [['arm', 1e-7]]);
});

test('sliders reach their ends on both scales', () => {
  assert.deepEqual(rangeFor(3, false), [0, 6]);
  assert.deepEqual(rangeFor(-3, false), [-6, 0]);
  assert.deepEqual(rangeFor(0, true), [-1, 1]);
  for (const log of [false, true]) {
    const range = rangeFor(5, log);
    assert.equal(stepOfValue(5, range, log), 500);
    assert.ok(Math.abs(valueOfStep(500, range, log) - 5) < 1e-9);
    assert.equal(valueOfStep(1000, range, log), range[1]);
  }
});

test('the mode that is kept is the nearest one', () => {
  const modes = [[-1, 0], [-1, 10], [-2, 30]].map((eigenvalue) => ({ eigenvalue }));
  assert.equal(nearestMode(modes, [-1.5, 26]), 2);
  assert.equal(nearestMode(modes, [-1, -9]), 1);
});

test('of questions that come meanwhile only the newest is asked', async () => {
  const asked = [];
  const ask = newestOnly(async (value) => {
    asked.push(value);
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
  await Promise.all([ask(1), ask(2), ask(3), ask(4)]);
  assert.deepEqual(asked, [1, 4]);
});

test('a run that goes on is renewed, what the page made stays', () => {
  const old = [{ id: '0', records: 5, growing: true }, { id: '1', name: 'kp = 3', recomputed: true }];
  const fresh = [{ id: '0', records: 9, growing: true }, { id: '1', name: 'run 1' }];
  assert.deepEqual(mergeResults(old, fresh), [fresh[0], old[1]]);
});

test('lines are dark enough on white', () => {
  for (const colour of kColours) assert.ok(contrast(luminance(colour), 1) >= 3, colour);
});

test('a response goes from loads and signals to signals and sensors; a source makes no loop', () => {
  const block = (name, kind, outputs) => ({ name, kind, outputs });
  const sensors = [{ name: 'tip' }, { name: 'angle' }];
  const loads = [{ name: 'push', follows: [{ signal: '' }] }, { name: 'kick', follows: [{ signal: 'wave' }] }];
  const results = [{ channels: [{ name: 'tip.x' }, { name: 'tip.y' }] }];
  const open = {
    blocks: [block('wave', 'block', ['wave']), block('loads.kick', 'actuator', [])],
    wires: [{ from: 'wave', to: 'loads.kick' }],
  };
  assert.deepEqual(signalsOf({ diagram: open, loads, sensors }, results), {
    cuts: ['wave'],
    inputs: ['push', 'wave'],
    outputs: ['wave', 'tip.x', 'tip.y', 'angle'],
    firstCut: undefined,
  });
  const closed = {
    blocks: [block('angle', 'sensor', ['angle']), block('pid', 'block', ['pid']), block('motor', 'actuator', ['motor']), ...open.blocks],
    wires: [...open.wires, { from: 'angle', to: 'pid' }, { from: 'pid', to: 'motor' }],
  };
  assert.equal(signalsOf({ diagram: closed, loads, sensors }, []).firstCut, 'pid');
});
