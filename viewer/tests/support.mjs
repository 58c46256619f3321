// What tests of the page share: the program, a browser, and what is seen in it.
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const kFlags = [
  '--headless=new',
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];
const kLong = 120000; // ms: a loaded machine draws slowly

export const here = dirname(fileURLToPath(import.meta.url));

// Where something is that tests cannot do without.
function find(variable, usual, what) {
  const file = process.env[variable] ?? usual;
  try {
    accessSync(file, constants.R_OK);
  } catch {
    throw new Error(`There is no ${what} at ${file}. Run 'make packages' and 'make', or name it by the variable ${variable}.`);
  }
  return file;
}

export const findProgram = () => find('FLEXLOOP', join(here, '..', '..', 'build', 'flexloop'), 'program of Flexloop');
export const findPage = () => find('FLEXLOOP_PAGE', join(here, '..', '..', 'build', 'page.html'), 'viewer page');

export function startBrowser() {
  const executablePath = find('CHROMIUM', '/usr/bin/chromium', 'browser (Debian: chromium)');
  return chromium.launch({ executablePath, args: kFlags, timeout: kLong });
}

// A page whose complaints are collected in `errors`; `waiting` counts requests without an answer.
export async function openPage(browser, url, viewport = { width: 1400, height: 900 }) {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(kLong);
  page.errors = [];
  page.waiting = 0;
  page.on('request', () => (page.waiting += 1));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, () => (page.waiting -= 1));
  page.on('console', (message) => {
    const isAdvice = /willReadFrequently/.test(message.text()); // to the test, which reads pixels
    if (['error', 'warning'].includes(message.type()) && !isAdvice) page.errors.push(message.text());
  });
  page.on('pageerror', (error) => page.errors.push(error.message));
  await page.goto(url);
  await page.waitForSelector('canvas[data-ready]');
  await settled(page);
  return page;
}

// What the page has now is on the screen.
export const drawn = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Nothing is awaited for a while, and what came is drawn.
export async function settled(page) {
  for (let quiet = 0; quiet < 5; quiet = page.waiting > 0 ? 0 : quiet + 1) await page.waitForTimeout(50);
  await drawn(page);
}

export const showTab = (page, tab) => page.click(`#tab-${tab}`);
export const set = (page, changes) => page.evaluate((values) => window.flexloop.store.set(values), changes);
export const get = (page, key) => page.evaluate((name) => window.flexloop.store.get(name), key);
export const place = (page, node) => page.evaluate((name) => window.flexloop.nodePosition(name), node);

// A folder that goes with the test's process.
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'flexloop-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const flexloop = (...words) => execFileSync(findProgram(), words, { encoding: 'utf8', stdio: 'pipe' });

// The folder of a run of the model, which is a file or a text.
export function runModel(model, ...options) {
  const folder = makeFolder();
  let file = model;
  if (model.includes('\n')) {
    file = join(folder, 'model.yaml');
    writeFileSync(file, model);
  }
  flexloop('run', file, '--out', join(folder, 'run'), '--quiet', ...options);
  return join(folder, 'run');
}

// {address, close} of the program showing what `words` name.
export async function show(...words) {
  const program = findProgram();
  const child = spawn(program, ['view', ...words, '--no-open'], { stdio: ['ignore', 'pipe', 'pipe'] });
  const address = await new Promise((resolve, reject) => {
    let text = '';
    const read = (part) => {
      text += part;
      const found = text.match(/http:\/\/127\.0\.0\.1:\d+\/\S+/);
      if (found) resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`${program} ended with ${code}: ${text}`)));
  });
  return { address, close: () => child.kill() };
}

// The address of the file that `flexloop report` writes of a run.
export function writeReport(run) {
  const file = join(makeFolder(), 'report.html');
  flexloop('report', run, '-o', file, '--quiet');
  return pathToFileURL(file).href;
}

export function assertNear(actual, expected, tolerance) {
  if (!(Math.abs(actual - expected) <= tolerance)) throw new Error(`${actual} should be ${expected} ± ${tolerance}`);
}

// The pixels of what is on the stage: {width, height, data}, data as a page reads it. Overlays do not belong to it.
export async function pictureOf(page) {
  const box = await page.locator('.canvas canvas').boundingBox();
  const png = (await page.screenshot({ clip: box })).toString('base64');
  const { width, height, text } = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, image.width, image.height).data;
    let binary = '';
    for (let i = 0; i < pixels.length; i += 8192) binary += String.fromCharCode(...pixels.subarray(i, i + 8192));
    return { width: image.width, height: image.height, text: btoa(binary) };
  }, png);
  return { box, width, height, data: Buffer.from(text, 'base64') };
}

export function countColours({ data }) {
  const colours = new Set();
  for (let i = 0; i < data.length; i += 4) colours.add(data.readUInt32LE(i));
  return colours.size;
}

export function countChanges(a, b) {
  let changes = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    const change =
      Math.abs(a.data[i] - b.data[i]) +
      Math.abs(a.data[i + 1] - b.data[i + 1]) +
      Math.abs(a.data[i + 2] - b.data[i + 2]);
    if (change > 24) changes += 1;
  }
  return changes;
}

// Rows of a column of pixels where `test(r, g, b)` holds.
export function rowsOf({ width, height, data }, column, test) {
  const rows = [];
  for (let row = 0; row < height; ++row) {
    const i = 4 * (row * width + column);
    if (test(data[i], data[i + 1], data[i + 2])) rows.push(row);
  }
  return rows;
}

// Relative luminance and contrast as WCAG 2 defines them. `colour`: #rrggbb or rgb(r, g, b).
export function luminance(colour) {
  const parts = colour.startsWith('#')
    ? [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16))
    : colour.match(/[\d.]+/g).slice(0, 3).map(Number);
  const linear = parts.map((p) => p / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

export const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

// Tags of an XML text in order; throws where tags do not match or text is not escaped.
export function parseXml(text) {
  const open = [];
  const tags = [];
  let at = 0;
  for (const found of text.matchAll(/<(\/?)([\w:-]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (/[<>]|&(?!\w+;|#\d+;)/.test(text.slice(at, found.index))) throw new Error(`stray character before ${found[0]}`);
    at = found.index + found[0].length;
    const [, closing, name, attributes, empty] = found;
    if (closing) {
      if (open.pop() !== name) throw new Error(`</${name}> without its start`);
      continue;
    }
    tags.push({ name, attributes: Object.fromEntries([...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map((a) => [a[1], a[2]])) });
    if (!empty) open.push(name);
  }
  if (open.length > 0) throw new Error(`<${open.pop()}> is not closed`);
  return tags;
}
