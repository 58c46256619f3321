// Plots of any kind, added and removed by the user; they share cursor, time and zoom.
import './plots.css';
import { element, nameOf } from '../element.js';
import { makeCard } from '../plot/card.js';
import { makeSpectrumPlot, makeTimePlot } from '../plot/channels.js';
import { dataOf } from '../plot/data.js';
import { writeSvg } from '../plot/files.js';
import { makeLocusPlot } from '../plot/locus.js';
import { makeGroup } from '../plot/plot.js';
import { makePolePlot } from '../plot/poles.js';
import { makeResponsePlot } from '../plot/response.js';
import { poleFigure } from '../plot/root_figures.js';

const kStart = 4; // channels

// name, maker, what it needs
const kKinds = [
  ['Time', (page, shared, channels) => makeTimePlot(page, shared, channels), 'channel'],
  ['Spectrum', (page, shared, channels) => makeSpectrumPlot(page, shared, channels), 'spectrum'],
  ['Bode', (page, shared) => makeResponsePlot(page, shared, 'bode'), 'program'],
  ['Nyquist', (page, shared) => makeResponsePlot(page, shared, 'nyquist'), 'program'],
  ['Pole map', (page) => makePolePlot(page), 'modes'],
  ['Root locus', (page, shared) => makeLocusPlot(page, shared, 'locus'), 'program'],
  ['Campbell', (page, shared) => makeLocusPlot(page, shared, 'campbell'), 'program'],
];

export function makePlotsPanel(page) {
  const { source, store, scene } = page;
  const data = dataOf(source);
  const shared = { data, groups: { time: makeGroup(), frequency: makeGroup() } };
  const cards = [];
  const list = element('div', { class: 'cards' });
  const paper = element('div', { class: 'paper', 'aria-hidden': 'true' });

  function available(need) {
    if (need === 'program') return source.canAsk;
    if (need === 'modes') return Boolean(store.get('modes')) || source.canAsk;
    return store.get('results').some((result) => result.channels.some((channel, i) => data.holds(result, i, need)));
  }

  // The first channels, of at most two units: what most models list first is what they are about.
  function firstChannels(need) {
    const [result] = store.get('results');
    if (!result) return [];
    const held = result.channels.filter((channel, i) => data.holds(result, i, need)).slice(0, kStart);
    const units = [...new Set(held.map((channel) => channel.unit))].slice(0, 2);
    return held.filter((channel) => units.includes(channel.unit)).map((channel) => channel.name);
  }

  function add([, make, need], channels = firstChannels(need)) {
    const content = make(page, shared, channels);
    const card = makeCard(content, { onremove: () => remove(card) });
    cards.push(card);
    list.append(card.element);
    return card;
  }

  function remove(card) {
    cards.splice(cards.indexOf(card), 1);
    card.content.destroy();
    card.content.charts.destroy();
    card.element.remove();
    bar.querySelector('button:not(:disabled)')?.focus();
  }

  const buttons = kKinds.map((kind) => ({
    need: kind[2],
    button: element('button', { type: 'button', onclick: () => add(kind).element.scrollIntoView({ block: 'nearest' }) }, [kind[0]]),
  }));
  const bar = element('div', { class: 'plot-bar', role: 'group', 'aria-label': 'Add a plot' }, [
    element('span', {}, ['Add']),
    ...buttons.map(({ button }) => button),
  ]);
  const hint = element('p', { class: 'hint' });
  store.on(['results', 'modes'], () => {
    for (const { need, button } of buttons) button.disabled = !available(need);
    hint.textContent = hintText({ source, store, scene });
    hint.hidden = hint.textContent === '';
  });

  if (available('channel')) add(kKinds[0]);
  else if (store.get('modes')) add(kKinds[4]);
  store.on(['results'], () => {
    if (cards.length === 0 && available('channel')) add(kKinds[0]);
  });

  // Paper gets vectors of what is shown, whichever tab is open, and the poles in any case.
  window.addEventListener('beforeprint', () => {
    const figures = cards.map(({ content }) => ({ title: content.title, list: content.charts.figures(), views: content.charts.views() }));
    const found = store.get('modes')?.modes;
    if (found && !figures.some(({ title }) => title === 'Pole map')) {
      figures.push({ title: 'Pole map', list: [poleFigure(found, -1)], views: [] });
    }
    paper.innerHTML = figures
      .filter(({ list: each }) => each.length > 0)
      .map(({ title, list: each, views }) => `<figure>${writeSvg(each, { views, title, height: 220 })}</figure>`)
      .join('');
  });
  return element('section', { class: 'plots' }, [bar, hint, list, paper]);
}

function hintText({ source, store, scene }) {
  if (!source.canAsk) return `This is a report. Bode, Nyquist, root locus and Campbell need the program: flexloop view ${nameOf(scene.file)}`;
  if (store.get('results').length === 0) {
    return 'The model has not run yet. Its channels are shown after a run: flexloop run, or “simulate too” in Parameters.';
  }
  return '';
}
