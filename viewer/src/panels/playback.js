// Time: plays the records, and says how they are drawn.
import './playback.css';
import { element } from '../element.js';

const kSpeeds = [
  0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100,
];
const kUsualSpeeds = 6; // from here on they are always offered
const kScales = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const kShortest = 4; // s: shorter runs are slowed down to last about `kGood`
const kLongest = 60; // s: longer ones are sped up
const kGood = 8;

export function makePlaybackPanel(page) {
  return new Playback(page).element;
}

class Playback {
  constructor({ source, store }) {
    Object.assign(this, { source, store });
    this.times = new Float64Array(0);
    this.loop = true;
    this.last = null;
    this.makeParts();
    store.on(['result', 'results'], (values) => this.chooseResult(values));
    store.on(['playing', 'moves', 'time', 'speed'], () => this.show());
    store.on(['colour', 'scale', 'trails'], ({ colour, scale, trails }) => {
      [this.colour.value, this.scale.value, this.trails.checked] = [colour, String(scale), trails];
    });
    store.on(['playing'], ({ playing }) => playing && this.startClock());
    document.addEventListener('keydown', (event) => this.press(event));
  }

  makeParts() {
    const { store } = this;
    const set = (key, read) => (event) => store.set({ [key]: read(event.target) });
    this.button = element('button', { type: 'button', class: 'play', onclick: () => this.toggle() });
    this.scrubber = element('input', { type: 'range', min: 0, max: 0, step: 'any', value: 0, 'aria-label': 'time' });
    this.scrubber.oninput = () => this.seek(Number(this.scrubber.value));
    this.scrubber.onkeydown = (event) => this.step(event);
    this.clock = element('output', { class: 'clock' });
    this.speed = select(set('speed', (target) => Number(target.value)));
    this.colour = select(set('colour', (target) => target.value));
    this.scale = select(set('scale', (target) => Number(target.value)));
    fill(
      this.scale,
      kScales.map((scale) => [scale, `× ${scale}`]),
      1,
    );
    this.trails = element('input', { type: 'checkbox', onchange: set('trails', (target) => target.checked) });
    this.repeat = element('input', {
      type: 'checkbox',
      checked: true,
      onchange: () => (this.loop = this.repeat.checked),
    });
    this.result = select((event) => store.set({ result: event.target.value, moves: 'time', time: 0 }));
    this.resultLabel = labelled('Result', this.result, 'which run moves the machine');
    this.element = element('section', { class: 'playback', 'aria-label': 'time' }, [
      element('div', { class: 'line' }, [this.button, this.scrubber, this.clock]),
      element('div', { class: 'line options' }, [
        this.resultLabel,
        labelled('Speed', this.speed, 'how fast time passes on the screen'),
        labelled('Colour', this.colour, 'colours beams, bodies and parts by a quantity at this time'),
        labelled(
          'Displacement',
          this.scale,
          'Draws displacements and rotations from the start this many times as large. Rigid motion is enlarged too: × 1 is the truth.',
        ),
        labelled(
          this.trails,
          'Trails',
          'where the selected node or body has been; without a selection, bodies and nodes of the model',
        ),
        labelled(this.repeat, 'Loop', 'starts again at the end'),
      ]),
    ]);
  }

  async chooseResult({ result, results }) {
    const about = results.find(({ id }) => id === result);
    fill(
      this.result,
      results.map(({ id, name }) => [id, name || id]),
      result,
    );
    this.resultLabel.hidden = results.length < 2;
    this.element.classList.toggle('empty', !about);
    this.showFields(about?.fields ?? []);
    const key = about ? `${about.id} ${about.records}` : '';
    if (key === this.loaded) return;
    const isNew = about?.id !== this.loadedId;
    [this.loaded, this.loadedId] = [key, about?.id];
    try {
      const times = about ? await this.source.f64(`result/${about.id}/time`) : new Float64Array(0);
      if (this.loaded === key) this.takeTimes(times, isNew);
    } catch (error) {
      this.store.set({ notice: error.message });
    }
  }

  showFields(fields) {
    fill(
      this.colour,
      [['none', 'plain'], ...fields.map(({ name, label }) => [name, label || name])],
      this.store.get('colour'),
    );
    if (!fields.some(({ name }) => name === this.store.get('colour'))) this.store.set({ colour: 'none' });
  }

