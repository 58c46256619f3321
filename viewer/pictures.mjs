// Pictures of the page for the documentation: node pictures.mjs FOLDER. `make figures` calls it.
import { join } from 'node:path';
import { get, here, openPage, runModel, set, settled, show, showTab, startBrowser } from './tests/support.mjs';

const kNear = [0.93, 0.98]; // of the chart, from the left and from above

const folder = process.argv[2] ?? '.';
const run = runModel(join(here, '..', '..', 'models', 'controlled_arm', 'model.yaml'));
const browser = await startBrowser();
const shown = await show(run);

// The mode that grows, at rest in its largest displacement, so that the picture is the same each time.
async function takeMode(page) {
  const { modes } = await get(page, 'modes');
  await set(page, { swinging: false, moves: 'mode', mode: modes.findIndex((mode) => !mode.stable), amplitude: 1.5 });
  await settled(page);
  return 'view.png';
}

async function takeLocus(page) {
  await showTab(page, 'plots');
  await page.locator('.card button:text-is("✕")').click();
  await page.click('.plot-bar button:text-is("Root locus")');
  await page.waitForSelector('.card .status:has-text("Click a point")');
  await page.getByLabel('Parameter', { exact: true }).selectOption('ka');
  await page.click('.card button:text-is("Compute")');
  await page.waitForSelector('.card button:text-is("Stop")');
  await page.waitForSelector('.card button:text-is("Compute")');
  await settled(page);
  // Closer to the modes that bend.
  const { x, y, width, height } = await page.locator('.card .u-over').boundingBox();
  await page.mouse.move(x + kNear[0] * width, y + kNear[1] * height);
  for (let i = 0; i < 8; ++i) await page.mouse.wheel(0, -300);
  await page.mouse.move(1, 1);
  await settled(page);
  return 'view_locus.png';
}

async function takeDiagram(page) {
  await page.click('[aria-label="Panels alone"]');
  await showTab(page, 'diagram');
  await set(page, { moves: 'time', time: 0.15 });
  await settled(page);
  return 'view_diagram.png';
}

try {
  const page = await openPage(browser, shown.address, { width: 1280, height: 800 });
  for (const take of [takeMode, takeLocus, takeDiagram]) {
    const file = join(folder, await take(page));
    await page.screenshot({ path: file });
    console.log(file);
  }
} finally {
  await browser.close();
  shown.close();
}
