// How uPlot is set up. All its axes are even; those of logarithms are made so by us.
import uPlot from 'uplot';
import { place } from './figure.js';
import { labelAxis } from './numbers.js';

const kGrid = '#e6eaee';
const kInk = '#424a53';
const kEdge = '#8c959f';
const kFont = '11px system-ui, sans-serif';
const kSpace = { x: 64, y: 32 }; // px between two ticks

// The size of the area between the axes in CSS pixels.
export function areaOf(u) {
  return { width: u.bbox.width / uPlot.pxRatio, height: u.bbox.height / uPlot.pxRatio };
}

function labelsOf(plot, key, u, from, to) {
  const { unit, log, steps } = plot.figure[key];
  const { width, height } = areaOf(u);
  return labelAxis({ from, to, count: (key === 'x' ? width : height) / kSpace[key], unit, log, steps });
}

function makeAxis(plot, key, size) {
  return {
    size,
    stroke: kInk,
    font: kFont,
    labelFont: kFont,
    labelSize: 18,
    gap: 4,
    grid: { stroke: kGrid, width: 1 },
    ticks: { stroke: kGrid, width: 1, size: 4 },
    border: { show: true, stroke: kEdge, width: 1 },
    splits: (u, i, from, to) => labelsOf(plot, key, u, from, to).values.map((value) => place(plot.figure[key], value)),
    values: (u) => labelsOf(plot, key, u, u.scales[key].min, u.scales[key].max).texts,
    filter: (u, splits) => splits,
    label: () => {
      const { label } = plot.figure[key];
      const unit = plot.range ? labelsOf(plot, key, plot.u, ...plot.range[key]).unit : '';
      return unit ? `${label} [${unit}]` : label;
    },
  };
}

// `plot` has figure and range, see plot.js.
export function optionsOf(plot, { width, height, hooks }) {
  return {
    width,
    height,
    hooks,
    legend: { show: false },
    padding: [8, 14, 0, 0],
    scales: { x: { time: false, range: () => plot.range?.x ?? [0, 1] }, y: { range: () => plot.range?.y ?? [0, 1] } },
    series: [{}, { scale: 'y', paths: () => null, points: { show: false } }],
    axes: [makeAxis(plot, 'x', 26), makeAxis(plot, 'y', 46)],
    cursor: { drag: { x: true, y: true, uni: 30, setScale: false }, points: { show: false }, y: true },
  };
}
