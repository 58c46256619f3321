// Plots, diagram, parameters and summary in a browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, test } from 'node:test';
import { join } from 'node:path';
import {
  contrast,
  get,
  here,
  luminance,
  openPage,
  parseXml,
  runModel,
  set,
  settled as settledPage,
  show as showResult,
  startBrowser,
  writeReport,
} from './support.mjs';

let run;
let server;
let browser;
let page;

before(async () => {
  run = runModel(join(here, 'drive.yaml'));
  browser = await startBrowser();
  server = await showResult(run);
});

after(async () => {
  await browser?.close();
  server?.close();
});

async function open({ width = 1400, height = 900, address = server.address } = {}) {
  await page?.close();
  page = await openPage(browser, address, { width, height });
}

const settled = () => settledPage(page);

beforeEach(() => open());

const show = (tab) => page.click(`#tab-${tab}`);
const data = (name) => page.evaluate(async (n) => (await fetch(`data/${n}`)).json(), name);
const numbers = (name) => page.evaluate(async (n) => [...new Float64Array(await (await fetch(`data/${n}`)).arrayBuffer())], name);
const add = (kind) => page.click(`.plot-bar button:text-is("${kind}")`);
const chart = (card, k = 0) => page.locator('.card').nth(card).locator('.u-over').nth(k);

async function download(card, kind) {
  const pending = page.waitForEvent('download');
  await page.locator('.card').nth(card).locator(`button:text-is("${kind}")`).click();
  return readFileSync(await (await pending).path());
}

async function csv(card) {
  const [head, ...rows] = (await download(card, 'CSV')).toString().trim().split('\n');
  return { head: head.split(','), rows: rows.map((row) => row.split(',').map(Number)) };
}

// Where pixels of this colour are in a chart, in pixels of the page.
async function pixels(card, colour, k = 0) {
  const canvas = page.locator('.card').nth(card).locator('canvas').nth(k);
  await canvas.scrollIntoViewIfNeeded();
  return canvas.evaluate((c, wanted) => {
    const { data: all } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
    const box = c.getBoundingClientRect();
    const found = [];
    for (let i = 0; i < all.length; i += 4) {
      const far = wanted.some((value, p) => Math.abs(all[i + p] - value) > 2);
      if (!far) found.push([box.left + (((i / 4) % c.width) * box.width) / c.width, box.top + (Math.floor(i / 4 / c.width) * box.height) / c.height]);
    }
    return found;
  }, [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)));
}

async function drag([x, y], [toX, toY]) {
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move((x + toX) / 2, (y + toY) / 2);
  await page.mouse.move(toX, toY);
  await page.mouse.up();
}

async function boxOf(locator) {
  await locator.scrollIntoViewIfNeeded();
  return locator.boundingBox();
}

test('a time plot shows the first channels, on the canvas and as numbers', async () => {
  await show('plots');
  await page.waitForSelector('.card canvas');
  await settled();
  assert.ok((await pixels(0, '#0072b2')).length + (await pixels(0, '#c65300')).length > 200);
  const [result] = await data('results.json');
  const { head, rows } = await csv(0);
  assert.match(head[0], /^time \[s\]$/);
  assert.ok(head[1].startsWith(result.channels[0].name));
  const time = await numbers(`result/${result.id}/time`);
  const first = await numbers(`result/${result.id}/channel/0`);
  assert.equal(rows.length, time.length);
  for (const i of [0, 17, time.length - 1]) assert.deepEqual(rows[i].slice(0, 2), [time[i], first[i]]);
  assert.deepEqual(page.errors, []);
});

