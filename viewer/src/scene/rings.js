// Cross-sections along all beams, computed from the nodes: the curve is the cubic Hermite through two neighbours with
// the sections' x axes as tangents, the rotation goes the shortest way from one to the other. Each ring has eight
// numbers, as the beam shader reads them: x y z, a value for the colour, and the rotation as x y z w.
import { kFrame } from './pose.js';
import { length, multiply, slerp } from './rotation.js';

export const kRing = 8;
export const kTextureWidth = 1024;

function piecesFor(segments) {
  if (segments > 2000) return 1;
  if (segments > 500) return 2;
  return segments > 120 ? 4 : 8;
}

export class Rings {
  constructor(beams) {
    this.segments = beams.reduce((sum, beam) => sum + beam.nodes.length - 1, 0);
    this.pieces = piecesFor(this.segments);
    this.perSegment = this.pieces + 1;
    const texels = Math.max(1, this.segments * this.perSegment * 2);
    this.height = Math.ceil(texels / kTextureWidth);
    this.data = new Float32Array(this.height * kTextureWidth * 4);
    this.ends = new Int32Array(this.segments * 2);
    this.axes = new Float64Array(this.segments * 8);
    this.beamOf = new Int32Array(this.segments);
    this.fieldOf = new Int32Array(this.segments);
    this.weights = Float64Array.from({ length: this.perSegment * 4 }, (_, i) => weight(i % 4, (i >> 2) / this.pieces));
    this.first = [];
    let s = 0;
    beams.forEach((beam, b) => {
      this.first.push(s);
      for (let i = 0; i + 1 < beam.nodes.length; ++i, ++s) this.addSegment(s, beam, b, i);
    });
    this.first.push(s);
  }

  addSegment(s, beam, b, i) {
    this.ends[2 * s] = beam.nodes[i] * kFrame;
    this.ends[2 * s + 1] = beam.nodes[i + 1] * kFrame;
    this.axes.set(beam.axes[i] ?? beam.axes[0], 8 * s);
    this.axes.set(beam.axes[i + 1] ?? beam.axes[0], 8 * s + 4);
    this.beamOf[s] = b;
    this.fieldOf[s] = beam.firstSegment + i;
  }

  update(pose) {
    for (let s = 0; s < this.segments; ++s) this.updateSegment(pose, s);
  }

  updateSegment(pose, s) {
    const { data, weights, pieces, perSegment } = this;
    const a = this.ends[2 * s], b = this.ends[2 * s + 1];
    multiply(q_, 0, pose, a + 3, this.axes, 8 * s);
    multiply(q_, 4, pose, b + 3, this.axes, 8 * s + 4);
    const ax = pose[a], ay = pose[a + 1], az = pose[a + 2];
    const bx = pose[b], by = pose[b + 1], bz = pose[b + 2];
    if (pieces > 1) {
      const chord = length(bx - ax, by - ay, bz - az);
      writeTangent(0, chord);
      writeTangent(1, chord);
    }
    const first = s * perSegment * kRing;
    const last = first + pieces * kRing;
    writeEnd(data, first, ax, ay, az, 0);
    writeEnd(data, last, bx, by, bz, 4);
    for (let k = 1, o = first + kRing; o < last; ++k, o += kRing) {
      const w = 4 * k, h0 = weights[w], h1 = weights[w + 1], g0 = weights[w + 2], g1 = weights[w + 3];
      data[o] = h0 * ax + h1 * bx + g0 * t_[0] + g1 * t_[3];
      data[o + 1] = h0 * ay + h1 * by + g0 * t_[1] + g1 * t_[4];
      data[o + 2] = h0 * az + h1 * bz + g0 * t_[2] + g1 * t_[5];
      slerp(r_, 0, q_, 0, q_, 4, k / pieces);
      data[o + 4] = r_[1];
      data[o + 5] = r_[2];
      data[o + 6] = r_[3];
      data[o + 7] = r_[0];
    }
  }

  // Values of segments, or of nodes (linear in between), scaled to 0 … 1 for the colour map.
  colour(values, onNodes, low, high) {
    const { data, perSegment, pieces } = this;
    const scale = high > low ? 1 / (high - low) : 0;
    for (let s = 0; s < this.segments; ++s) {
      const a = onNodes ? values[this.ends[2 * s] / kFrame] : values[this.fieldOf[s]];
      const b = onNodes ? values[this.ends[2 * s + 1] / kFrame] : a;
      let o = s * perSegment * kRing + 3;
      for (let k = 0; k < perSegment; ++k, o += kRing) data[o] = (a + ((b - a) * k) / pieces - low) * scale;
    }
  }
}

const q_ = new Float64Array(8);
const r_ = new Float64Array(4);
const t_ = new Float64Array(6);

// At its ends a segment is where its nodes are.
function writeEnd(data, o, x, y, z, q) {
  data[o] = x;
  data[o + 1] = y;
  data[o + 2] = z;
  data[o + 4] = q_[q + 1];
  data[o + 5] = q_[q + 2];
  data[o + 6] = q_[q + 3];
  data[o + 7] = q_[q];
}

// x axis of the section at an end, as long as the chord.
function writeTangent(end, size) {
  const w = q_[4 * end], x = q_[4 * end + 1], y = q_[4 * end + 2], z = q_[4 * end + 3];
  t_[3 * end] = size * (1 - 2 * (y * y + z * z));
  t_[3 * end + 1] = size * 2 * (x * y + w * z);
  t_[3 * end + 2] = size * 2 * (x * z - w * y);
}

// Cubic Hermite: of the first and second place, of the first and second tangent.
function weight(which, t) {
  return [
    (1 + 2 * t) * (1 - t) * (1 - t),
    t * t * (3 - 2 * t),
    t * (1 - t) * (1 - t),
    -t * t * (1 - t),
  ][which];
}
