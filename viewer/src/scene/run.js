// One result's motion: its records in time, its frames and the field that colours it.
import { Box3, Vector3 } from 'three';
import { Chunks } from './chunks.js';
import { blendFrames, kFrame } from './pose.js';

// Runs that are shorter than this are fetched whole, so that scrubbing never waits and trails are complete.
const kWhole = 32 * 1024 * 1024;
const kAhead = 3; // chunks that are fetched before they are needed
const kSamples = 10; // records of a chunk that tell how far the machine moves

export class Run {
  // `counts`: {nodes, segments, coordinates of flexible parts} of the machine.
  constructor(source, result, counts, parts, changed) {
    this.source = source;
    this.result = result;
    this.counts = counts;
    this.parts = parts;
    this.stride = counts.nodes * kFrame;
    this.changed = changed;
    this.time = null;
    this.frames = new Chunks(
      (c) => this.fetchFrames(c),
      (c, error) => changed(error),
    );
    this.deformations = new Chunks(
      (c) => this.source.f32(`result/${this.result.id}/parts/${c}`),
      (c, error) => changed(error),
    );
    this.field = null;
    this.reach = new Box3();
    this.load();
  }

  async fetchFrames(c) {
    const chunk = await this.source.f32(`result/${this.result.id}/frames/${c}`);
    const step = this.stride * Math.max(1, Math.floor(chunk.length / this.stride / kSamples));
    for (let first = 0; first < chunk.length; first += step) {
      // Ground comes first and need not be near the machine.
      for (let i = first + kFrame; i < first + this.stride; i += kFrame)
        this.reach.expandByPoint(point_.fromArray(chunk, i));
    }
    return chunk;
  }

  async load() {
    try {
      this.time = await this.source.f64(`result/${this.result.id}/time`);
      if (this.time.length * this.stride * 4 < kWhole) {
        for (let c = 0; c < this.chunks; ++c) this.frames.want(c);
      }
      this.changed(null);
    } catch (error) {
      this.changed(error);
    }
  }

  get chunks() {
    return Math.ceil(this.time.length / this.result.chunk);
  }

  // A run that is still going has more records now.
  grow(result) {
    if (result.records === this.result.records) return;
    const last = Math.floor((this.result.records - 1) / this.result.chunk);
    this.frames.forget(last);
    this.deformations.forget(last);
    this.field?.chunks.forget(last);
    this.result = result;
    this.load();
  }

  // The record at or before the time, and how far the next one is reached.
  find(time) {
    let low = 0;
    let high = this.time.length - 1;
    if (high <= 0 || time <= this.time[0]) return { record: 0, part: 0 };
    if (time >= this.time[high]) return { record: high, part: 0 };
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle;
    }
    return { record: low, part: (time - this.time[low]) / (this.time[low + 1] - this.time[low]) };
  }

  // Whether the pose at this time could be written; chunks that lack are on their way afterwards.
  // The coordinates of parts are written with it where they are wanted.
  writePose(pose, time, coordinates = null) {
    if (!this.time || this.time.length === 0) return false;
    const { record, part } = this.find(time);
    const { chunk } = this.result;
    if (coordinates?.length > 0 && !this.writeParts(coordinates, record, part)) return false;
    const c = Math.floor(record / chunk);
    const next = part > 0 ? Math.floor((record + 1) / chunk) : c;
    const first = this.frames.get(c);
    const second = next === c ? first : this.frames.get(next);
    if (!first || !second) return false;
    // What comes next, once what is shown now is here.
    for (let ahead = c + 1; ahead <= c + kAhead && ahead < this.chunks; ++ahead) this.frames.want(ahead);
    const a = (record - c * chunk) * this.stride;
    const b = (record + 1 - next * chunk) * this.stride;
    // A chunk of a run that goes on may be older than its times.
    if (a + this.stride > first.length || (part > 0 && b + this.stride > second.length)) return false;
    blendFrames(pose, first, a, second, b, part);
    return true;
  }

  // Whether they are here. Parts that the run does not tell of stay undeformed.
  writeParts(coordinates, record, part) {
    if (!this.result.parts) return true;
    const first = this.deformationAt(record);
    const second = part > 0 ? this.deformationAt(record + 1) : first;
    if (!first || !second) return false;
    for (let i = 0; i < coordinates.length; ++i) coordinates[i] = (1 - part) * first[i] + part * second[i];
    return true;
  }

  // Coordinates of all parts in a record, or null while they are on their way.
  deformationAt(record) {
    const c = Math.floor(record / this.result.chunk);
    const chunk = this.deformations.get(c);
    const width = this.counts.coordinates;
    const i = (record - c * this.result.chunk) * width;
    return chunk && i + width <= chunk.length ? chunk.subarray(i, i + width) : null;
  }

  // Position of a node in a record, or null where it is not held.
  nodeAt(record, node) {
    const c = Math.floor(record / this.result.chunk);
    const chunk = this.frames.peek(c);
    if (!chunk) return null;
    const i = (record - c * this.result.chunk) * this.stride + node * kFrame;
    return i + 3 <= chunk.length ? chunk.subarray(i, i + 3) : null;
  }

  chooseField(name) {
    if (this.field?.name === name) return;
    const about = this.result.fields?.find((field) => field.name === name);
    this.field = about ? (about.on === 'parts' ? new PartField(this, about) : new Field(this, about)) : null;
  }
}

