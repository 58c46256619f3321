// Where every node is drawn: f32 [nodes][7], x y z and w x y z of its axes, as in the frames.
import { scaleTurn, slerp, turnBy } from './rotation.js';

export const kFrame = 7;
const kShape = 12;
// Of the machine's size, and in radians: what the largest motion of a mode looks like at amplitude 1.
const kModeDisplacement = 0.1;
const kModeRotation = 0.6;

export function restPose(nodes) {
  const pose = new Float32Array(nodes.length * kFrame);
  nodes.forEach((node, i) => {
    pose.set(node.position, i * kFrame);
    pose.set(node.rotation, i * kFrame + 3);
  });
  return pose;
}

// Between the records that start at `a` and `b` of two chunks (often the same one).
export function blendFrames(pose, chunkA, a, chunkB, b, t) {
  if (t === 0) {
    pose.set(chunkA.subarray(a, a + pose.length));
    return;
  }
  for (let i = 0; i < pose.length; i += kFrame) {
    for (let c = 0; c < 3; ++c) pose[i + c] = (1 - t) * chunkA[a + i + c] + t * chunkB[b + i + c];
    slerp(pose, i + 3, chunkA, a + i + 3, chunkB, b + i + 3, t);
  }
}

// Displacements and rotation vectors from `start`, made `factor` times as large.
export function exaggerate(pose, start, factor) {
  for (let i = 0; i < pose.length; i += kFrame) {
    for (let c = 0; c < 3; ++c) pose[i + c] = start[i + c] + factor * (pose[i + c] - start[i + c]);
    scaleTurn(pose, i + 3, start, i + 3, pose, i + 3, factor);
  }
}

// The complex factor that makes a shape's largest displacement real and of the size that is drawn at amplitude 1. Something
// else that moves with the nodes may move by `least`.
export function normaliseShape(shapes, first, nodes, size, least = 0) {
  let largest = 0, turn = 0, at = first;
  for (let n = 0; n < nodes; ++n) {
    const i = first + n * kShape;
    const u = Math.hypot(shapes[i], shapes[i + 1], shapes[i + 2], shapes[i + 6], shapes[i + 7], shapes[i + 8]);
    turn = Math.max(
      turn,
      Math.hypot(shapes[i + 3], shapes[i + 4], shapes[i + 5], shapes[i + 9], shapes[i + 10], shapes[i + 11]),
    );
    if (u > largest) [largest, at] = [u, i];
  }
  const factor = Math.min((kModeDisplacement * size) / Math.max(largest, least), kModeRotation / turn);
  if (!Number.isFinite(factor)) return [0, 0];
  const phase = -largestPhase(shapes, at);
  const sign = signAt(shapes, at, Math.cos(phase), Math.sin(phase));
  return [sign * factor * Math.cos(phase), sign * factor * Math.sin(phase)];
}

// Solvers give shapes either way round; the largest component is drawn towards its positive axis first, so that a mode
// does not jump while a number of the model is being changed.
function signAt(shapes, i, re, im) {
  const parts = [0, 1, 2].map((c) => re * shapes[i + c] - im * shapes[i + 6 + c]);
  const largest = parts.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a));
  return largest < 0 ? -1 : 1;
}

// A point moves on an ellipse Re(u e^{iθ}); its long axis is reached at half the phase of u·u.
function largestPhase(shapes, i) {
  let re = 0, im = 0;
  for (let c = 0; c < 3; ++c) {
    const x = shapes[i + c], y = shapes[i + 6 + c];
    re += x * x - y * y;
    im += 2 * x * y;
  }
  return Math.atan2(im, re) / 2;
}

// pose = start + Re(factor · φ), with factor the complex [re, im].
export function addShape(pose, start, shapes, first, [re, im]) {
  for (let i = 0, s = first; i < pose.length; i += kFrame, s += kShape) {
    for (let c = 0; c < 3; ++c) pose[i + c] = start[i + c] + re * shapes[s + c] - im * shapes[s + 6 + c];
    turnBy(
      pose,
      i + 3,
      re * shapes[s + 3] - im * shapes[s + 9],
      re * shapes[s + 4] - im * shapes[s + 10],
      re * shapes[s + 5] - im * shapes[s + 11],
      start,
      i + 3,
    );
  }
}
