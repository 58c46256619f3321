// The viewer inside of a notebook: a report in an iframe of another page, as `r.view()` of the Python module puts it there.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runModel, startBrowser, writeReport } from './support.mjs';

const kModel = `flexloop: 1
title: A cart
nodes: {cart: {position: [0, 0, 0], free: [x], velocity: [1, 0, 0]}}
bodies: {cart: {node: cart, mass: 1}}
sensors: {x: {measure: displacement, node: cart, direction: [1, 0, 0]}}
analysis: {time: {end: 1, step: 10 ms, record: {frames: true}}}
`;
const kHeight = 600;

let browser, server, page, frame;
const errors = [];

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;').replace(/'/g, '&#x27;');

before(async () => {
  const report = readFileSync(fileURLToPath(writeReport(runModel(kModel))), 'utf8');
  const cell = `<iframe srcdoc="${escape(report)}" width="100%" height="${kHeight}" style="border:0"></iframe>`;
  // Text above and below, so that the cell can be scrolled out of sight.
  const lines = '<p>In [1]: r.view()</p>'.repeat(60);
  server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><body><p>In [0]:</p><div class="output">${cell}</div>${lines}</body>`);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  browser = await startBrowser();
  page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  page.setDefaultTimeout(120000);
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  frame = await (await page.waitForSelector('iframe')).contentFrame();
  await frame.waitForSelector('canvas[data-ready]');
});
after(async () => {
  await browser?.close();
  server?.close();
});

describe('a notebook', () => {
  test('shows the machine in the cell', async () => {
    const box = await frame.locator('.canvas canvas').boundingBox();
    assert.ok(box.width > 300 && box.height > 200 && box.height <= kHeight, JSON.stringify(box));
    assert.deepEqual(errors.filter((text) => !/favicon/.test(text)), []);
  });
  test('plays the motion', async () => {
    await frame.evaluate(() => window.flexloop.store.set({ time: 0.5 }));
    await frame.waitForFunction(() => {
      const at = window.flexloop.nodePosition('cart');
      return Math.abs((at[0] ?? at.x) - 0.5) < 1e-6;
    });
  });
  test('leaves the notebook its keys', async () => {
    await page.evaluate(() => {
      window.typed = '';
      document.addEventListener('keydown', (event) => (window.typed += event.key));
    });
    await page.click('p');
    await page.keyboard.press('b');
    assert.equal(await page.evaluate(() => window.typed), 'b');
  });
});
