// A browser for tests, and what its pictures show.
import { chromium } from 'playwright-core';

const kArguments = [
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

export function startBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kArguments });
}

// A page whose complaints are collected in `page.errors`.
export async function openPage(browser, url, viewport = { width: 1400, height: 900 }) {
  const page = await browser.newPage({ viewport });
  page.errors = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && page.errors.push(message.text()));
  page.on('pageerror', (error) => page.errors.push(error.message));
  await page.goto(url);
  await page.waitForSelector('canvas[data-ready]', { timeout: 60000 });
  await page.waitForLoadState('networkidle');
  return page;
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
