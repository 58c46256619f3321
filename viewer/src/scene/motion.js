// What moves the machine: the records of a result at the scrubber's time, or a mode.
import { addShape, exaggerate, normaliseShape, kFrame } from './pose.js';
import { Run } from './run.js';

const kTurn = 1.8; // s, of one period of a mode on the screen, whatever its frequency
const kDecayed = 0.03; // of its amplitude: then a decay starts again
const kTimeConstant = 1; // s on the screen, of a mode that does not oscillate
const kFree = 1e-4; // 1/s: a slower motion is a free one, and swings to be seen
const kShape = 12;

const positionIn = (pose, node) => [...pose.subarray(node * kFrame, node * kFrame + 3)];

export class Motion {
  // `changed` is called when something else must be drawn; `notice(text)` when something cannot be had. `parts` are the
  // flexible ones, whose coordinates move with the pose.
  constructor({ source, store, scene }, rest, changed, notice, parts = null) {
    Object.assign(this, { source, store, scene, rest, changed, notice, parts });
    this.pose = rest.slice();
    this.coordinates = new Float32Array(parts?.coordinates ?? 0);
    this.partScale = 1;
    this.run = null;
    this.shapes = null;
    this.clock = 0;
    this.last = null;
    this.ghostPose = rest;
    store.on(['result', 'results'], (values) => this.chooseRun(values));
    store.on(['colour', 'result'], ({ colour }) => this.run?.chooseField(colour));
    store.on(['modes'], ({ modes }) => this.loadShapes(modes));
    store.on(['mode', 'moves', 'decay'], () => (this.clock = 0));
  }

  get nodes() {
    return this.scene.nodes.length;
  }

  get showsMode() {
    return this.store.get('moves') === 'mode' && this.mode !== undefined;
  }

  // Of the set whose shapes are here; the store may already hold the next one.
  get mode() {
    return this.shapes?.modes[this.store.get('mode')];
  }

  chooseRun({ result, results }) {
    const about = results.find(({ id, frames }) => id === result && frames);
    if (!about) this.run = null;
    else if (this.run?.result.id === about.id) this.run.grow(about);
    else {
      const segments = this.scene.beams.reduce((sum, beam) => sum + beam.nodes.length - 1, 0);
      const counts = { nodes: this.nodes, segments, coordinates: this.coordinates.length };
      this.run = new Run(this.source, about, counts, this.parts, (error) => {
        if (error) this.notice(error.message);
        this.changed();
      });
      this.run.chooseField(this.store.get('colour'));
    }
    this.changed();
  }

  // Shapes that come late, after another set was asked for, are dropped.
  async loadShapes(modes) {
    if (!modes) {
      this.shapes = null;
      return;
    }
    try {
      const names = this.coordinates.length > 0 ? ['frames', 'shapes', 'parts'] : ['frames', 'shapes'];
      const [frames, shapes, parts] = await Promise.all(
        names.map((what) => this.source.f32(`modes/${modes.set}/${what}`)),
      );
      if (this.store.get('modes') !== modes) return;
      this.shapes = { modes: modes.modes, start: frames, values: shapes, parts, factors: new Map() };
      this.ghostPose = frames;
    } catch (error) {
      this.notice(error.message);
    }
    this.changed();
  }

  // Writes the pose for now. Answers whether frames are still on their way.
  update(now) {
    const passed = this.last === null ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    if (this.showsMode) {
      if (this.store.get('swinging')) this.clock += passed;
      this.writeMode();
      return false;
    }
    if (this.store.get('moves') === 'mode') return false;
    if (!this.run) {
      this.pose.set(this.rest);
      this.coordinates.fill(0);
      return false;
    }
    if (!this.run.writePose(this.pose, this.store.get('time'), this.coordinates))
      return !this.run.time || this.run.frames.coming.size > 0;
    const scale = this.store.get('scale');
    this.partScale = scale;
    if (scale !== 1) exaggerate(this.pose, this.rest, scale);
    return false;
  }

  writeMode() {
    const index = this.store.get('mode');
    const first = index * this.nodes * kShape;
    const { start, values, factors } = this.shapes;
    if (!factors.has(index)) factors.set(index, this.normalise(index, first));
    const [re, im] = factors.get(index);
    const { size, angle } = this.phase();
    const factor = size * (this.store.get('amplitude') ?? 1);
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const turned = [factor * (re * c - im * s), factor * (re * s + im * c)];
    addShape(this.pose, start, values, first, turned);
    this.writePartMode(index, turned);
  }

  // Parts may move further between their interfaces than at them.
  normalise(index, first) {
    let least = 0;
    if (this.coordinates.length > 0) {
      const change = new Float32Array(this.coordinates.length);
      for (const part of [0, 1]) {
        for (let i = 0; i < change.length; ++i) change[i] = this.partShape(index, i, part);
        least = Math.hypot(least, this.parts.largestDisplacement(change));
      }
    }
    return normaliseShape(this.shapes.values, first, this.nodes, this.scene.size, least);
  }

  // Of coordinate i in a mode; `part` is 0 for its real and 1 for its imaginary part.
  partShape(index, i, part) {
    const count = this.coordinates.length;
    return this.shapes.parts[count + 2 * (index * count + i) + part];
  }

  writePartMode(index, [re, im]) {
    const { coordinates } = this;
    this.partScale = 1;
    for (let i = 0; i < coordinates.length; ++i) {
      coordinates[i] =
        this.shapes.parts[i] + re * this.partShape(index, i, 0) - im * this.partShape(index, i, 1);
    }
  }

  // Of the state that the modes depart from.
  get ghostCoordinates() {
    return this.shapes?.parts?.subarray(0, this.coordinates.length) ?? null;
  }

  // Of e^{st} with the mode's own damping but a period for the eye; a growing motion ends where it is largest.
  phase() {
    const [re, im] = this.mode.eigenvalue;
    const speed = Math.hypot(re, im);
    const oscillates = Math.abs(im) > 1e-9 * speed || speed < kFree;
    if (oscillates && !this.store.get('decay')) return { size: 1, angle: (2 * Math.PI * this.clock) / kTurn };
    const rate = oscillates ? ((2 * Math.PI) / kTurn) * Math.min(2, Math.abs(re / im || 0)) : 1 / kTimeConstant;
    const length = rate > 0 ? Math.min(12 * kTurn, Math.max(2 * kTurn, -Math.log(kDecayed) / rate)) : 2 * kTurn;
    const t = this.clock % length;
    const size = Math.exp(-rate * (this.mode.stable ? t : length - t));
    return { size, angle: oscillates ? (2 * Math.PI * t) / kTurn : 0 };
  }

  // Where nodes come in all frames that have been fetched, from the start on.
  get reach() {
    return this.run?.reach ?? null;
  }

  // Values that colour the machine now, with the field they belong to.
  fieldNow() {
    const field = this.showsMode ? null : this.run?.field;
    if (!field) return null;
    const values = field.at(this.store.get('time'));
    return { field, values };
  }

  position(node) {
    return positionIn(this.pose, node);
  }

  // Where the node is in truth: displacements may be drawn larger than they are, and those of a mode have no size.
  truePosition(node) {
    if (this.showsMode) return positionIn(this.shapes.start, node);
    if (!this.run) return positionIn(this.rest, node);
    const pose = new Float32Array(this.pose.length);
    return positionIn(this.run.writePose(pose, this.store.get('time')) ? pose : this.pose, node);
  }
}