  takeTimes(times, isNew) {
    this.times = times;
    const [start, end] = this.range;
    Object.assign(this.scrubber, { min: start, max: end });
    this.scrubber.disabled = this.button.disabled = times.length < 2;
    this.digits = Math.min(9, Math.max(2, Math.ceil(2.5 - Math.log10(end - start || 1))));
    const speed = isNew ? speedFor(end - start) : this.store.get('speed');
    const offered = kSpeeds.filter((value, i) => i >= kUsualSpeeds || value >= Math.min(speed, speedFor(end - start)));
    fill(
      this.speed,
      offered.map((value) => [value, `${value} ×`]),
      speed,
    );
    const time = Math.min(end, Math.max(start, this.store.get('time')));
    this.store.set({ speed, time });
    this.show();
  }

  get range() {
    return this.times.length > 0 ? [this.times[0], this.times[this.times.length - 1]] : [0, 0];
  }

  show() {
    const { store } = this;
    const playing = store.get('playing') && store.get('moves') === 'time';
    this.button.textContent = playing ? '❚❚' : '►';
    this.button.title = playing ? 'Pause (space)' : 'Play (space)';
    this.button.setAttribute('aria-label', playing ? 'Pause' : 'Play');
    this.element.classList.toggle('resting', store.get('moves') !== 'time');
    this.speed.value = String(store.get('speed'));
    this.scrubber.value = store.get('time');
    const [, end] = this.range;
    const text =
      this.times.length > 0 ? `${store.get('time').toFixed(this.digits)} / ${end.toFixed(this.digits)} s` : 'no run';
    this.clock.textContent = text;
    this.scrubber.setAttribute('aria-valuetext', `${store.get('time').toFixed(this.digits)} s`);
  }

  seek(time) {
    this.store.set({ time, moves: 'time' });
  }

  toggle() {
    if (this.times.length < 2) return;
    const { store } = this;
    const playing = !(store.get('playing') && store.get('moves') === 'time');
    const [start, end] = this.range;
    const time = playing && store.get('time') >= end ? start : store.get('time');
    store.set({ moves: 'time', playing, time });
  }

  startClock() {
    if (this.running) return;
    this.running = true;
    this.last = null;
    const tick = (now) => {
      this.running = this.store.get('playing') && this.store.get('moves') === 'time';
      if (!this.running) {
        this.store.set({ playing: false });
        return;
      }
      this.advance(now);
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  // Time stands still while the stage waits for frames.
  advance(now) {
    const { store } = this;
    const passed = this.last === null ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (store.get('waiting')) return;
    const [start, end] = this.range;
    const time = store.get('time') + passed * store.get('speed');
    if (time < end) store.set({ time });
    else if (this.loop) store.set({ time: start });
    else store.set({ time: end, playing: false });
  }

  // Arrow keys go from record to record, also where their steps differ.
  step(event) {
    const move = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20 }[event.key];
    if (!move) return;
    event.preventDefault();
    this.moveBy(event.shiftKey ? 10 * move : move);
  }

  moveBy(records) {
    const at = nearest(this.times, this.store.get('time'));
    const next = Math.min(this.times.length - 1, Math.max(0, at + records));
    if (this.times.length > 0) this.store.set({ time: this.times[next], moves: 'time', playing: false });
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const free = event.target === document.body || event.target.closest?.('.stage') != null;
    const isControl = event.target.closest?.('button, select, summary, input:not([type=range])') != null;
    if (!free || isControl) return;
    if (event.key === ' ') {
      event.preventDefault();
      this.toggle();
    } else if (event.target !== this.scrubber) this.step(event);
  }
}

function nearest(times, time) {
  let low = 0;
  let high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return Math.abs(times[high] - time) < Math.abs(times[low] - time) ? high : low;
}

// Real time where that can be watched.
function speedFor(duration) {
  if (!(duration > 0) || (duration >= kShortest && duration <= kLongest)) return 1;
  const wanted = duration / kGood;
  return kSpeeds.reduce((best, speed) =>
    Math.abs(Math.log(speed / wanted)) < Math.abs(Math.log(best / wanted)) ? speed : best,
  );
}

function select(onchange) {
  return element('select', { onchange });
}

function fill(choice, options, chosen) {
  choice.replaceChildren(...options.map(([value, text]) => element('option', { value: String(value) }, [text])));
  choice.value = String(chosen);
}

function labelled(first, second, title) {
  return element('label', { title }, [first, second]);
}
