// The block diagram, with the values of its signals at the time of the scrubber.
import './diagram.css';
import { drawDiagram } from '../diagram/draw.js';
import { idOf, layoutDiagram } from '../diagram/layout.js';
import { makePanZoom } from '../diagram/pan_zoom.js';
import { element, nameOf } from '../element.js';
import { dataOf } from '../plot/data.js';
import { nearestIndex } from '../plot/decimate.js';
import { formatQuantity } from '../plot/numbers.js';

const kNotRecorded = 'No signal of the diagram is among the outputs of the run.';
const kNotRun = 'Signals are shown after a run.';

export function makeDiagramPanel({ source, store, scene }) {
  const panel = element('section', { class: 'diagram' });
  const layout = layoutDiagram(scene.diagram);
  if (layout.boxes.length === 0) {
    panel.append(element('p', { class: 'hint' }, ['The model has no controller: no block or actuator reads a signal.']));
    return panel;
  }
  const { svg, values } = drawDiagram(layout, scene.title || nameOf(scene.file));
  const view = makePanZoom(svg, layout);
  const note = element('span', { class: 'hint', role: 'status' });
  const button = (label, title, onclick) => element('button', { type: 'button', title, 'aria-label': title, onclick }, [label]);
  panel.append(
    element('div', { class: 'diagram-bar' }, [
      button('Fit', 'Show the whole diagram', () => view.fit()),
      button('+', 'Enlarge', () => view.zoom(0.8)),
      button('−', 'Make smaller', () => view.zoom(1.25)),
      note,
    ]),
    svg,
    makeKey(),
  );
  addSelection(svg, store, scene.diagram);
  const live = makeLive({ source, store, values, note });
  panel.addEventListener('shown', live);
  store.on(['result', 'results', 'time'], () => panel.hidden || live());
  return panel;
}

function makeKey() {
  const entry = (kind) => element('li', { class: kind }, [kind]);
  return element('ul', { class: 'diagram-key', 'aria-label': 'shapes' }, ['sensor', 'block', 'actuator'].map(entry));
}

// Loads and driven joints read signals as actuators do, but are other things of the model.
const kThings = { load: 'load', drive: 'joint' };
const thingOf = ({ kind, type, name }) => ({ kind: kind === 'actuator' ? (kThings[type] ?? kind) : kind, name });

function addSelection(svg, store, diagram) {
  const blocks = new Map(diagram.blocks.map((block) => [idOf(block), block]));
  const isChosen = (id, selected) => {
    const thing = thingOf(blocks.get(id));
    return thing.kind === selected?.kind && thing.name === selected?.name;
  };
  const choose = (target) => {
    const block = blocks.get(target.closest('.box')?.dataset.id);
    if (block) store.set({ selected: thingOf(block) });
  };
  svg.addEventListener('click', (event) => choose(event.target));
  svg.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    choose(event.target);
  });
  store.on(['selected'], ({ selected }) => {
    const id = [...blocks.keys()].find((each) => isChosen(each, selected));
    for (const box of svg.querySelectorAll('.box')) {
      box.classList.toggle('chosen', box.dataset.id === id);
      box.setAttribute('aria-pressed', String(box.dataset.id === id));
    }
    for (const wire of svg.querySelectorAll('.wire')) wire.classList.toggle('chosen', wire.dataset.from === id || wire.dataset.to === id);
  });
}

// Fetches the channels that are named as signals when the diagram is seen, and writes their values.
function makeLive({ source, store, values, note }) {
  const data = dataOf(source);
  let loaded = null; // {result, records, channels: [{text, unit, x, y}]}

  async function load(result) {
    loaded = { result: result.id, records: result.records, channels: [] };
    const mine = loaded;
    for (const text of values.values()) text.textContent = '';
    const wanted = result.channels
      .map(({ name, unit }, index) => ({ text: values.get(name), unit, index }))
      .filter(({ text, index }) => text && data.holds(result, index, 'channel'));
    const found = await Promise.all(wanted.map(async (each) => ({ ...each, ...(await data.channel(result, each.index)) })));
    if (mine !== loaded) return;
    loaded.channels = found;
    write();
  }

  function write() {
    const time = store.get('time');
    for (const { text, unit, x, y } of loaded?.channels ?? []) text.textContent = formatQuantity(y[nearestIndex(x, time)], unit, 3);
    const count = loaded?.channels.length ?? 0;
    note.textContent = count ? `signals at ${formatQuantity(time, 's', 5)}` : loaded ? kNotRecorded : kNotRun;
  }

  return () => {
    const result = store.get('results').find(({ id }) => id === store.get('result'));
    if (result && (loaded?.result !== result.id || loaded.records !== result.records)) {
      load(result).catch((error) => store.set({ notice: error.message }));
    } else write();
  };
}
