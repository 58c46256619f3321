// Files of `flexloop export`, read by others than who wrote them: glTF by three, MAT by scipy, VTU by its definition.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { AnimationMixer, LoopOnce, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { assertNear, flexloop, makeFolder, runModel } from './support.mjs';

const [kForce, kLength, kElements] = [2, 1, 5];
// Damped so much that it has come to rest at the end: then the moment is F (L − x).
const kModel = `flexloop: 1
title: Cantilever
materials: {steel: {E: 200 GPa, nu: 0.3, rho: 7800}}
sections: {plate: {type: rectangle, width: 40 mm, height: 10 mm}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [${kLength}, 0, 0]}
beams: {arm: {from: root, to: tip, elements: ${kElements}, section: plate, material: steel, y_axis: [0, 1, 0], damping: 20 ms}}
loads: {push: {node: tip, force: [0, 0, ${kForce}]}}
sensors: {tip: {measure: position, node: tip}}
analysis:
  time: {end: 2, step: 5 ms, rho: 0.8, record: {frames: true}}
  modes: {count: 3}
`;

let folder, run, table;

function readCsv(file) {
  const [head, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const columns = lines.map((line) => line.split(',').map(Number));
  return Object.fromEntries(head.split(',').map((name, i) => [name, columns.map((row) => row[i])]));
}

function write(name, ...options) {
  const file = join(folder, name);
  flexloop('export', run, '-o', file, '--quiet', ...options);
  return file;
}

before(() => {
  folder = makeFolder();
  run = runModel(kModel);
  table = readCsv(write('run.csv'));
});

const readGlb = async (file) => {
  const bytes = readFileSync(file);
  return new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
};

function poseOf({ scene, animations }, index, time) {
  const mixer = new AnimationMixer(scene);
  const action = mixer.clipAction(animations[index]).setLoop(LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  mixer.setTime(time);
  scene.updateMatrixWorld(true);
  return (name) => scene.getObjectByName(name).getWorldPosition(new Vector3());
}

// glTF has y upwards: x, z, −y of the model.
const upright = (x, y, z) => new Vector3(x, z, -y);

test('the tip of a .glb is where the table has it', async () => {
  const machine = await readGlb(write('run.glb'));
  assert.equal(machine.animations.length, 1);
  for (const record of [1, 20, 77, table.time.length - 1]) {
    const placeOf = poseOf(machine, 0, table.time[record]);
    const expected = upright(...['x', 'y', 'z'].map((axis) => table[`tip.${axis}`][record]));
    assert.ok(placeOf('tip').distanceTo(expected) < 1e-6, `record ${record}`);
    assert.ok(placeOf('root').length() < 1e-7);
  }
  let skinned = 0;
  machine.scene.traverse((part) => (skinned += part.isSkinnedMesh ? 1 : 0));
  assert.ok(skinned >= 1);
});

test('modes of a .glb swing to both sides by a tenth of the machine', async () => {
  const machine = await readGlb(write('modes.glb', '--modes', '--count', '2'));
  assert.equal(machine.animations.length, 2);
  for (const [time, way] of [
    [0, 1],
    [0.25, 0],
    [0.5, -1],
  ]) {
    const moved = poseOf(machine, 0, time)('tip').distanceTo(upright(kLength, 0, 0));
    assertNear(moved, 0.1 * kLength * Math.abs(way), 2e-3);
  }
});

// {points, triangles, arrays}: by VTK's definition of appended raw data.
function readVtu(file) {
  const bytes = readFileSync(file);
  const start = bytes.indexOf('_', bytes.indexOf('<AppendedData')) + 1;
  const text = bytes.subarray(0, start).toString();
  const makers = { Float32: Float32Array, Float64: Float64Array, Int64: BigInt64Array, UInt8: Uint8Array };
  const arrays = {};
  for (const [, attributes] of text.matchAll(/<DataArray ([^>]*)\/>/g)) {
    const { type, Name, offset } = Object.fromEntries([...attributes.matchAll(/(\w+)="([^"]*)"/g)].map((a) => [a[1], a[2]]));
    const at = start + Number(offset);
    const size = Number(bytes.readBigUInt64LE(at));
    arrays[Name] = new makers[type](bytes.buffer.slice(bytes.byteOffset + at + 8, bytes.byteOffset + at + 8 + size));
  }
  const pointAt = (i) => [...arrays.position.subarray(3 * i, 3 * i + 3)];
  const corners = [...arrays.connectivity].map(Number);
  return { arrays, pointAt, corners, points: arrays.position.length / 3, cells: arrays.types.length };
}

const mean = (points) => [0, 1, 2].map((i) => points.reduce((sum, p) => sum + p[i], 0) / points.length);

describe('VTU', () => {
  let first, last;
  before(() => {
    const series = readFileSync(write('run.pvd', '--frames', '10'), 'utf8');
    const files = [...series.matchAll(/timestep="([^"]*)"[^>]*file="([^"]*)"/g)];
    assert.equal(files.length, 10);
    assert.equal(Number(files.at(-1)[1]), table.time.at(-1));
    [first, last] = [files[0], files.at(-1)].map(([, , file]) => readVtu(join(folder, file)));
  });

  test('the end of the beam is where the table has the tip', () => {
    const atTip = Array.from({ length: first.points }, (_, i) => i).filter((i) => first.pointAt(i)[0] > kLength - 1e-6);
    assert.ok(atTip.length >= 4);
    const place = mean(atTip.map(last.pointAt));
    ['x', 'y', 'z'].forEach((axis, i) => assertNear(place[i], table[`tip.${axis}`].at(-1), 1e-6));
    const moved = mean(atTip.map((i) => [...last.arrays['displacement [m]'].subarray(3 * i, 3 * i + 3)]));
    // F L³/3EI of linear theory; the section is 40 mm wide along y and 10 mm high. Shear adds 1e-4 of it.
    const stiffness = (200e9 * 0.04 * 0.01 ** 3) / 12;
    assertNear(moved[2], (kForce * kLength ** 3) / 3 / stiffness, 5e-4 * moved[2]);
  });

  test('cells have the bending moment F (L − x)', () => {
    const moments = last.arrays['bending moment [N*m]'];
    assert.equal(moments.length, last.cells);
    const seen = new Set();
    for (let cell = 0; cell < last.cells; ++cell) {
      const [x] = mean([0, 1, 2].map((k) => first.pointAt(last.corners[3 * cell + k])));
      const onFace = Math.min(Math.abs(x), Math.abs(x - kLength)) < 1e-6;
      const element = Math.min(kElements - 1, Math.max(0, Math.floor((x / kLength) * kElements + (onFace ? (x > 0.5 ? -0.5 : 0.5) : 0))));
      seen.add(element);
      assertNear(moments[cell], kForce * kLength * (1 - (element + 0.5) / kElements), 2e-5 * kForce * kLength);
    }
    assert.equal(seen.size, kElements);
  });

  test('modes are complex displacements of all points', () => {
    const { arrays, points } = readVtu(write('modes.vtu', '--modes', '--count', '2'));
    const names = Object.keys(arrays).filter((name) => /^mode \d.*, (re|im)$/.test(name));
    assert.equal(names.length, 4);
    for (const name of names) assert.equal(arrays[name].length, 3 * points);
  });
});

test('a .mat is read by scipy with the numbers of the table', () => {
  const script = `
import json, sys, scipy.io
m = scipy.io.loadmat(sys.argv[1], squeeze_me=True)
print(json.dumps({k: m[k].tolist() for k in ("time", "names", "units", "values", "nodes")} | {"shape": m["frames"].shape,
      "tip": m["frames"][2, [n.strip() for n in m["nodes"]].index("tip"), -1]}))`;
  const mat = JSON.parse(execFileSync('/usr/bin/python3', ['-c', script, write('run.mat')], { encoding: 'utf8' }));
  assert.deepEqual(mat.time, table.time);
  mat.names.map((name) => name.trim()).forEach((name, i) =>
    mat.values.forEach((row, k) => assertNear(row[i], table[name][k], 1e-12 * Math.abs(row[i]))),
  );
  assert.deepEqual(mat.shape, [7, mat.nodes.length, table.time.length]);
  assertNear(mat.tip, table['tip.z'].at(-1), 1e-12);
});

// What the program says when it refuses.
function refusal(...words) {
  try {
    flexloop('export', ...words);
  } catch (error) {
    return `${error.stdout}${error.stderr}`;
  }
  throw new Error('it was not refused');
}

test('what cannot be written is refused with a remedy', () => {
  assert.match(refusal(run, '-o', join(folder, 'run.obj')), /run\.obj' cannot be exported[\s\S]*\.glb/);
  assert.match(refusal(run, '-o', join(folder, 'modes.csv'), '--modes'), /\.vtu or \.glb/);
  const still = runModel(kModel, '--set', 'analysis.time.record.frames=false');
  for (const name of ['run.glb', 'run.pvd']) assert.match(refusal(still, '-o', join(folder, name)), /record: \{frames: true\}/);
  assert.match(refusal(run, '-o', join(folder, 'missing', 'run.csv')), /missing/);
});
