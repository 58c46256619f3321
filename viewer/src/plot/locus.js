// Roots over one number of the model: as a locus in the s plane, or as frequency and damping over the number.
import { element } from '../element.js';
import { showModesAt } from '../recompute.js';
import { makeStatus } from './card.js';
import { makeCharts } from './charts.js';
import { formatNumber, writeUnit } from './numbers.js';
import { campbellFigures, describeRoot, locusFigure } from './root_figures.js';

// kind: 'locus' or 'campbell'.
export function makeLocusPlot(page, options, kind) {
  const { source, store, scene } = page;
  const status = makeStatus();
  const charts = makeCharts({ onpick: show });
  const names = scene.parameters.map(({ path }, i) => element('option', { value: i }, [path]));
  const choice = element('select', { 'aria-label': 'Parameter', onchange: propose }, names);
  const number = (label, value) => element('input', { type: 'number', step: 'any', 'aria-label': label, value });
  const [from, to, count] = [number('From'), number('To'), number('Number of points', 25)];
  const log = element('input', { type: 'checkbox', onchange: propose });
  const button = element('button', { type: 'submit', class: 'primary' }, ['Compute']);
  let isBusy = false;
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
    const range = { from: Number(from.value), to: Number(to.value), count: Number(count.value), log: log.checked };
    button.textContent = 'Stop';
    isBusy = true;
    status.show('Computing …');
    try {
      const sweep = await source.ask('sweep', { values: store.get('values'), path, ...range });
      charts.path = path;
      charts.setFigures(kind === 'locus' ? [locusFigure(sweep, path)] : campbellFigures(sweep, path, written));
      charts.resetZoom();
      status.show('Click a point to see its mode move.');
    } catch (error) {
      status.show(error.message, true);
    }
    button.textContent = 'Compute';
    isBusy = false;
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
    if (isBusy) source.ask('stop', {}).catch((error) => status.show(error.message, true));
    else compute();
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
