// How fast a long run of a large machine opens and plays: 10,000 frames of 5,000 nodes.
//   node bench.mjs [FOLDER]   keeps the run in FOLDER (3 GB) and uses it again; without, it goes afterwards.
// Time in the page is CPU time without the graphics card's: here that is played by the processor.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawn, flexloop, makeFolder, set, show, startBrowser } from './tests/support.mjs';

const kBeams = 50;
const kElements = 100;
const kFrames = 10000;
const kLengthen = `
import h5py, numpy, sys
with h5py.File(sys.argv[1], "r+") as file:
    count, frames = len(file["time"]), int(sys.argv[2])
    tables = [file["nodes/position"], file["nodes/rotation"], *file["outputs"].values()]
    for table in tables:
        first = table[:]
        table.resize(frames, axis=0)
        for start in range(count, frames, count):
            part = first[: frames - start]
            table[start : start + len(part)] = part if (start // count) % 2 == 0 else first[::-1][: len(part)]
    file["time"].resize(frames, axis=0)
    file["time"][:] = 1e-3 * numpy.arange(frames)
`;

function makeModel() {
  const beams = Array.from({ length: kBeams }, (_, i) => i);
  const nodes = beams.flatMap((i) => {
    const [y, z] = [0.2 * (i % 10), 0.2 * Math.floor(i / 10)];
    return [`  r${i}: {position: [0, ${y}, ${z}], free: []}`, `  t${i}: [1, ${y}, ${z}]`];
  });
  const arms = beams.map(
    (i) => `  b${i}: {from: r${i}, to: t${i}, elements: ${kElements}, section: tube, material: alu, y_axis: [0, 1, 0]}`,
  );
  return `flexloop: 1
title: Many beams
gravity: [0, 0, -9.81]
materials: {alu: {E: 70 GPa, nu: 0.33, rho: 2700}}
sections: {tube: {type: tube, outer: 5 mm, inner: 4 mm}}
nodes:
${nodes.join('\n')}
beams:
${arms.join('\n')}
sensors: {height: {measure: position, node: t0, direction: [0, 0, 1]}}
analysis: {time: {end: 0.1, step: 1 ms, rho: 0.8, record: {frames: true}}}
`;
}

function makeRun(folder) {
  if (existsSync(join(folder, 'result.h5'))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.yaml'), makeModel());
  flexloop('run', join(folder, 'model.yaml'), '--out', folder, '--quiet');
  execFileSync('/usr/bin/python3', ['-c', kLengthen, join(folder, 'result.h5'), String(kFrames)]);
}

const seconds = async (work) => {
  const start = performance.now();
  const answer = await work();
  return [(performance.now() - start) / 1000, answer];
};

// Least seconds of a few chunks of frames or of a field, fetched without a browser.
async function timeChunks(base, name) {
  const times = [];
  let bytes = 0;
  for (const c of [3, 40, 41, 90, 7]) {
    const [time, data] = await seconds(async () => (await fetch(`${base}data/result/0/${name}/${c}`)).arrayBuffer());
    times.push(time);
    bytes = data.byteLength;
  }
  return { seconds: Math.min(...times), bytes };
}

// Script time of one frame while the run plays, and frames per second with the processor as graphics card.
async function timePlaying(page, changes) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const measure = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'ScriptDuration').value;
  };
  await set(page, { time: 0, speed: 1, ...changes });
  await drawn(page);
  await set(page, { playing: true });
  const before = await measure();
  const frames = await page.evaluate(async () => {
    let count = 0;
    for (const end = performance.now() + 4000; performance.now() < end; ++count) {
      await new Promise((done) => requestAnimationFrame(done));
    }
    return count;
  });
  const script = (await measure()) - before;
  await set(page, { playing: false });
  return { script: script / frames, rate: frames / 4 };
}

const folder = process.argv[2] ?? makeFolder();
makeRun(folder);
const [starts, shown] = await seconds(() => show(folder));
const browser = await startBrowser();
try {
  const openings = [];
  let page, bytes;
  for (let i = 0; i < 4; ++i) {
    await page?.close();
    bytes = 0;
    page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.on('response', (response) => (bytes += Number(response.headers()['content-length'] ?? 0)));
    const [opens] = await seconds(async () => {
      await page.goto(shown.address);
      await page.waitForSelector('canvas[data-ready]', { timeout: 120000 });
    });
    openings.push(opens);
  }
  // The best of all: other programs may use the machine too.
  const opens = Math.min(...openings);
  const print = (what, value, unit) => console.log(`${what.padEnd(52)} ${value} ${unit}`);
  print('program until it tells its address', starts.toFixed(2), 's');
  print('page until the first frame is drawn', opens.toFixed(2), 's');
  print('transferred until then', (bytes / 1e6).toFixed(1), 'MB');
  const frames = await timeChunks(shown.address, 'frames');
  print(`chunk of frames, ${(frames.bytes / 1e6).toFixed(1)} MB`, (1000 * frames.seconds).toFixed(0), 'ms');
  const field = await timeChunks(shown.address, 'field/bending_moment');
  print(`chunk of a field, ${(field.bytes / 1e6).toFixed(1)} MB`, (1000 * field.seconds).toFixed(0), 'ms');
  const plain = await timePlaying(page, { colour: 'none' });
  print('script per frame, plain', (1000 * plain.script).toFixed(1), `ms (${plain.rate.toFixed(0)} frames/s by processor)`);
  const coloured = await timePlaying(page, { colour: 'bending_moment' });
  print('script per frame, coloured', (1000 * coloured.script).toFixed(1), `ms (${coloured.rate.toFixed(0)} frames/s)`);
} finally {
  await browser.close();
  shown.close();
}