test('drag zooms, double click shows all again, the wheel zooms about the pointer', async () => {
  await show('plots');
  await settled();
  const all = (await csv(0)).rows.length;
  const box = await boxOf(chart(0));
  await drag([box.x + box.width * 0.25, box.y + 60], [box.x + box.width * 0.5, box.y + 66]);
  const part = (await csv(0)).rows;
  const end = (await numbers(`result/${(await data('results.json'))[0].id}/time`)).at(-1);
  assert.ok(Math.abs(part.length - all / 4) < all * 0.03, `${part.length} of ${all}`);
  assert.ok(Math.abs(part[0][0] - 0.25 * end) < 0.02 * end);
  await chart(0).dblclick({ position: { x: 30, y: 30 } });
  assert.equal((await csv(0)).rows.length, all);
  const again = await boxOf(chart(0));
  await page.mouse.move(again.x + again.width / 2, again.y + 50);
  await page.mouse.wheel(0, -300);
  await settled();
  const near = (await csv(0)).rows;
  assert.ok(near.length < all);
  assert.ok(Math.abs((near[0][0] + near.at(-1)[0]) / 2 - end / 2) < 0.02 * end);
  assert.deepEqual(page.errors, []);
});

test('cursor, zoom and time are linked across plots', async () => {
  await show('plots');
  await add('Time');
  await settled();
  const box = await boxOf(chart(0));
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40);
  await settled();
  const cursors = await page.locator('.card .u-cursor-x').evaluateAll((all) => all.map((c) => c.style.transform));
  assert.ok(cursors.length >= 2);
  for (const cursor of cursors) assert.equal(cursor, cursors[0]);
  await page.mouse.click(box.x + box.width * 0.6, box.y + 40);
  const markers = await page.locator('.plot-marker').evaluateAll((all) => all.map((m) => Number(m.style.transform.match(/[\d.]+/)[0])));
  for (const marker of markers) assert.ok(Math.abs(marker - box.width * 0.6) < 2);
  await drag([box.x + box.width * 0.2, box.y + 60], [box.x + box.width * 0.7, box.y + 62]);
  const [a, b] = [await csv(0), await csv(1)];
  assert.equal(a.rows.length, b.rows.length);
  // The strip below the plot moves time too.
  const strip = await boxOf(page.locator('.plot-strip').first());
  await drag([strip.x + 20, strip.y + 8], [strip.x + strip.width / 2, strip.y + 8]);
  const moved = await page.locator('.plot-marker').first().evaluate((m) => Number(m.style.transform.match(/[\d.]+/)[0]));
  assert.ok(Math.abs(moved - strip.width / 2) < 2);
  await show('diagram');
  await settled();
  assert.match(await page.textContent('.diagram-bar'), /signals at 89\d\.?\d* ms|signals at 90\d\.?\d* ms/);
});

