// What the scene computes, against closed forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Box3, Group, Mesh, Vector3 } from 'three';
import { Acting } from '../src/scene/acting.js';
import { Bodies } from '../src/scene/bodies.js';
import { Chunks } from '../src/scene/chunks.js';
import { Forces } from '../src/scene/forces.js';
import { arrow } from '../src/scene/glyphs.js';
import { Motion } from '../src/scene/motion.js';
import { addShape, blendFrames, exaggerate, normaliseShape, restPose } from '../src/scene/pose.js';
import { kRing, Rings } from '../src/scene/rings.js';
import { rangeOf, sampleMap } from '../src/scene/palette.js';

const turnZ = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
const angleZ = (pose, node) => 2 * Math.atan2(pose[7 * node + 6], pose[7 * node + 3]);
const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} should be ${b} ± ${tolerance}`);

test('a rotation is interpolated at constant rate', () => {
  const a = Float32Array.from([0, 0, 0, ...turnZ(0.2)]);
  const b = Float32Array.from([1, 2, 3, ...turnZ(1.4)]);
  const pose = new Float32Array(7);
  blendFrames(pose, a, 0, b, 0, 0.25);
  near(pose[1], 0.5, 1e-6);
  near(angleZ(pose, 0), 0.5, 1e-6);
});

test('quaternions of opposite sign are the same rotation', () => {
  const a = Float32Array.from([0, 0, 0, ...turnZ(0.2)]);
  const b = Float32Array.from([0, 0, 0, ...turnZ(0.6).map((x) => -x)]);
  const pose = new Float32Array(7);
  blendFrames(pose, a, 0, b, 0, 0.5);
  near(Math.abs(angleZ(pose, 0)) % (2 * Math.PI), 0.4, 1e-6);
});

test('displacements and rotation vectors are scaled from the start', () => {
  const start = Float32Array.from([1, 0, 0, ...turnZ(0.3)]);
  const pose = Float32Array.from([1.1, 0, 0, ...turnZ(0.5)]);
  exaggerate(pose, start, 3);
  near(pose[0], 1.3, 1e-6);
  near(angleZ(pose, 0), 0.9, 1e-6);
});

test('a node is told to be where it is at this time, however large displacements are drawn', () => {
  const store = { get: (key) => ({ time: 0.5, scale: 10, moves: 'time' })[key], on: () => {} };
  const rest = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 1, 0, 0, 0]);
  const motion = new Motion({ source: {}, store, scene: { nodes: [{}, {}] } }, rest, () => {}, () => {});
  assert.deepEqual(motion.truePosition(1), [1, 2, 3]);
  motion.run = { writePose: (pose, time) => (pose.set(rest), (pose[9] += time), true) };
  motion.update(0);
  assert.deepEqual(motion.position(1), [1, 2, 8]);
  assert.deepEqual(motion.truePosition(1), [1, 2, 3.5]);
});

test('a complex shape is drawn with its largest displacement real and a tenth of the machine', () => {
  // A circle in x and y is as large at all times; along z a quarter of a period behind.
  const shape = new Float32Array(12);
  [shape[2], shape[8]] = [0, -4];
  const factor = normaliseShape(shape, 0, 1, 2);
  const start = restPose([{ position: [0, 0, 0], rotation: [1, 0, 0, 0] }]);
  const pose = start.slice();
  addShape(pose, start, shape, 0, factor);
  near(pose[2], 0.2, 1e-6);
});

test('a beam through nodes on a circle stays on the circle', () => {
  const count = 9;
  const radius = 2;
  const nodes = Array.from({ length: count }, (_, i) => {
    const a = ((Math.PI / 2) * i) / (count - 1);
    return { position: [radius * Math.sin(a), radius * (1 - Math.cos(a)), 0], rotation: turnZ(a) };
  });
  const beam = { nodes: nodes.map((_, i) => i), axes: nodes.map(() => [1, 0, 0, 0]), firstSegment: 0 };
  const rings = new Rings([beam]);
  rings.update(restPose(nodes));
  for (let r = 0; r < (count - 1) * rings.perSegment; ++r) {
    const o = r * kRing;
    // Hermite with tangents as long as the chord, not the arc: the error is of fourth order in the segment's angle.
    near(Math.hypot(rings.data[o], rings.data[o + 1] - radius), radius, 2e-4 * radius);
    const tangent = 2 * Math.atan2(rings.data[o + 6], rings.data[o + 7]);
    near(tangent, Math.atan2(rings.data[o], radius - rings.data[o + 1]), 2e-3);
  }
});

test('5,000 nodes are moved in less than 10 ms', () => {
  const nodes = Array.from({ length: 5000 }, (_, i) => ({ position: [0.1 * i, 0, 0], rotation: turnZ(Math.sin(i)) }));
  const beams = Array.from({ length: 50 }, (_, b) => {
    const members = Array.from({ length: 100 }, (_, i) => 100 * b + i);
    return { nodes: members, axes: members.map(() => [1, 0, 0, 0]), firstSegment: 99 * b };
  });
  const rings = new Rings(beams);
  const rest = restPose(nodes);
  const pose = rest.slice();
  const times = Array.from({ length: 60 }, () => {
    const start = performance.now();
    blendFrames(pose, rest, 0, rest, 0, 0.5);
    rings.update(pose);
    return performance.now() - start;
  });
  const median = times.sort((a, b) => a - b)[30];
  assert.ok(median < 10, `${median} ms`);
});

test('chunks are asked for once, and a failure is not repeated', async () => {
  let asked = 0;
  const chunks = new Chunks(
    async (c) => {
      asked += 1;
      if (c === 1) throw new Error('lost');
      return new Float32Array(4);
    },
    () => {},
  );
  for (let i = 0; i < 3; ++i) [0, 1].forEach((c) => chunks.get(c));
  await new Promise((done) => setTimeout(done, 5));
  assert.equal(chunks.get(0).length, 4);
  assert.equal(chunks.get(1), undefined);
  assert.equal(asked, 2);
});

test('signed fields are centred on zero', () => {
  assert.deepEqual(rangeOf(-2, 5), { low: -5, high: 5, signed: true });
  assert.deepEqual(rangeOf(1, 5), { low: 1, high: 5, signed: false });
  assert.deepEqual(rangeOf(1e-7, 5), { low: 0, high: 5, signed: false });
  const [r, g, b] = sampleMap(true, 0.5);
  assert.ok(r === g && g === b);
});

// The tip of the drawn arrow: the vertex that is farthest along ±z.
function tipOf(part) {
  part.updateMatrixWorld(true);
  let tip = 0;
  part.traverse((mesh) => {
    const places = mesh.geometry?.getAttribute('position');
    for (let i = 0; i < (places?.count ?? 0); ++i) {
      const { z } = new Vector3().fromBufferAttribute(places, i).applyMatrix4(mesh.matrixWorld);
      if (Math.abs(z) > Math.abs(tip)) tip = z;
    }
  });
  return tip;
}

test('an arrow is as long as its load is large, and turns with its sign', () => {
  const part = new Group();
  part.add(...arrow(6, 0.2).map((geometry) => new Mesh(geometry)));
  const acting = new Acting(part, 6, 0.2);
  for (const size of [1, 0.5, 0.1, -0.02, -0.7]) {
    acting.show(size);
    near(tipOf(part), 6 * size, 1e-5);
  }
  acting.show(0);
  assert.equal(acting.inner.visible, false);
});

test('loads follow recorded channels and sources, and are whole where nothing is known', async () => {
  const numbers = {
    'result/0/time': [0, 1, 2],
    'result/0/channel/1': [0, 4, -8],
    'result/0/source/wave': [5, 5, 10],
  };
  const source = { canAsk: true, f64: async (name) => Float64Array.from(numbers[name]) };
  const scene = {
    loads: [
      { name: 'push', follows: [{ signal: 'wave', factor: 1 }] },
      { name: 'weight', follows: [{ signal: '', factor: 0.5 }] },
    ],
    actuators: [
      { name: 'motor', follows: [{ signal: 'motor', factor: 1 }, { signal: 'u', factor: -3 }] },
      { name: 'slow', follows: [{ signal: 'slow', factor: 1 }] },
    ],
  };
  const result = { id: '0', records: 3, channels: [{ name: 'x' }, { name: 'u' }], sources: ['wave'] };
  const store = { on: (keys, listener) => listener({ result: '0', results: [result] }) };
  await new Promise((changed) => (scene.forces = new Forces({ source, store, scene }, changed)));
  const partAt = (kind, name, time) => scene.forces.partAt({ kind, name }, time);
  near(scene.forces.valueAt({ kind: 'actuator', name: 'motor' }, 0.5), -6, 1e-12);
  near(partAt('actuator', 'motor', 0.5), -0.25, 1e-12);
  near(partAt('actuator', 'motor', 2), 1, 1e-12);
  near(partAt('load', 'push', 1.5), 0.75, 1e-12);
  assert.equal(partAt('load', 'weight', 1), 1);
  assert.equal(partAt('actuator', 'slow', 1), 1);
});

test('a body without a shape reaches from its mass to its joint', () => {
  const body = { name: 'bob', node: 1, com: [0, 0, 0], given: false, shape: { type: 'sphere', radius: 0.02 } };
  const scene = {
    size: 1,
    // Its axes are turned by a quarter about z: what lies along −x of ground lies along y of the body.
    nodes: [{ position: [0, 0, 0], rotation: [1, 0, 0, 0] }, { position: [1, 0, 0], rotation: turnZ(Math.PI / 2) }],
    bodies: [body, { ...body, name: 'given', given: true }],
    joints: [{ nodes: [0, 1], at: [0, 0, 0] }],
    springs: [],
  };
  const bodies = new Bodies(scene);
  bodies.update(restPose(scene.nodes));
  const [bob, given] = bodies.items.map(({ object }) => new Box3().setFromObject(object));
  near(bob.min.x, 0, 0.01);
  near(bob.max.x, 1.02, 0.01);
  near(bob.max.y, 0.02, 0.01);
  near(given.min.x, 0.98, 1e-6);
});
