// A machine of the program itself, run and shown: a cantilever that falls under its own weight.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { countColours, openPage, pictureOf, place as placeOn, runModel, show, startBrowser } from './support.mjs';

const kModel = `flexloop: 1
title: Cantilever
gravity: [0, 0, -9.81]
materials: {alu: {E: 70 GPa, nu: 0.33, rho: 2700}}
sections: {strip: {type: rectangle, width: 20 mm, height: 2 mm}}
nodes: {root: {position: [0, 0, 0], free: []}, tip: [0.5, 0, 0]}
beams: {arm: {from: root, to: tip, elements: 8, section: strip, material: alu, y_axis: [0, 1, 0], damping: 1e-5}}
bodies: {mass: {node: tip, mass: 20 g}}
sensors: {height: {measure: position, node: tip, direction: [0, 0, 1]}}
analysis:
  time: {end: 0.2, step: 2 ms, rho: 0.8, record: {frames: true}}
  modes: {count: 6}
`;

describe('a machine of the program', () => {
  let shown, browser, page;
  before(async () => {
    browser = await startBrowser();
    shown = await show(runModel(kModel));
    page = await openPage(browser, shown.address);
  });
  after(async () => {
    await browser?.close();
    shown?.close();
  });

  const place = (name) => placeOn(page, name);

  test('is drawn as it starts', async () => {
    assert.ok(countColours(await pictureOf(page)) > 100);
    assert.deepEqual(
      (await place('tip')).map((x) => Number(x.toFixed(6))),
      [0.5, 0, 0],
    );
  });

  test('falls, and its nodes fall the more the nearer they are to the tip', async () => {
    await page.evaluate(() => window.flexloop.store.set({ time: 0.04 }));
    await page.waitForFunction(() => window.flexloop.nodePosition('tip')[2] < -1e-3);
    const heights = await Promise.all(
      ['root', 'arm.2', 'arm.4', 'arm.6', 'tip'].map(async (name) => (await place(name))[2]),
    );
    assert.ok(
      heights.every((z, i) => i === 0 || z < heights[i - 1]),
      `heights ${heights}`,
    );
  });

  test('swings in its first mode, root at rest', async () => {
    await page.getByRole('row', { name: 'mode 1', exact: true }).click();
    await page.waitForFunction(() => window.flexloop.nodePosition('tip')[2] > 0.04);
    await page.waitForFunction(() => window.flexloop.nodePosition('tip')[2] < -0.04);
    assert.deepEqual(
      (await place('root')).map((x) => x + 0),
      [0, 0, 0],
    );
  });

  test('is coloured by a field that the program computes', async () => {
    await page.getByLabel('Colour').selectOption({ label: 'bending moment' });
    await page.getByLabel('time', { exact: true }).and(page.locator('input')).press('ArrowRight');
    await page.waitForSelector('.colour-bar:not([hidden])');
    assert.match(await page.locator('.colour-bar').innerText(), /N·m/);
  });

  test('nothing was complained about', () => assert.deepEqual(page.errors, []));
});