const point_ = new Vector3();

// Numbers of segments or nodes in time, and their range over all that has been fetched.
class Field {
  constructor(run, about) {
    Object.assign(this, about);
    this.run = run;
    this.low = Infinity;
    this.high = -Infinity;
    this.chunks = new Chunks(
      (c) => this.fetch(c),
      (c, error) => run.changed(error),
    );
    if (run.time && run.time.length * run.stride < kWhole) {
      for (let c = 0; c < run.chunks; ++c) this.chunks.want(c);
    }
  }

  async fetch(c) {
    const chunk = await this.run.source.f32(`result/${this.run.result.id}/field/${this.name}/${c}`);
    for (const value of chunk) {
      if (value < this.low) this.low = value;
      if (value > this.high) this.high = value;
    }
    return chunk;
  }

  // Values at the record nearest to the time, or null while they are on their way.
  at(time) {
    const { run } = this;
    if (!run.time) return null;
    const { record, part } = run.find(time);
    const nearest = part > 0.5 ? record + 1 : record;
    const c = Math.floor(nearest / run.result.chunk);
    const chunk = this.chunks.get(c);
    if (c + 1 < run.chunks) this.chunks.want(c + 1);
    if (!chunk) return null;
    const width = this.on === 'nodes' ? run.counts.nodes : run.counts.segments;
    const i = (nearest - c * run.result.chunk) * width;
    return i + width <= chunk.length ? chunk.subarray(i, i + width) : null;
  }
}

// Stress of parts: the page has their shapes, so a record is known by its coordinates. The range is that of some records of
// each chunk that was fetched, and of those that were shown.
class PartField {
  constructor(run, about) {
    Object.assign(this, about);
    this.run = run;
    this.chunks = run.deformations;
    this.low = 0;
    this.high = 0;
    this.seen = new Set();
  }

  at(time) {
    const { run } = this;
    if (!run.time || !run.parts.areHere) return null;
    const { record, part } = run.find(time);
    const values = run.deformationAt(part > 0.5 ? record + 1 : record);
    if (values) this.high = Math.max(this.high, run.parts.largestStress(values));
    for (const [c, chunk] of this.chunks.held) if (!this.seen.has(c)) this.look(c, chunk);
    return values;
  }

  look(c, chunk) {
    this.seen.add(c);
    const width = this.run.counts.coordinates;
    const step = width * Math.max(1, Math.floor(chunk.length / width / kSamples));
    for (let i = 0; i + width <= chunk.length; i += step)
      this.high = Math.max(this.high, this.run.parts.largestStress(chunk.subarray(i, i + width)));
  }
}
