// Numbers of the model as sliders. The program computes again at every change: modes at once, a run on wish.
import './parameters.css';
import { element, nameOf } from '../element.js';
import { makeStatus } from '../plot/card.js';
import { makeTimePlot } from '../plot/channels.js';
import { dataOf } from '../plot/data.js';
import { formatNumber, formatQuantity } from '../plot/numbers.js';
import { makeGroup, makePlot } from '../plot/plot.js';
import { poleFigure } from '../plot/root_figures.js';
import { askModes, nearestMode, newestOnly } from '../recompute.js';
import { makeSliderRow } from './slider_row.js';

const kWait = 80; // ms in which moves of a slider become one question
const kRuns = 3; // that are kept of those that were simulated here
const kSmall = 40000; // records times nodes: such a run takes less than a second and follows the slider unasked
const kSections = { body: 'bodies', load: 'loads', block: 'blocks' }; // others have an s

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
  const simulate = element('input', {
    type: 'checkbox',
    checked: isSmall(store.get('results')[0], scene),
    onchange: () => simulate.checked && recompute(),
  });
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
  store.on(['selected'], ({ selected }) => showRowsOf(selected, rows));
  panel.append(
    element('div', { class: 'parameter-bar' }, [filter, element('label', {}, [simulate, 'simulate too']), resetAll]),
    element('div', { class: 'parameter-list' }, groups),
    status,
    element('div', { class: 'parameter-figures' }, [makePoles(page), makeResponse(page)]),
  );
  return panel;
}

const isSmall = (result, { nodes }) => result !== undefined && result.records * nodes.length < kSmall;

// The numbers of what is selected in the tree, the machine or the diagram.
function showRowsOf(selected, rows) {
  const start = selected ? `${kSections[selected.kind] ?? `${selected.kind}s`}.${selected.name}.` : null;
  const found = rows.filter((row) => {
    const isMeant = start !== null && row.parameter.path.startsWith(start);
    row.element.classList.toggle('meant', isMeant);
    return isMeant;
  });
  for (const row of [found.at(-1), found[0]]) row?.element.scrollIntoView({ block: 'nearest' });
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

// The run joins the others and moves the machine; the oldest of those made here goes.
function addRun(store, entry, values) {
  const changed = Object.entries(values).map(([path, value]) => `${path.replace(/^blocks\./, '')} = ${formatNumber(value)}`);
  const made = { ...entry, name: changed.join(', ') || 'as in the model', recomputed: true };
  const others = store.get('results').filter((result) => result.id !== made.id);
  const old = others.filter((result) => result.recomputed).slice(0, -(kRuns - 1));
  store.set({ results: [...others.filter((result) => !old.includes(result)), made], result: made.id });
}

// Poles as they were when the page opened, and as they are.
function makePoles({ store }) {
  const first = store.get('modes')?.modes ?? [];
  const before = first.map((mode) => mode.eigenvalue);
  const figure = () => poleFigure(store.get('modes')?.modes ?? [], store.get('mode'), { before });
  const plot = makePlot({
    figure: figure(),
    height: 200,
    label: 'poles before and after the change',
    onpick: (line, k) => line.indices && store.set({ mode: line.indices[k], moves: 'mode' }),
  });
  store.on(['modes', 'mode'], () => plot.setFigure(figure()));
  return element('div', { class: 'parameter-poles' }, [element('h3', {}, ['Poles']), plot.element]);
}

// A channel of all runs, those from before the change among them, as soon as there is a run.
function makeResponse(page) {
  const { source, store } = page;
  const box = element('div', { class: 'parameter-response', hidden: true });
  store.on(['results'], ({ results: [first] }) => {
    if (!first || first.channels.length === 0 || !box.hidden) return;
    const shared = { data: dataOf(source), groups: { time: makeGroup() } };
    const plot = makeTimePlot(page, shared, [first.channels[0].name]);
    box.append(element('h3', {}, ['Response']), ...plot.settings, plot.status, plot.charts.element);
    box.hidden = false;
  });
  return box;
}
