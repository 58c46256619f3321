// Flexible parts: their surfaces on the page and in files, deformed as their interfaces say and coloured by stress.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AnimationMixer, LoopOnce, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { findEdges, stressOf } from '../src/scene/parts.js';
import { assertNear, flexloop, makeFolder, openPage, pictureOf, runModel, set, settled, show, startBrowser, writeReport } from './support.mjs';

// A moment at the tip, slowly: σ = M c/I.
const kModel = `flexloop: 1
title: Arm
materials: {alu: {E: 70 GPa, nu: 0.3, rho: 2700}}
parts:
  arm:
    block: {size: [400 mm, 30 mm, 20 mm], elements: [8, 2, 2]}
    material: alu
    interfaces: {root: {set: x0}, tip: {set: x1}}
    modes: 6
    damping: 0.5
joints: {floor: {type: weld, between: [ground, arm.root]}}
loads: {bend: {node: arm.tip, torque: [0, 200, 0], signal: rise}}
blocks: {rise: {type: table, time: [0, 40 ms, 60 ms], value: [0, 1, 1]}}
sensors: {tip: {measure: position, node: arm.tip}}
outputs: [tip]
analysis: {time: {end: 60 ms, step: 1 ms}}
`;
const kStress = 200 / ((0.03 * 0.02 ** 2) / 6);

test('edges are those of the outline and between faces that meet at an angle', () => {
  // Two triangles in a plane and one upright beside them.
  const points = new Float32Array([0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1]);
  const edges = findEdges(points, new Uint32Array([0, 1, 2, 0, 2, 3, 0, 3, 4]));
  const pairs = new Set();
  for (let i = 0; i < edges.length; i += 2) pairs.add([edges[i], edges[i + 1]].sort().join('-'));
  assert.deepEqual([...pairs].sort(), ['0-1', '0-3', '0-4', '1-2', '2-3', '3-4']);
});

test('the stress of a shell is that of the side which has more', () => {
  // One point and two coordinates: tension on both sides, and bending.
  const stress = new Float32Array([3, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, -4, 0, 0, 0, 0, 0]);
  const part = { points: 1, sides: 2, coordinates: 2, firstCoordinate: 1 };
  assertNear(stressOf({ stress, part }, [9, 1, -2])[0], 11, 1e-6);
});

describe('a flexible arm', () => {
  let run, shown, browser, page;
  before(async () => {
    browser = await startBrowser();
    run = runModel(kModel);
    shown = await show(run);
    page = await openPage(browser, shown.address);
  });
  after(async () => {
    await browser?.close();
    shown?.close();
  });

  const isPart = (r, g, b) => b > r + 15 && b > g && r > 60 && r < 180;
  const isYellow = (r, g, b) => r > 150 && g > 150 && b < 110;

  test('is drawn with its surface', async () => {
    await set(page, { time: 0, colour: 'none' });
    await settled(page);
    assert.ok(countPixels(await pictureOf(page), isPart) > 3000);
    assert.deepEqual(page.errors, []);
  });

  test('is coloured by stress where it is bent', async () => {
    await set(page, { time: 0.06, colour: 'von_mises', scale: 1 });
    await settled(page);
    assert.ok(countPixels(await pictureOf(page), isYellow) > 500);
    assert.deepEqual(page.errors, []);
  });

  test('is in a report from disk too', async () => {
    const report = await openPage(browser, writeReport(run));
    await settled(report);
    assert.ok(countPixels(await pictureOf(report), isPart) > 3000);
    assert.deepEqual(report.errors, []);
  });

  test('is deformed in a GLB as three reads it', async () => {
    const file = join(makeFolder(), 'arm.glb');
    flexloop('export', run, '-o', file, '--quiet');
    const bytes = readFileSync(file);
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
    const mixer = new AnimationMixer(gltf.scene);
    const action = mixer.clipAction(gltf.animations[0]).setLoop(LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    mixer.setTime(gltf.animations[0].duration);
    gltf.scene.updateMatrixWorld(true);
    let arm = null;
    gltf.scene.traverse((object) => (arm = object.isSkinnedMesh && object.morphTargetInfluences?.length > 0 ? object : arm));
    assert.equal(arm.morphTargetInfluences.length, 12);
    // The middle of the end face is where the sensor has the tip; glTF has y upwards.
    const csv = join(makeFolder(), 'arm.csv');
    flexloop('export', run, '-o', csv, '--quiet');
    const [, x, y, z] = readFileSync(csv, 'utf8').trim().split('\n').at(-1).split(',').map(Number);
    const mean = new Vector3();
    let count = 0;
    const rest = arm.geometry.getAttribute('position');
    for (let i = 0; i < rest.count; ++i) {
      if (rest.getX(i) < 0.4 - 1e-6) continue;
      mean.add(arm.getVertexPosition(i, new Vector3()).applyMatrix4(arm.matrixWorld));
      count += 1;
    }
    mean.divideScalar(count);
    assert.equal(count, 9);
    assertNear(mean.x, x, 2e-5);
    assertNear(mean.y, z, 2e-5);
    assertNear(mean.z, -y, 2e-5);
  });

  test('has its stress in a VTU', () => {
    const folder = makeFolder();
    flexloop('export', run, '-o', join(folder, 'arm.pvd'), '--quiet');
    const equilibrium = flexloop('equilibrium', writeLoaded(folder), '--json', '-', '--quiet');
    const { von_mises: largest } = JSON.parse(equilibrium).parts.arm;
    // In the middle of the arm the bending stress, at its held ends somewhat more.
    assert.ok(largest > 0.99 * kStress && largest < 1.6 * kStress, `${largest} and ${kStress}`);
    assert.match(readFileSync(join(folder, 'arm_files', '000060.vtu'), 'latin1'), /von Mises stress \[Pa\]/);
  });
});

function countPixels({ data }, isOne) {
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (isOne(data[i], data[i + 1], data[i + 2])) count += 1;
  return count;
}

function writeLoaded(folder) {
  const file = join(folder, 'loaded.yaml');
  writeFileSync(file, kModel.replace(', signal: rise', '').replace(/blocks:.*\n/, ''));
  return file;
}
