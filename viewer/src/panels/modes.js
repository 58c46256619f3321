// Modes: which ones there are, which one moves, and what it is made of.
import './modes.css';
import { element } from '../element.js';
import { askModes } from '../recompute.js';
import { formatNumber } from '../scene/describe.js';
import { formatPercent, makeDetails } from './mode_details.js';

const kLoops = [
  ['closed', 'Closed', 'with the controllers'],
  ['open', 'Open', 'with the controllers cut'],
  ['locked', 'Locked', 'with the actuated motions held'],
];
const kBodies = [
  ['flexible', 'Flexible', 'beams bend'],
  ['rigid', 'Rigid', 'beams do not bend'],
];

export function makeModesPanel(page) {
  return new Modes(page).element;
}

class Modes {
  constructor({ source, store, scene }) {
    Object.assign(this, { source, store, scene });
    this.choices = element('div', { class: 'views' });
    this.notes = element('div', { class: 'notes', role: 'status' });
    this.body = element('tbody', { onkeydown: (event) => this.press(event) });
    this.table = element('table', { role: 'grid', 'aria-label': 'modes' }, [makeHead(), this.body]);
    this.controls = this.makeControls();
    this.details = element('div', { class: 'details' });
    this.element = element('section', { class: 'modes' }, [
      this.choices,
      this.notes,
      element('div', { class: 'rows' }, [this.table]),
      this.controls,
      this.details,
    ]);
    if (source.canAsk && scene.live !== false) this.makeChoices();
    store.on(['modes'], () => this.showSet());
    store.on(['mode', 'moves'], () => this.showChosen());
  }

  makeChoices() {
    this.loop = makeRadios('loop', kLoops, () => this.ask());
    this.bodies = makeRadios('bodies', kBodies, () => this.ask());
    this.choices.append(this.loop, this.bodies);
  }

  // Another view of the machine, with the numbers as they are set now.
  async ask() {
    const { store } = this;
    const view = { loop: chosenOf(this.loop), bodies: chosenOf(this.bodies) };
    this.asked = view;
    this.notes.replaceChildren(element('p', { class: 'busy' }, ['Computing …']));
    try {
      const modes = await askModes(this, store.get('values'), view);
      if (this.asked === view) store.set({ modes, mode: 0, moves: 'mode' });
    } catch (error) {
      if (this.asked !== view) return;
      this.showSet();
      this.notes.append(element('p', { class: 'bad' }, [error.message]));
    }
  }

  showSet() {
    const modes = this.store.get('modes');
    if (modes && this.loop) {
      choose(this.loop, modes.loop);
      choose(this.bodies, modes.bodies);
    }
    const list = modes?.modes ?? [];
    this.table.hidden = this.controls.hidden = list.length === 0;
    this.choices.hidden = !modes;
    this.notes.replaceChildren(
      ...(list.length === 0 ? this.tellNone(modes) : []),
      ...(modes?.warnings ?? []).map((warning) => element('p', { class: 'warning' }, [warning.text ?? warning])),
    );
    this.rows = list.map((mode, i) => this.makeRow(mode, i));
    this.body.replaceChildren(...this.rows);
    this.showChosen();
  }

  // Of a large model they are found on wish.
  tellNone(modes) {
    if (modes) return [element('p', {}, ['There are no modes in this view.'])];
    const why = this.store.get('noModes');
    const text = element('p', {}, [why ? `${why[0].toUpperCase()}${why.slice(1)}.` : 'The model has no modes to show.']);
    if (!this.loop) return [text];
    const ask = element('button', { type: 'button', class: 'ask', onclick: () => this.ask() }, ['Compute modes']);
    return [text, ask];
  }

  makeRow(mode, i) {
    const name = element('td', { class: 'name', title: mode.name }, [mode.name || '']);
    if (!mode.stable) name.prepend(element('span', { class: 'unstable' }, ['unstable']), ' ');
    return element(
      'tr',
      { tabindex: '-1', class: mode.stable ? '' : 'bad', onclick: () => this.choose(i), 'aria-label': `mode ${i + 1}` },
      [
        element('td', {}, [String(i + 1)]),
        element('td', {}, [formatFrequency(mode.frequency_hz)]),
        element('td', {}, [formatPercent(mode.damping_ratio)]),
        name,
      ],
    );
  }

  choose(i) {
    this.store.set({ mode: i, moves: 'mode', swinging: true, playing: false });
  }

  press(event) {
    const at = this.rows.indexOf(event.target.closest('tr'));
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.rows.length - 1, Enter: at, ' ': at }[
      event.key
    ];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = Math.min(this.rows.length - 1, Math.max(0, to));
    this.choose(next);
    this.rows[next].focus();
  }

  showChosen() {
    const { store } = this;
    const chosen = store.get('mode');
    const moves = store.get('moves') === 'mode';
    this.rows?.forEach((row, i) => {
      row.setAttribute('aria-selected', String(moves && i === chosen));
      row.tabIndex = i === chosen ? 0 : -1;
    });
    const mode = store.get('modes')?.modes[chosen];
    this.details.replaceChildren(...(mode ? makeDetails(mode) : []));
  }

  makeControls() {
    const { store } = this;
    const swing = element('button', { type: 'button', onclick: () => this.toggle() });
    const amplitude = element('input', {
      type: 'range',
      min: -1,
      max: 1,
      step: 0.01,
      value: 0,
      'aria-label': 'amplitude',
    });
    const size = element('output');
    // The slider is logarithmic: a tenth to ten times.
    amplitude.oninput = () => store.set({ amplitude: 10 ** Number(amplitude.value), moves: 'mode' });
    const decay = element('input', {
      type: 'checkbox',
      onchange: () => store.set({ decay: decay.checked, moves: 'mode' }),
    });
    store.on(
      ['swinging', 'moves'],
      ({ swinging, moves }) => (swing.textContent = swinging && moves === 'mode' ? 'Pause' : 'Animate'),
    );
    store.on(['amplitude'], (values) => {
      amplitude.value = Math.log10(values.amplitude);
      size.textContent = `× ${Number(values.amplitude.toPrecision(2))}`;
    });
    return element('div', { class: 'controls' }, [
      swing,
      element('label', { title: 'At × 1 the largest displacement is a tenth of the machine.' }, [
        'Amplitude',
        amplitude,
        size,
      ]),
      element('label', { title: 'Dies out, or grows, as fast per period as the mode does.' }, [decay, 'Decay']),
    ]);
  }

  toggle() {
    const { store } = this;
    const swings = store.get('swinging') && store.get('moves') === 'mode';
    store.set({ moves: 'mode', swinging: !swings, playing: false });
  }
}

function makeHead() {
  const head = (text, unit) =>
    element('th', { scope: 'col' }, unit ? [text, element('span', { class: 'unit' }, [` [${unit}]`])] : [text]);
  return element('thead', {}, [
    element('tr', {}, [head('#'), head('Freq.', 'Hz'), head('Damping', '%'), head('Mode')]),
  ]);
}

function makeRadios(name, options, changed) {
  return element(
    'fieldset',
    { 'aria-label': name },
    options.map(([value, text, title]) =>
      element('label', { title }, [
        element('input', { type: 'radio', name: `modes-${name}`, value, onchange: changed }),
        text,
      ]),
    ),
  );
}

const chosenOf = (radios) => radios.querySelector(':checked')?.value;

function choose(radios, value) {
  for (const input of radios.querySelectorAll('input')) input.checked = input.value === value;
}

function formatFrequency(hertz) {
  return Math.abs(hertz) < 1e-6 ? '0' : formatNumber(hertz, 4);
}
