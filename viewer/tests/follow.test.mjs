// `flexloop view --watch` on a run that is really going: the page grows with it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { findProgram, get, here, makeFolder, openPage, place, set, show, showTab, startBrowser } from './support.mjs';

const kSteps = 40000000; // far more than the test takes; it is stopped

let browser, page, running, shown;

before(async () => {
  browser = await startBrowser();
  const folder = join(makeFolder(), 'run');
  const time = ['--end', String(kSteps / 1000), '--step', '1e-3', '--set', 'analysis.time.record.every=100'];
  running = spawn(findProgram(), ['run', join(here, 'drive.yaml'), '--out', folder, ...time], { stdio: 'ignore' });
  while (!existsSync(join(folder, 'result.h5.partial'))) await new Promise((done) => setTimeout(done, 50));
  shown = await show(folder, '--watch');
  page = await openPage(browser, shown.address);
});

after(async () => {
  running?.kill('SIGKILL');
  await browser?.close();
  shown?.close();
});

const records = async () => (await get(page, 'results'))[0].records;

test('a run that goes on is told to run, and grows', async () => {
  await showTab(page, 'summary');
  assert.match(await page.locator('.summary').innerText(), /running/);
  const first = await records();
  await page.waitForFunction((old) => window.flexloop.store.get('results')[0].records > old, first);
  const second = await records();
  await page.waitForFunction((old) => window.flexloop.store.get('results')[0].records > old, second);
});

test('its newest frame can be looked at', async () => {
  const time = 0.1 * ((await records()) - 2);
  await set(page, { time });
  // The cart has gone from 0.4 m to 0.05 m further, where the reference ends. Until the frame has come, the first is shown.
  await page.waitForFunction(() => window.flexloop.nodePosition('cart')[0] > 0.401);
  const [x] = await place(page, 'cart');
  assert.ok(Math.abs(x - 0.45) < 1e-3, `${x}`);
});

test('a run that ends is complete', async () => {
  running.kill('SIGINT');
  await page.waitForFunction(() => !window.flexloop.store.get('results')[0].growing);
  await showTab(page, 'summary');
  assert.match(await page.locator('.summary').innerText(), /complete|interrupted/);
  assert.deepEqual(page.errors, []);
});
