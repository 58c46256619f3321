// Plots of channels: over time, and their spectra.
import { element } from '../element.js';
import { makeStatus } from './card.js';
import { makeCharts } from './charts.js';
import { makeChooser } from './chooser.js';
import { writeUnit } from './numbers.js';
import { colour, dash } from './palette.js';

const kMostRuns = 4; // that are shown unasked

// What both kinds share. kind: {title, what, load(result, index) → {x, y}, figure(unit, lines), group, onclick}
function makeChannels({ store }, data, kind, channels) {
  const state = { channels: new Set(channels), hidden: new Set() };
  const seen = new Set();
  const holds = (result, i) => data.holds(result, i, kind.what);
  const status = makeStatus();
  const charts = makeCharts({ group: kind.group, onclick: kind.onclick, height: 220 });
  const results = () => store.get('results');
  noticeResults();
  const chooser = makeChooser({ state, results, holds, onchange: load });
  let newest = 0;

  // Colour tells channels apart, dashes results; of one result both tell channels apart.
  function wanted() {
    const hasSome = (result) => result.channels.some(({ name }, i) => state.channels.has(name) && holds(result, i));
    const shown = results().filter((result) => !state.hidden.has(result.id) && hasSome(result));
    return [...state.channels].flatMap((name, k) =>
      shown.flatMap((result, r) => {
        const index = result.channels.findIndex((channel) => channel.name === name);
        if (index < 0 || !holds(result, index)) return [];
        const several = shown.length > 1 ? { channel: name, run: result.name } : {};
        const label = shown.length > 1 ? `${name} · ${result.name}` : name;
        return [{ ...several, result, index, label, unit: result.channels[index].unit, colour: colour(k), dash: dash(r) }];
      }),
    );
  }

  async function load() {
    const mine = ++newest;
    try {
      const lines = await Promise.all(
        wanted().map(async ({ result, index, ...line }) => ({ ...line, ...(await kind.load(result, index)) })),
      );
      if (mine !== newest) return;
      const units = [...new Set(lines.map((line) => line.unit))];
      const charted = units.map((unit) => lines.filter((line) => line.unit === unit));
      for (const chart of charted) chart.forEach((line, k) => (line.dash = line.run ? line.dash : dash(k)));
      charts.setFigures(charted.map((chart, i) => kind.figure(units[i], chart)));
      status.show(lines.length > 0 ? '' : 'Choose a channel above.');
    } catch (error) {
      status.show(error.message, true);
    }
  }

  // Of many results the first are shown; those that are made here meanwhile too.
  function noticeResults() {
    const isFirst = seen.size === 0;
    results().forEach(({ id }, i) => {
      if (isFirst && i >= kMostRuns) state.hidden.add(id);
      seen.add(id);
    });
  }

  const stop = store.on(['results'], () => {
    noticeResults();
    chooser.update();
    load();
  });
  return { title: kind.title, settings: [chooser.element], charts, status, load, destroy: stop };
}

function yAxis(unit, lines) {
  const names = new Set(lines.map((line) => line.channel ?? line.label));
  return { label: names.size === 1 ? [...names][0] : '', unit };
}

export function makeTimePlot(page, { data, groups }, channels) {
  const { store } = page;
  const content = makeChannels(page, data, {
    title: 'Time',
    what: 'channel',
    group: groups.time,
    load: (result, index) => data.channel(result, index),
    figure: (unit, lines) => ({ x: { label: 'time', unit: 's' }, y: yAxis(unit, lines), lines }),
    onclick: (time) => store.set({ time, moves: 'time' }),
  }, channels);
  const stop = store.on(['time'], ({ time }) => content.charts.setMarker(time));
  return { ...content, destroy: () => [content.destroy, stop].forEach((end) => end()) };
}

export function makeSpectrumPlot(page, { data, groups }, channels) {
  const decibel = (y) => y.map((value) => 20 * Math.log10(Math.max(value, 1e-300)));
  const cache = new WeakMap();
  const inDecibel = (y) => cache.get(y) ?? cache.set(y, decibel(y)).get(y);
  const scale = element('select', { 'aria-label': 'Scales', onchange: () => content.load() }, [
    element('option', { value: 'log' }, ['log – log']),
    element('option', { value: 'db' }, ['log – dB']),
    element('option', { value: 'linear' }, ['linear']),
  ]);
  const content = makeChannels(page, data, {
    title: 'Spectrum',
    what: 'spectrum',
    group: groups.frequency,
    load: (result, index) => data.spectrum(result, index),
    figure: (unit, lines) => {
      const db = scale.value === 'db';
      return {
        x: { label: 'frequency', unit: 'Hz', log: scale.value !== 'linear' },
        y: db ? { label: `amplitude (0 dB = 1 ${writeUnit(unit)})`, unit: 'dB' } : { label: 'amplitude', unit, log: scale.value === 'log' },
        lines: db ? lines.map((line) => ({ ...line, y: inDecibel(line.y), unit: 'dB' })) : lines,
      };
    },
  }, channels);
  content.settings.push(element('div', { class: 'settings' }, [element('label', {}, ['Scales ', scale])]));
  return content;
}