test('SVG is well formed, PNG is a picture', async () => {
  await show('plots');
  await settled();
  const tags = parseXml((await download(0, 'SVG')).toString());
  assert.ok(tags.filter((tag) => tag.name === 'path').length > 4);
  assert.ok(tags.some((tag) => tag.name === 'text'));
  const png = await download(0, 'PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.readUInt32BE(16) >= 1000 && png.length > 5000);
  assert.deepEqual(page.errors, []);
});

test('every kind of plot draws something', async () => {
  await show('plots');
  await page.click('[aria-label="Panels alone"]');
  for (const kind of ['Spectrum', 'Bode', 'Nyquist', 'Pole map', 'Root locus', 'Campbell']) await add(kind);
  await page.waitForFunction(() => [...document.querySelectorAll('.card')].every((card) => card.querySelector('canvas')));
  await settled();
  for (let card = 0; card < 7; ++card) assert.ok((await pixels(card, '#0072b2')).length > 8, `card ${card}`);
  assert.deepEqual(await page.locator('.status.bad:visible').allTextContents(), []);
  assert.match(await page.textContent('.card:nth-child(3)'), /phase margin/);
  await page.locator('.card').nth(3).locator('button:text-is("✕")').click();
  assert.equal(await page.locator('.card').count(), 6);
  assert.deepEqual(page.errors, []);
});

// The characteristic polynomial of drive.yaml, lowest power first:
// s³ (τ s + 1) (m₁ m₂ s² + (m₁ + m₂)(d s + k)) + (m₂ s² + d s + k)(kd s² + kp s + ki)
function characteristic(kp, tau = 0.004) {
  const [m1, m2, k, d, ki, kd] = [1, 0.5, 2000, 1, 300, 30];
  const times = (a, b) => a.reduce((sum, x, i) => b.reduce((s, y, j) => ((s[i + j] = (s[i + j] ?? 0) + x * y), s), sum), []);
  const plant = times(times([0, 0, 0, 1], [1, tau]), [(m1 + m2) * k, (m1 + m2) * d, m1 * m2]);
  const control = times([k, d, m2], [ki, kp, kd]);
  return plant.map((x, i) => x + (control[i] ?? 0));
}

// |p(s)| over the sum of the sizes of its terms.
function residual(coefficients, [re, im]) {
  let [a, b, size] = [0, 0, 0];
  let [x, y] = [1, 0];
  for (const c of coefficients) {
    [a, b, size] = [a + c * x, b + c * y, size + Math.abs(c) * Math.hypot(x, y)];
    [x, y] = [x * re - y * im, x * im + y * re];
  }
  return Math.hypot(a, b) / size;
}

async function shownPoles() {
  await show('plots');
  const card = await page.locator('.card').count();
  await add('Pole map');
  await settled();
  // Zoomed out, so that none is left out of the file.
  const box = await boxOf(chart(card));
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  for (let i = 0; i < 20; ++i) await page.mouse.wheel(0, 300);
  await settled();
  return (await csv(card)).rows.map((row) => row.slice(0, 2));
}

test('a gain slider moves a pole to where the equations have it', async () => {
  await show('parameters');
  const before = await shownPoles();
  for (const root of before) assert.ok(residual(characteristic(400), root) < 1e-6, `${root}`);
  await show('parameters');
  await page.locator('[aria-label="blocks.servo.kp, slider"]').fill('900');
  await page.waitForSelector('.parameters .status:has-text("modes in")');
  const after = await shownPoles();
  for (const root of after) assert.ok(residual(characteristic(720), root) < 1e-6, `${root}`);
  assert.ok(after.every((root) => before.every((old) => Math.hypot(root[0] - old[0], root[1] - old[1]) > 1e-3)));
  await show('parameters');
  await page.click('button:text-is("Reset all")');
  assert.equal(await page.locator('[aria-label^="blocks.servo.kp in"], [aria-label="blocks.servo.kp"]').inputValue(), '400');
  assert.deepEqual(page.errors, []);
});

// Milliseconds from a slider's move until other modes are there.
async function moveSlider(path, step) {
  const old = (await get(page, 'modes')).set;
  const start = Date.now();
  await page.locator(`[aria-label="${path}, slider"]`).fill(step);
  await page.waitForFunction((set) => window.flexloop.store.get('modes').set !== set, old);
  return Date.now() - start;
}

test('a slider asks within a second, and a simulation joins the plots', async () => {
  await show('parameters');
  const times = [];
  // The best of three: other programs may use the machine too.
  for (const step of ['690', '695', '700']) times.push(await moveSlider('blocks.servo.kd', step));
  assert.ok(Math.min(...times) < 1000, `${times} ms`);
  const runs = (await get(page, 'results')).filter(({ recomputed }) => !recomputed).length;
  assert.ok(await page.locator('label:has-text("simulate too") input').isChecked()); // since it is fast
  for (const step of ['650', '750', '800', '820']) {
    await page.locator('[aria-label="blocks.servo.kd, slider"]').fill(step);
    // Runs of earlier values may still come, or be left out for this one.
    await page.waitForFunction(() => {
      const { store } = window.flexloop;
      const made = Number(store.get('results').at(-1).name?.match(/servo\.kd = (\S+)/)?.[1]);
      return Math.abs(made / store.get('values')['blocks.servo.kd'] - 1) < 0.05;
    });
  }
  assert.equal(await get(page, 'result'), (await get(page, 'results')).at(-1).id); // it moves the machine
  await settled();
  assert.match(await page.textContent('.parameter-response .plot-runs'), /servo\.kd/);
  await show('summary');
  const names = await page.locator('.summary section:has(h3:text-is("Results")) tbody tr').count();
  assert.equal(names, runs + 3);
  await show('plots');
  await settled();
  assert.ok((await page.locator('.plot-runs').first().textContent()).includes('servo.kd'));
  assert.deepEqual(page.errors, []);
});

test('numbers of lists have sliders, and those of what is selected are marked', async () => {
  await show('parameters');
  const field = page.locator('[aria-label="blocks.filter.denominator.1"]');
  assert.equal(await field.inputValue(), '0.004');
  const old = (await get(page, 'modes')).set;
  await field.fill('0.008');
  await field.press('Enter');
  await page.waitForFunction((before) => window.flexloop.store.get('modes').set !== before, old);
  const { modes } = await get(page, 'modes');
  for (const { eigenvalue } of modes) assert.ok(residual(characteristic(400, 0.008), eigenvalue) < 1e-6, `${eigenvalue}`);
  await set(page, { selected: { kind: 'block', name: 'filter' } });
  const marked = await page.locator('.slider-row.meant .slider-name').allTextContents();
  assert.deepEqual(marked, ['filter.numerator.1', 'filter.denominator.1', 'filter.denominator.2']);
  await set(page, { selected: null });
  await page.click('[aria-label="Reset blocks.filter.denominator.1"]');
  assert.deepEqual(page.errors, []);
});

test('what the program refuses is told beside the sliders', async () => {
  await show('parameters');
  const field = page.locator('.slider-row:has(.slider-name:text-is("m1")) input[type=number]').first();
  await field.fill('-1');
  await field.press('Enter');
  await page.waitForSelector('.parameters .status.bad');
  await page.click('[aria-label="Reset m1"]');
  await page.waitForSelector('.parameters .status:not(.bad):has-text("modes in")');
});

test('a click on a locus shows that mode', async () => {
  await show('plots');
  await add('Root locus');
  await page.waitForSelector('.card:nth-child(2) canvas');
  await settled();
  const points = await pixels(1, '#a8477f');
  assert.ok(points.length > 20);
  const [x, y] = points[Math.floor(points.length / 2)];
  await page.mouse.move(x, y);
  assert.match(await page.textContent('.card:nth-child(2) .plot-readout'), /rad\/s/);
  await page.mouse.click(x, y);
  await page.waitForSelector('.card:nth-child(2) .status:has-text("the machine shows")');
  await show('parameters');
  assert.equal(await page.locator('.slider-row.changed').count(), 1);
  assert.deepEqual(page.errors, []);
});

test('the diagram has every block, and no two overlap', async () => {
  await show('diagram');
  await settled();
  const { diagram } = await data('scene.json');
  const boxes = await page.locator('.drawing .box').evaluateAll((all) =>
    all.map((g) => ({ label: g.getAttribute('aria-label'), ...g.firstChild.getBoundingClientRect().toJSON() })),
  );
  assert.equal(boxes.length, diagram.blocks.length);
  for (const { kind, name } of diagram.blocks) assert.ok(boxes.some((box) => box.label.startsWith(`${kind} ${name},`)), name);
  boxes.forEach((a, i) =>
    boxes.slice(i + 1).forEach((b) =>
      assert.ok(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, `${a.label} and ${b.label}`),
    ),
  );
  assert.equal(await page.locator('.drawing .machine').count(), 1);
  assert.ok((await page.locator('.drawing .value').allTextContents()).filter(Boolean).length >= 3);
  const first = page.locator('.drawing .box').first();
  await first.focus();
  await page.keyboard.press('Enter');
  assert.equal(await first.getAttribute('aria-pressed'), 'true');
  assert.deepEqual(page.errors, []);
});

const kTabs = ['modes', 'plots', 'diagram', 'parameters', 'summary'];

test('nothing is wider than a window of 800 px', async () => {
  await open({ width: 800, height: 600 });
  await page.evaluate(() => (document.querySelector('h1').textContent += ', with a title that is as long as titles can be, and longer'));
  for (const tab of kTabs) {
    await show(tab);
    await settled();
    const wide = await page.evaluate((id) => {
      const panel = document.getElementById(`panel-${id}`);
      return { page: document.documentElement.scrollWidth, panel: panel.scrollWidth - panel.clientWidth };
    }, tab);
    assert.deepEqual(wide, { page: 800, panel: 0 }, tab);
  }
});

test('panels can stand beside, below and alone, and be resized by keys', async () => {
  const size = () => page.locator('.tabs').boundingBox();
  const beside = await size();
  await page.locator('.divider').focus();
  await page.keyboard.press('ArrowLeft');
  assert.ok((await size()).width > beside.width);
  await page.click('[aria-label="Panels below the machine"]');
  assert.ok((await size()).width > 1390);
  await page.click('[aria-label="Panels alone"]');
  assert.ok((await size()).height > 800);
});

test('text has a contrast of 4.5 or more', async () => {
  for (const tab of kTabs) {
    await show(tab);
    await settled();
    const texts = await page.evaluate((id) => {
      const background = (e) => {
        for (let at = e; at; at = at.parentElement) {
          const { backgroundColor } = getComputedStyle(at);
          if (!/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor;
        }
        return 'rgb(255, 255, 255)';
      };
      const isText = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
      return [...document.querySelectorAll(`#app > header *, [role=tablist] *, .tree *, .stage *, #panel-${id} *`)]
        .filter((e) => isText(e) && e.getClientRects().length > 0 && !e.disabled)
        .map((e) => {
          const style = getComputedStyle(e);
          const box = e.closest('.box')?.firstChild;
          const ground = box ? getComputedStyle(box).fill : background(e);
          return { text: e.textContent.trim().slice(0, 30), colour: e.closest('svg') ? style.fill : style.color, ground };
        });
    }, tab);
    assert.ok(texts.length > 10);
    for (const { text, colour, ground } of texts) {
      assert.ok(contrast(luminance(colour), luminance(ground)) >= 4.5, `${tab}: “${text}” ${colour} on ${ground}`);
    }
  }
});

test('the Tab key leads to everything', async () => {
  await page.locator('body').press('Tab');
  const seen = new Set();
  for (let i = 0; i < 150; ++i) {
    seen.add(await page.evaluate(() => {
      const { id, tagName, ariaLabel, role, className } = document.activeElement;
      return id || `${tagName.toLowerCase()} ${role ?? ''} ${ariaLabel ?? className}`;
    }));
    await page.keyboard.press('Tab');
  }
  for (const part of ['canvas', 'time', 'treeitem', 'tab-', 'Play', 'Size of the panels', 'Panels alone']) {
    assert.ok([...seen].some((name) => name.includes(part)), `${part} in ${[...seen].join('; ')}`);
  }
});

test('every control has a name, and keys reach a plot', async () => {
  await show('plots');
  await add('Bode');
  await settled();
  for (const tab of kTabs) {
    await show(tab);
    const nameless = await page.locator('button:visible, input:visible, select:visible').evaluateAll((all) =>
      all.filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.[0]?.textContent.trim())).map((e) => e.outerHTML),
    );
    assert.deepEqual(nameless, []);
  }
  await show('plots');
  const all = (await csv(0)).rows.length;
  await page.locator('.plot-canvas').first().focus();
  await page.keyboard.press('+');
  assert.ok((await csv(0)).rows.length < all);
  await page.locator('.plot-canvas').first().focus();
  await page.keyboard.press('0');
  assert.equal((await csv(0)).rows.length, all);
});

test('a report shows what it holds, says what it lacks, and prints', async () => {
  await open({ address: writeReport(run) });
  await show('plots');
  await settled();
  assert.ok((await pixels(0, '#0072b2')).length > 200);
  assert.ok(await page.locator('.plot-bar button:text-is("Bode")').isDisabled());
  await add('Spectrum');
  await page.waitForSelector('.card:nth-child(2) canvas');
  await settled();
  assert.ok((await pixels(1, '#0072b2')).length > 20);
  assert.match(await page.textContent('.plots .hint'), /flexloop view/);
  await show('parameters');
  assert.match(await page.textContent('.parameters'), /flexloop view/);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  assert.ok(await page.locator('.summary').isVisible());
  assert.ok(await page.locator('.paper svg').first().isVisible());
  assert.ok(!(await page.locator('.stage').isVisible()) && !(await page.locator('[role=tablist]').isVisible()));
  assert.ok((await page.pdf()).length > 20000);
  assert.deepEqual(page.errors, []);
});
