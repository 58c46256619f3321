// Numbers of the model as sliders. The program computes again at every change: modes at once, a run on wish.
import './parameters.css';
import { element, nameOf } from '../element.js';
import { makeStatus } from '../plot/card.js';
import { formatNumber, formatQuantity } from '../plot/numbers.js';
import { makePlot } from '../plot/plot.js';
import { poleFigure } from '../plot/root_figures.js';
import { askModes, nearestMode, newestOnly } from '../recompute.js';
import { makeSliderRow } from './slider_row.js';

const kWait = 80; // ms in which moves of a slider become one question
const kRuns = 3; // that are kept of those that were simulated here

export function makeParametersPanel(page) {
  const { source, store, scene } = page;
  const panel = element('section', { class: 'parameters' });
  if (!source.canAsk) {
    const way = `To change numbers and see modes and motions again, open the model: flexloop view ${nameOf(scene.file)}`;
    panel.append(element('p', { class: 'hint' }, [`A report cannot compute. ${way}`]));
    return panel;
  }
  if (scene.parameters.length === 0) {
    panel.append(element('p', { class: 'hint' }, ['The model has no number that may be changed.']));
    return panel;
  }
  const status = makeStatus();
  const simulate = element('input', { type: 'checkbox', onchange: () => simulate.checked && recompute() });
  const rows = scene.parameters.map((parameter) => makeSliderRow(parameter, (value) => change(parameter.path, value)));
  const filter = element('input', { type: 'search', placeholder: 'Filter', 'aria-label': 'Filter parameters', oninput: narrow });
  const resetAll = element('button', { type: 'button', onclick: () => setAll({}) }, ['Reset all']);
  const groups = makeGroups(rows);
  const recompute = newestOnly(() => answer(page, { simulate: simulate.checked, status }));
  let timer = 0;

  function change(path, value) {
    const { [path]: old, ...others } = store.get('values');
    setAll(value === undefined ? others : { ...others, [path]: value });
  }

  function setAll(values) {
    store.set({ values });
    clearTimeout(timer);
    timer = setTimeout(recompute, kWait);
  }

  function narrow() {
    const wanted = filter.value.toLowerCase();
    for (const row of rows) row.element.hidden = !row.parameter.path.toLowerCase().includes(wanted);
    for (const group of groups) group.hidden = !group.querySelector('.slider-row:not([hidden])');
  }

  store.on(['values'], ({ values }) => {
    for (const row of rows) row.set(values[row.parameter.path]);
    resetAll.disabled = Object.keys(values).length === 0;
  });
  panel.append(
    element('div', { class: 'parameter-bar' }, [filter, element('label', {}, [simulate, 'simulate too']), resetAll]),
    element('div', { class: 'parameter-list' }, groups),
    status,
    makePoles(page),
  );
  return panel;
}

function makeGroups(rows) {
  const names = [...new Set(rows.map((row) => row.parameter.group))];
  return names.map((name) =>
    element('fieldset', {}, [
      element('legend', {}, [name[0].toUpperCase() + name.slice(1)]),
      ...rows.filter((row) => row.parameter.group === name).map((row) => row.element),
    ]),
  );
}

// Asks for modes, and for a run if wanted; tells how long it took, or what was wrong.
async function answer(page, { simulate, status }) {
  const { source, store } = page;
  const values = store.get('values');
  const start = performance.now();
  const took = () => formatQuantity((performance.now() - start) / 1000, 's', 2);
  status.show('Computing …');
  try {
    const near = store.get('modes')?.modes[store.get('mode')]?.eigenvalue;
    const modes = await askModes(page, values);
    store.set({ modes, mode: near ? nearestMode(modes.modes, near) : 0 });
    const unstable = modes.modes.filter((mode) => !mode.stable).length;
    const found = `${modes.modes.length} modes in ${took()}${unstable ? `, ${unstable} unstable` : ', all stable'}`;
    status.show(found);
    if (!simulate) return;
    status.show(`${found}; simulating …`);
    addRun(store, await source.ask('run', { values }), values);
    status.show(`${found}; with the run ${took()}`);
  } catch (error) {
    status.show(error.message, true);
  }
}

// The run joins the others; the oldest of those made here goes.
function addRun(store, entry, values) {
  const changed = Object.entries(values).map(([path, value]) => `${path.replace(/^blocks\./, '')} = ${formatNumber(value)}`);
  const made = { ...entry, name: changed.join(', ') || 'as in the model', recomputed: true };
  const others = store.get('results').filter((result) => result.id !== made.id);
  const old = others.filter((result) => result.recomputed).slice(0, -(kRuns - 1));
  const results = [...others.filter((result) => !old.includes(result)), made];
  const kept = results.some((result) => result.id === store.get('result'));
  store.set({ results, result: kept ? store.get('result') : made.id });
}

// Poles as they were when the page opened, and as they are.
function makePoles({ store }) {
  const first = store.get('modes')?.modes ?? [];
  const before = first.map((mode) => mode.eigenvalue);
  const figure = () => poleFigure(store.get('modes')?.modes ?? [], store.get('mode'), { before });
  const plot = makePlot({
    figure: figure(),
    height: 250,
    label: 'poles before and after the change',
    onpick: (line, k) => line.indices && store.set({ mode: line.indices[k], moves: 'mode' }),
  });
  store.on(['modes', 'mode'], () => plot.setFigure(figure()));
  return element('div', { class: 'parameter-poles' }, [element('h3', {}, ['Poles']), plot.element]);
}
