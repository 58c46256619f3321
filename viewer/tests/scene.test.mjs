// The machine on the page: that it is seen, moves as its data says, and can be pointed at.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { kDepth, kEnd, makeReport, serveCantilever } from './cantilever.mjs';
import {
  assertNear,
  countChanges,
  countColours,
  drawn,
  get,
  makeFolder,
  openPage,
  pictureOf,
  place,
  rowsOf,
  set,
  startBrowser,
} from './support.mjs';

const isBeam = (r, g, b) => r > 70 && b - g > 18 && g - r > 18;

describe('the scene', () => {
  let browser, server, page;
  before(async () => {
    browser = await startBrowser();
    server = await serveCantilever();
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });
  beforeEach(async () => {
    page = await openPage(browser, server.url);
  });
  afterEach(async () => {
    assert.deepEqual(page.errors, []);
    await page.close();
  });

  test('is not blank', async () => {
    assert.ok(countColours(await pictureOf(page)) > 100);
  });

  test('plays and pauses with button and space', async () => {
    const start = await pictureOf(page);
    await page.getByRole('button', { name: 'Play' }).click();
    await page.waitForFunction(() => window.flexloop.store.get('time') > 0.3);
    await page.locator('canvas').focus();
    await page.keyboard.press(' ');
    assert.equal(await get(page, 'playing'), false);
    await drawn(page);
    assert.ok(countChanges(start, await pictureOf(page)) > 500);
  });

  test('arrow keys on the scrubber go from record to record', async () => {
    await page.getByLabel('time', { exact: true }).and(page.locator('input')).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowLeft');
    assertNear(await get(page, 'time'), kEnd / 100, 1e-12);
  });

  test('the beam bends downwards on the screen', async () => {
    await set(page, { time: kEnd / 2 });
    await page.getByRole('button', { name: 'View from −y' }).click();
    await drawn(page);
    const [x, , z] = await place(page, 'tip');
    assertNear(x, 1, 1e-6);
    assertNear(z, -kDepth, 1e-6);
    const picture = await pictureOf(page);
    const columns = Array.from({ length: picture.width }, (_, i) => i).filter(
      (i) => rowsOf(picture, i, isBeam).length > 3,
    );
    const [left, right] = [columns[0], columns.at(-1)];
    const row = (part) => rowsOf(picture, Math.round(left + part * (right - left)), isBeam).at(-1);
    // x runs to the right as seen from −y; rows are counted downwards. The root itself is behind the hinge.
    const rows = [0.15, 0.4, 0.65, 0.9].map(row);
    assert.ok(
      rows.every((r, i) => i === 0 || r > rows[i - 1]),
      `rows ${rows}`,
    );
    // The shape (3 s² − s³)/2 goes down by 0.215 of the way from 0.15 to 0.9 until 0.4; a straight line by 0.33.
    assertNear((rows[1] - rows[0]) / (rows[3] - rows[0]), 0.215, 0.06);
  });

  test('between two records the motion is interpolated', async () => {
    await set(page, { time: (0.51 * kEnd) / 50 });
    await drawn(page);
    const expected = -kDepth * Math.sin((Math.PI * 0.51) / 50);
    assertNear((await place(page, 'tip'))[2], expected, 1e-5);
  });

  test('displacements can be drawn larger', async () => {
    await set(page, { time: kEnd / 2, scale: 2 });
    await drawn(page);
    assertNear((await place(page, 'tip'))[2], -2 * kDepth, 1e-6);
  });

  test('pointing names a beam, a click selects it in scene and tree', async () => {
    await page.getByRole('button', { name: 'View from −y' }).click();
    await drawn(page);
    const picture = await pictureOf(page);
    const column = Math.round(0.5 * picture.width);
    const rows = rowsOf(picture, column, isBeam);
    const at = { x: column, y: rows[Math.floor(rows.length / 2)] };
    await page.locator('canvas').hover({ position: at });
    await page.waitForSelector('.scene-tip:not([hidden])');
    assert.match(await page.locator('.scene-tip').innerText(), /arm\s+beam/);
    await page.locator('canvas').click({ position: at });
    assert.deepEqual(await get(page, 'selected'), { kind: 'beam', name: 'arm' });
    assert.equal(await page.locator('.tree [aria-selected=true]').innerText(), 'arm');
    await page.mouse.move(5, 5);
    await drawn(page);
    assert.ok(countChanges(picture, await pictureOf(page)) > 1000);
  });

  test('the tree works with keys alone', async () => {
    await page.locator('.tree [role=tree] [tabindex="0"]').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    assert.deepEqual(await get(page, 'selected'), { kind: 'actuator', name: 'motor' });
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-expanded')), 'false');
    await page.locator('.tree input[type=search]').fill('mas');
    assert.equal(await page.locator('.tree [role=group] [role=treeitem]:visible').innerText(), 'mass');
  });

  test('F looks at the selection and H at everything', async () => {
    await page.locator('canvas').focus();
    await page.keyboard.press('h');
    await drawn(page);
    const home = await pictureOf(page);
    await set(page, { selected: { kind: 'body', name: 'mass' } });
    await page.keyboard.press('f');
    await drawn(page);
    const close = await pictureOf(page);
    await set(page, { selected: null });
    await page.keyboard.press('h');
    await drawn(page);
    assert.ok(countChanges(home, close) > 5000);
    assert.ok(countChanges(home, await pictureOf(page)) < 200);
  });

  test('fields colour the beam and are explained', async () => {
    const plain = await pictureOf(page);
    await page.getByLabel('Colour').selectOption('bending');
    await page.waitForSelector('.colour-bar:not([hidden])');
    await drawn(page);
    assert.match(await page.locator('.colour-bar').innerText(), /bending moment \[N·m\]\s+−1\s+0\s+1/);
    assert.ok(countChanges(plain, await pictureOf(page)) > 1000);
  });

  test('everything fits on a small screen', async () => {
    await page.setViewportSize({ width: 800, height: 600 });
    await drawn(page);
    assert.ok(countColours(await pictureOf(page)) > 100);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 800, `${wide} px wide`);
  });
});

