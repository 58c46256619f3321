// A machine of the program itself, run and shown: a cantilever that falls under its own weight.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  assertNear,
  countChanges,
  countColours,
  drawn,
  get,
  openPage,
  pictureOf,
  place as placeOn,
  rowsOf,
  runModel,
  set,
  show,
  startBrowser,
  writeReport,
} from './support.mjs';

const isBeam = (r, g, b) => r > 70 && b - g > 18 && g - r > 18;
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

  const place = (name) => placeOn(page, name);

  test('is drawn as it starts', async () => {
    assert.ok(countColours(await pictureOf(page)) > 100);
    assert.deepEqual(
      (await place('tip')).map((x) => Number(x.toFixed(6))),
      [0.5, 0, 0],
    );
  });

  test('plays by the space bar', async () => {
    const start = await pictureOf(page);
    await page.locator('.canvas canvas').focus();
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.flexloop.store.get('time') > 0.02);
    await page.keyboard.press(' ');
    assert.equal(await get(page, 'playing'), false);
    await drawn(page);
    assert.ok(countChanges(start, await pictureOf(page)) > 300);
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

  // x runs to the right as seen from −y, and rows are counted downwards. A straight beam would be halfway down in its
  // middle; one that is bent by its weight and that of its tip is at 5/16 to 17/48 (tip load and own weight alone).
  test('bends downwards on the screen', async () => {
    await page.getByRole('button', { name: 'View from −y' }).click();
    await set(page, { time: 0.04, scale: 8 });
    await drawn(page);
    const picture = await pictureOf(page);
    const columns = Array.from({ length: picture.width }, (_, i) => i).filter((i) => rowsOf(picture, i, isBeam).length > 1);
    const [left, right] = [columns[0], columns.at(-1)];
    const row = (part) => {
      const rows = rowsOf(picture, Math.round(left + part * (right - left)), isBeam);
      return (rows[0] + rows.at(-1)) / 2;
    };
    const [root, middle, tip] = [0.15, 0.5, 0.9].map(row);
    assert.ok(root < middle && middle < tip, `rows ${[root, middle, tip]}`);
    assert.ok((middle - root) / (tip - root) < 0.45, `rows ${[root, middle, tip]}`);
    await set(page, { scale: 1 });
  });

  test('is picked by a click', async () => {
    const picture = await pictureOf(page);
    const column = Math.round(0.5 * picture.width);
    const rows = rowsOf(picture, column, isBeam);
    await page.locator('.canvas canvas').click({ position: { x: column, y: rows[Math.floor(rows.length / 2)] } });
    assert.deepEqual(await get(page, 'selected'), { kind: 'beam', name: 'arm' });
    assert.equal(await page.locator('.tree [aria-selected=true]').innerText(), 'arm');
    await page.keyboard.press('Escape');
    assert.equal(await get(page, 'selected'), null);
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

  // The second bending mode of a cantilever has a node between the middle and the tip; which of the program's
  // modes it is depends on those across.
  test('switches modes by keys', async () => {
    const { modes } = await get(page, 'modes');
    assert.ok(modes.length >= 4 && modes.every((mode) => mode.stable));
    await page.getByRole('row', { name: 'mode 1', exact: true }).focus();
    let found = false;
    for (let i = 1; i < modes.length && !found; ++i) {
      await page.keyboard.press('ArrowDown');
      assert.equal(await get(page, 'mode'), i);
      await drawn(page);
      found = await page.evaluate(async () => {
        const end = performance.now() + 1500;
        while (performance.now() < end) {
          await new Promise((done) => requestAnimationFrame(done));
          const [middle, tip] = ['arm.4', 'tip'].map((name) => window.flexloop.nodePosition(name)[2]);
          if (middle > 5e-3 && tip < -1e-4) return true;
        }
        return false;
      });
    }
    assert.ok(found, 'a mode whose middle goes against the tip');
  });

  test('is coloured by a field that the program computes', async () => {
    await page.getByLabel('Colour').selectOption({ label: 'bending moment' });
    await page.getByLabel('time', { exact: true }).and(page.locator('input')).press('ArrowRight');
    await page.waitForSelector('.colour-bar:not([hidden])');
    assert.match(await page.locator('.colour-bar').innerText(), /N·m/);
  });

  test('the report opens from disk and moves as the run does', async () => {
    const report = await openPage(browser, writeReport(run));
    for (const time of [0.04, 0.1]) {
      await set(page, { time, moves: 'time' });
      await set(report, { time, moves: 'time' });
      await Promise.all([drawn(page), drawn(report)]);
      const [live, held] = [await place('tip'), await placeOn(report, 'tip')];
      assert.ok(held[2] < -1e-4);
      live.forEach((x, i) => assertNear(held[i], x, 1e-7));
    }
    await report.getByRole('row', { name: 'mode 1', exact: true }).click();
    await report.waitForFunction(() => window.flexloop.nodePosition('tip')[2] > 0.04);
    assert.ok(countColours(await pictureOf(report)) > 100);
    assert.deepEqual(report.errors, []);
    await report.close();
  });

  test('nothing was complained about', () => assert.deepEqual(page.errors, []));
});

// After 3 s the body is 44 m below a machine of 0.2 m.
test('what falls away is followed by the camera', async () => {
  const model = `flexloop: 1
gravity: [0, 0, -9.81]
nodes: {A: [0, 0, 0], B: [0.2, 0, 0]}
bodies:
  a: {node: A, mass: 1, inertia: [1e-3, 1e-3, 1e-3], shape: {type: sphere, radius: 3 cm}}
  b: {node: B, mass: 1, inertia: [1e-3, 1e-3, 1e-3], shape: {type: sphere, radius: 3 cm}}
joints: {both: {type: weld, between: [A, B]}}
analysis: {time: {end: 3, step: 10 ms, record: {frames: true}}}
`;
  const browser = await startBrowser();
  const shown = await show(runModel(model));
  try {
    const page = await openPage(browser, shown.address);
    assert.equal(await get(page, 'follow'), true);
    const isBody = (r, g, b) => b - r > 14 && b - r < 50 && r < 190;
    const seen = async (time) => {
      await set(page, { time });
      await drawn(page);
      await drawn(page);
      const picture = await pictureOf(page);
      return Array.from({ length: picture.width }, (_, i) => rowsOf(picture, i, isBody).length).reduce((a, b) => a + b);
    };
    const [start, end] = [await seen(0), await seen(3)];
    assert.ok(start > 500 && end > 0.7 * start, `${start} and ${end} pixels`);
    await page.getByRole('button', { name: 'The camera moves with the machine' }).click();
    assert.equal(await get(page, 'follow'), false);
    assert.deepEqual(page.errors, []);
  } finally {
    await browser.close();
    shown.close();
  }
});
