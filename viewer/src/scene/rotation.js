// Rotations as quaternions [w, x, y, z] inside flat arrays, without allocation: the target is the first argument.

export function multiply(out, o, a, i, b, j) {
  const aw = a[i], ax = a[i + 1], ay = a[i + 2], az = a[i + 3];
  const bw = b[j], bx = b[j + 1], by = b[j + 2], bz = b[j + 3];
  out[o] = aw * bw - ax * bx - ay * by - az * bz;
  out[o + 1] = aw * bx + ax * bw + ay * bz - az * by;
  out[o + 2] = aw * by - ax * bz + ay * bw + az * bx;
  out[o + 3] = aw * bz + ax * by - ay * bx + az * bw;
}

// Math.hypot takes care of overflow and is ten times as slow.
export const length = (x, y, z, w = 0) => Math.sqrt(x * x + y * y + z * z + w * w);

// Below this angle between neighbours the chord replaces the arc: the error is of the order angle³.
const kChord = 0.9999;

export function slerp(out, o, a, i, b, j, t) {
  let cosine = a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2] + a[i + 3] * b[j + 3];
  const sign = cosine < 0 ? -1 : 1;
  cosine *= sign;
  let u = 1 - t, v = t;
  if (cosine < kChord) {
    const angle = Math.acos(cosine), sine = Math.sin(angle);
    u = Math.sin(u * angle) / sine;
    v = Math.sin(v * angle) / sine;
  }
  v *= sign;
  const w = u * a[i] + v * b[j], x = u * a[i + 1] + v * b[j + 1];
  const y = u * a[i + 2] + v * b[j + 2], z = u * a[i + 3] + v * b[j + 3];
  const scale = 1 / length(w, x, y, z);
  out[o] = w * scale;
  out[o + 1] = x * scale;
  out[o + 2] = y * scale;
  out[o + 3] = z * scale;
}

// exp(rotation vector) · a
const turn_ = new Float64Array(4);
export function turnBy(out, o, x, y, z, a, i) {
  const angle = length(x, y, z);
  const f = angle < 1e-6 ? 0.5 : Math.sin(angle / 2) / angle;
  turn_[0] = Math.cos(angle / 2);
  turn_[1] = f * x;
  turn_[2] = f * y;
  turn_[3] = f * z;
  multiply(out, o, turn_, 0, a, i);
}

// The rotation from a to b, made `factor` times as large, then applied to a.
const from_ = new Float64Array(4);
const between_ = new Float64Array(4);
export function scaleTurn(out, o, a, i, b, j, factor) {
  from_[0] = a[i];
  from_[1] = -a[i + 1];
  from_[2] = -a[i + 2];
  from_[3] = -a[i + 3];
  multiply(between_, 0, b, j, from_, 0);
  const sign = between_[0] < 0 ? -1 : 1;
  const sine = length(between_[1], between_[2], between_[3]);
  const angle = 2 * Math.atan2(sine, sign * between_[0]);
  const f = (sine < 1e-9 ? 2 : angle / sine) * sign * factor;
  turnBy(out, o, f * between_[1], f * between_[2], f * between_[3], a, i);
}
