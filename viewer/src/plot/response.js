// Frequency responses: Bode and Nyquist plots of a loop that is cut, or from one signal to another.
import { element } from '../element.js';
import { newestOnly } from '../recompute.js';
import { makeStatus } from './card.js';
import { makeCharts } from './charts.js';
import { bodeFigures, marginText, nyquistFigure } from './response_figures.js';
import { signalsOf } from './response_signals.js';

const kPoints = 600;
const kNoLoop = 'The model has no controller whose loop could be cut.';
const kNoPath = 'A response goes from a load or a signal to a sensor or a signal; the model has none of one kind.';

// kind: 'bode' or 'nyquist'.
export function makeResponsePlot({ source, store, scene }, { groups }, kind) {
  const { cuts, inputs, outputs, firstCut } = signalsOf(scene, store.get('results'));
  const select = (label, list, chosen) => {
    const options = list.map((signal) => element('option', { value: signal, selected: signal === chosen }, [signal]));
    return element('select', { 'aria-label': label, onchange: ask }, options);
  };
  const number = (label) =>
    element('input', { type: 'number', min: 0, step: 'any', placeholder: 'auto', 'aria-label': label, onchange: ask });
  const what = element('select', { 'aria-label': 'Response of', onchange: ask }, [
    element('option', { value: 'cut' }, ['loop, cut at']),
    element('option', { value: 'path' }, ['response from']),
  ]);
  if (firstCut === undefined) what.value = 'path';
  const cut = select('Cut at', cuts, firstCut ?? cuts[0]);
  const [from, to] = [select('From', inputs, inputs[0]), select('To', outputs, firstCut ?? outputs.find((name) => name !== inputs[0]))];
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
      const figures = kind === 'bode' ? bodeFigures(answer) : [nyquistFigure(answer)];
      charts.setFigures(figures);
      margins.textContent = marginText(answer.margins);
      const isNothing = figures[0].lines.every(({ y }) => y.every((value) => !Number.isFinite(value)));
      status.show(isNothing ? 'The output does not answer to this input: the response is zero.' : '');
    } catch (error) {
      status.show(error.message, true);
    }
  });
  function ask() {
    cut.hidden = what.value !== 'cut';
    path.hidden = what.value === 'cut';
    const [some, missing] = what.value === 'cut' ? [cuts, kNoLoop] : [inputs.length > 0 ? outputs : [], kNoPath];
    if (some.length > 0) compute();
    else status.show(missing);
  }
  const stop = store.on(['values'], ask);
  const settings = element('div', { class: 'settings' }, [what, cut, path, element('span', { class: 'settings' }, [low, '–', high, 'Hz'])]);
  return { title: kind === 'bode' ? 'Bode' : 'Nyquist', settings: [settings, margins], charts, status, destroy: stop };
}
