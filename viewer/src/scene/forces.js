// How large loads and actuators are at a time, as parts of their largest size in the run: from recorded channels, or
// from signals that are functions of time alone.
import { dataOf } from '../plot/data.js';

export class Forces {
  constructor({ source, store, scene }, changed) {
    Object.assign(this, { source, store, changed });
    this.things = [
      ...scene.loads.map((thing) => ({ kind: 'load', ...thing })),
      ...scene.actuators.map((thing) => ({ kind: 'actuator', ...thing })),
    ];
    this.courses = new Map(); // by kind and name: {x, y, most}
    store.on(['result', 'results'], (values) => this.load(values));
  }

  async load({ result, results }) {
    const about = results.find(({ id }) => id === result);
    const key = about ? `${about.id} ${about.records}` : '';
    if (key === this.loaded) return;
    this.loaded = key;
    const found = about ? await Promise.all(this.things.map((thing) => this.courseOf(thing, about))) : [];
    if (this.loaded !== key) return;
    this.courses = new Map(found.filter(Boolean));
    this.changed();
  }

  // What cannot be had, as in a report of the past, is drawn as it starts.
  async courseOf(thing, result) {
    for (const { signal, factor } of thing.follows ?? []) {
      const course = signal ? await this.fetch(signal, result).catch(() => null) : null;
      if (!course) continue;
      const y = course.y.map((value) => value * factor);
      const most = y.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
      return [idOf(thing), { x: course.x, y, most }];
    }
    return null;
  }

  async fetch(signal, result) {
    const data = dataOf(this.source);
    const channel = result.channels.findIndex(({ name }) => name === signal);
    if (channel >= 0 && data.holds(result, channel, 'channel')) return data.channel(result, channel);
    if (!result.sources?.includes(signal)) return null;
    const [x, y] = await Promise.all(
      ['time', `source/${signal}`].map((what) => this.source.f64(`result/${result.id}/${what}`)),
    );
    return { x, y };
  }

  // The signal's value, or null where it is not known.
  valueAt(thing, time) {
    const course = this.courses.get(idOf(thing));
    return course && course.x.length > 0 ? interpolate(course, time) : null;
  }

  // From −1 to 1; 1 where nothing is known.
  partAt(thing, time) {
    const value = this.valueAt(thing, time);
    if (value === null) return 1;
    const { most } = this.courses.get(idOf(thing));
    return most > 0 ? value / most : 0;
  }
}

const idOf = ({ kind, name }) => `${kind} ${name}`;

export function interpolate({ x, y }, time) {
  let low = 0;
  let high = x.length - 1;
  if (time <= x[0]) return y[0];
  if (time >= x[high]) return y[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= time) low = middle;
    else high = middle;
  }
  return y[low] + ((y[high] - y[low]) * (time - x[low])) / (x[high] - x[low]);
}