describe('modes', () => {
  let browser, server, page;
  before(async () => {
    browser = await startBrowser();
    server = await serveCantilever();
    page = await openPage(browser, server.url);
  });
  after(async () => {
    await browser?.close();
    server?.close();
  });

  // Heights of the tip for a while.
  const watch = () =>
    page.evaluate(async () => {
      const heights = [];
      const end = performance.now() + 2000;
      while (performance.now() < end) {
        await new Promise((done) => requestAnimationFrame(done));
        heights.push(window.flexloop.nodePosition('tip')[2]);
      }
      return heights;
    });

  test('a click lets one swing, a tenth of the machine to both sides', async () => {
    await page.getByRole('row', { name: 'mode 1' }).click();
    assert.equal(await get(page, 'moves'), 'mode');
    await page.waitForFunction(() => window.flexloop.nodePosition('tip')[2] < -0.1);
    await page.waitForFunction(() => window.flexloop.nodePosition('tip')[2] > 0.1);
    const heights = await watch();
    assert.ok(Math.max(...heights) < 0.1101 && Math.min(...heights) > -0.1101);
  });

  test('arrow keys choose the next one; unstable ones are told in words', async () => {
    await page.getByRole('row', { name: 'mode 1' }).focus();
    await page.keyboard.press('ArrowDown');
    assert.equal(await get(page, 'mode'), 1);
    assert.match(await page.getByRole('row', { name: 'mode 2' }).innerText(), /unstable/);
  });

  test('one that does not swing dies out to one side', async () => {
    await page.getByRole('row', { name: 'mode 3' }).click();
    const heights = await watch();
    assert.ok(Math.min(...heights) > -1e-6);
    assert.ok(heights.filter((z, i) => i > 0 && z > heights[i - 1] + 1e-9).length <= 2);
  });

  test('paused, it stands still', async () => {
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await drawn(page);
    const before = await place(page, 'tip');
    for (let i = 0; i < 5; ++i) await drawn(page);
    assert.deepEqual(await place(page, 'tip'), before);
  });

  test('other views are asked from the program, a refusal is told', async () => {
    await page.getByLabel('Open', { exact: true }).check({ force: true });
    await page.waitForFunction(() => window.flexloop.store.get('modes').loop === 'open');
    const refused = page.waitForSelector('.modes .notes .bad');
    // No check(): the refusal may put the choice back before that has looked.
    await page.getByLabel('Locked', { exact: true }).click({ force: true });
    assert.match(await (await refused).innerText(), /Nothing can be locked/);
    assert.equal(await page.getByLabel('Open', { exact: true }).isChecked(), true);
  });

  test('playing goes back to time', async () => {
    await page.getByRole('button', { name: 'Play', exact: true }).click();
    assert.equal(await get(page, 'moves'), 'time');
  });

  // The browser itself tells of the refusal above.
  test('nothing else was complained about', () => {
    assert.deepEqual(
      page.errors.filter((text) => !text.includes('422')),
      [],
    );
  });
});

test('a report opens from disk and moves', async () => {
  const folder = makeFolder();
  const browser = await startBrowser();
  try {
    writeFileSync(join(folder, 'report.html'), makeReport());
    const page = await openPage(browser, `file://${join(folder, 'report.html')}`);
    await set(page, { time: kEnd / 2 });
    await drawn(page);
    assertNear((await place(page, 'tip'))[2], -kDepth, 1e-6);
    assert.ok(countColours(await pictureOf(page)) > 100);
    assert.equal(await page.getByLabel('Open', { exact: true }).count(), 0);
    assert.deepEqual(page.errors, []);
  } finally {
    await browser.close();
  }
});
