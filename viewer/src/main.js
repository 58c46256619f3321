// Starts the page: opens the source, lays out the panels and shows what went wrong.
import './style.css';
import { element, nameOf } from './element.js';
import { followRuns } from './follow.js';
import { makeLayout } from './layout.js';
import { makeDiagramPanel } from './panels/diagram.js';
import { makeModesPanel } from './panels/modes.js';
import { makeParametersPanel } from './panels/parameters.js';
import { makePlaybackPanel } from './panels/playback.js';
import { makePlotsPanel } from './panels/plots.js';
import { makeSummaryPanel } from './panels/summary.js';
import { makeTreePanel } from './panels/tree.js';
import { makeTabs } from './tabs.js';
import { makeStage } from './scene/stage.js';
import { openSource } from './source.js';
import { makeStore } from './store.js';

// What the page starts with. `moves` tells whether time or a mode moves the machine.
const kStart = {
  result: null, // id of the result that moves the machine
  results: [], // as in results.json
  time: 0, // s, of the scrubber
  playing: false,
  speed: 1,
  waiting: false, // for frames of this time
  moves: 'time',
  modes: null, // as in modes.json
  noModes: '', // why there are none
  mode: 0, // index in `modes`
  scale: 1, // of displacements in time
  amplitude: 1, // of a mode; at 1 its largest displacement is a tenth of the machine
  swinging: true, // whether a mode moves
  decay: false, // whether it dies out as its damping says
  colour: 'none', // a field's name
  trails: false,
  follow: null, // whether the camera moves with the machine; null: if it must
  selected: null, // {kind: 'node', 'body', 'beam', 'joint', 'spring', 'load', 'sensor', 'block' or 'actuator', name}
  values: {}, // changed numbers of the model, by path
  notice: '', // what the user should know
};

async function start(app) {
  const source = openSource(document, window.location);
  const store = makeStore({ ...kStart });
  const [scene, results, modes] = await Promise.all(
    ['scene.json', 'results.json', 'modes.json'].map((name) => source.json(name)),
  );
  document.title = `${scene.title || nameOf(scene.file)} · Flexloop`;
  store.set({
    results,
    modes: modes?.modes.length > 0 ? modes : null,
    noModes: modes?.warnings?.join(' ') ?? '',
    result: results[0]?.id ?? null,
    moves: results.some((result) => result.frames) || !(modes?.modes.length > 0) ? 'time' : 'mode',
    notice: scene.notice,
  });
  const page = { source, store, scene };
  const layout = makeLayout({
    tree: makeTreePanel(page),
    stage: element('section', { class: 'stage', 'aria-label': 'machine' }, [makeStage(page), makePlaybackPanel(page)]),
    side: makeTabs([
      ['Modes', makeModesPanel(page)],
      ['Plots', makePlotsPanel(page)],
      ['Diagram', makeDiagramPanel(page)],
      ['Parameters', makeParametersPanel(page)],
      ['Summary', makeSummaryPanel(page)],
    ]),
  });
  app.replaceChildren(makeHeader(page, layout.controls), layout.main);
  followRuns(page);
}

function makeHeader({ store, scene }, controls) {
  const notice = element('p', { class: 'notice', role: 'alert' });
  store.on(['notice'], (values) => {
    notice.textContent = values.notice;
    notice.hidden = values.notice === '';
  });
  const file = element('span', { class: 'file' }, [scene.title ? nameOf(scene.file) : '']);
  const title = scene.title || nameOf(scene.file);
  return element('header', {}, [element('h1', { title }, [title]), file, notice, controls]);
}

const app = document.getElementById('app');
start(app).catch((error) => {
  app.replaceChildren(element('p', { class: 'notice', role: 'alert' }, [error.message]));
  console.error(error);
});
