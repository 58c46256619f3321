// Frequency responses: Bode and Nyquist plots of a loop that is cut, or from one signal to another.
import { element } from '../element.js';
import { newestOnly } from '../recompute.js';
import { makeStatus } from './card.js';
import { makeCharts } from './charts.js';
import { bodeFigures, marginText, nyquistFigure } from './response_figures.js';

const kPoints = 600;

// kind: 'bode' or 'nyquist'.
export function makeResponsePlot({ source, store, scene }, { groups }, kind) {
  const { signals, firstCut } = signalsOf(scene.diagram);
  const select = (label, chosen) => {
    const options = signals.map((signal) => element('option', { value: signal, selected: signal === chosen }, [signal]));
    return element('select', { 'aria-label': label, onchange: ask }, options);
  };
  const number = (label) =>
    element('input', { type: 'number', min: 0, step: 'any', placeholder: 'auto', 'aria-label': label, onchange: ask });
  const what = element('select', { 'aria-label': 'Response of', onchange: ask }, [
    element('option', { value: 'cut' }, ['loop, cut at']),
    element('option', { value: 'path' }, ['response from']),
  ]);
  const [cut, from, to] = [select('Cut at', firstCut), select('From', signals[0]), select('To', firstCut)];
  const [low, high] = [number('Lowest frequency [Hz]'), number('Highest frequency [Hz]')];
  const path = element('span', { class: 'settings' }, [from, ' to ', to]);
  const status = makeStatus();
  const margins = element('p', { class: 'hint' });
  // In a Nyquist plot a point only tells its frequency.
  const charts = makeCharts(kind === 'bode' ? { group: groups.frequency, height: 190 } : { onpick: () => {} });

  const compute = newestOnly(async () => {
    const ports = what.value === 'cut' ? { cut: cut.value } : { from: from.value, to: to.value };
    const range = low.value && high.value ? { range: [Number(low.value), Number(high.value)] } : {};
    try {
      const answer = await source.ask('frf', { values: store.get('values'), ...ports, ...range, points: kPoints });
      charts.setFigures(kind === 'bode' ? bodeFigures(answer) : [nyquistFigure(answer)]);
      margins.textContent = marginText(answer.margins);
      status.show('');
    } catch (error) {
      status.show(error.message, true);
    }
  });
  function ask() {
    cut.hidden = what.value !== 'cut';
    path.hidden = what.value === 'cut';
    if (signals.length > 0) compute();
    else status.show('The model has no signals: no sensors and no blocks.');
  }
  const stop = store.on(['values'], ask);
  const settings = element('div', { class: 'settings' }, [what, cut, path, element('span', { class: 'settings' }, [low, '–', high, 'Hz'])]);
  return { title: kind === 'bode' ? 'Bode' : 'Nyquist', settings: [settings, margins], charts, status, destroy: stop };
}

function signalsOf(diagram) {
  const signals = diagram.blocks.flatMap((block) => block.outputs);
  const actuators = new Set(diagram.blocks.filter((block) => block.kind === 'actuator').map((block) => block.name));
  return { signals, firstCut: diagram.wires.find((wire) => actuators.has(wire.to))?.from ?? signals[0] };
}
