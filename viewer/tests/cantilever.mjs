// A program that knows one machine: a cantilever of 1 m along x whose tip goes down by 0.1 m and comes back, with
// everything hung on it that the page draws. What it answers is known in closed form.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { gzipSync } from 'node:zlib';
import { findPage } from './support.mjs';

export const kElements = 10;
export const kDepth = 0.1; // m, of the tip at half the time
export const kEnd = 2; // s
const kRecords = 101;
const kChunk = 40;

// The tip's displacement is `depth` downwards, along the shape of a cantilever under a load at its end.
function frameAt(depth) {
  const ground = [0, 0, 0, 1, 0, 0, 0];
  const nodes = Array.from({ length: kElements + 1 }, (_, i) => {
    const s = i / kElements;
    const angle = (depth * (6 * s - 3 * s * s)) / 2; // about y, so that x turns towards −z
    return [s, 0, (-depth * (3 * s * s - s ** 3)) / 2, Math.cos(angle / 2), 0, Math.sin(angle / 2), 0];
  });
  return [ground, ...nodes].flat();
}

const depthAt = (time) => kDepth * Math.sin((Math.PI * time) / kEnd);
const names = ['ground', 'root', ...Array.from({ length: kElements - 1 }, (_, i) => `arm.${i + 1}`), 'tip'];
const tip = names.length - 1;
const times = Float64Array.from({ length: kRecords }, (_, i) => (kEnd * i) / (kRecords - 1));
const size = 1.1;

const scene = {
  title: 'Cantilever',
  file: 'cantilever.yaml',
  version: '0',
  live: true,
  gravity: [0, 0, -9.81],
  size,
  nodes: names.map((name, i) => ({
    name,
    position: i === 0 ? [0, 0, 0] : [(i - 1) / kElements, 0, 0],
    rotation: [1, 0, 0, 0],
    inner: name.includes('.'),
  })),
  beams: [
    {
      name: 'arm',
      nodes: names.slice(1).map((_, i) => i + 1),
      axes: names.slice(1).map(() => [1, 0, 0, 0]),
      section: { name: 'tube', type: 'tube', outlines: [square(0.04), square(0.03)] },
      material: 'steel',
      length: 1,
      firstSegment: 0,
    },
  ],
  bodies: [
    {
      name: 'mass',
      node: tip,
      mass: 1,
      com: [0, 0, 0],
      inertia: [1, 1, 1],
      shape: { type: 'box', size: [0.08, 0.08, 0.08] },
      offset: { position: [0.04, 0, 0], rotation: [1, 0, 0, 0] },
      given: true,
    },
  ],
  joints: [{ name: 'pivot', type: 'hinge', symbol: 'hinge', nodes: [0, 1], at: [0, 0, 0], axis: [0, 1, 0] }],
  springs: [
    {
      name: 'stay',
      type: 'distance',
      symbol: '',
      nodes: [0, tip],
      at: [
        [1, 0, 0.5],
        [1, 0, 0],
      ],
      direction: null,
    },
  ],
  sensors: [{ name: 'angle', measure: 'angle', isRound: true, joint: 'pivot' }],
  actuators: [{ name: 'motor', type: 'torque', isRound: true, joint: 'pivot', input: 'servo' }],
  loads: [{ name: 'weight', node: tip, force: [0, 0, -10], torque: [0, 0, 0], frame: 'ground', signal: null }],
  parameters: [],
  diagram: { blocks: [{ name: 'servo', type: 'pid', symbol: '', kind: 'block', outputs: ['servo'] }], wires: [] },
  counts: [],
  text: '',
};

function square(side) {
  const h = side / 2;
  return [
    [-h, -h],
    [h, -h],
    [h, h],
    [-h, h],
  ];
}

const results = [
  {
    id: 'run',
    name: 'run',
    records: kRecords,
    channels: [],
    frames: true,
    chunk: kChunk,
    complete: true,
    fields: [{ name: 'bending', unit: 'N*m', label: 'bending moment', on: 'segments' }],
  },
];

// The first swings as the run does, the second a quarter of a period behind along the beam, the third does not swing.
function modesOf(loop) {
  const roots = [
    [-0.5, 10],
    [0.2, 60],
    [-3, 0],
  ];
  return {
    set: loop,
    loop,
    bodies: 'flexible',
    time: 0,
    frames: true,
    warnings: [],
    modes: roots.map(([re, im], i) => ({
      eigenvalue: [re, im],
      frequency_hz: Math.hypot(re, im) / 2 / Math.PI,
      damping_ratio: -re / Math.hypot(re, im),
      stable: re < 0,
      residual: 1e-13,
      name: ['first bending', 'second bending', 'creep'][i],
      energy: { kinetic: 0.5, strain: 0.4, control: 0.1 },
      participation: { kinetic: { arm: 0.7, mass: 0.3 }, strain: { arm: 1 }, loops: { servo: 0.1 }, freedoms: {} },
      damping_by_origin: { servo: 0.04, arm: 0.01 },
    })),
  };
}

function shapes() {
  const values = new Float32Array(3 * names.length * 12);
  for (let mode = 0; mode < 3; ++mode) {
    names.forEach((_, i) => {
      const s = Math.max(0, i - 1) / kElements;
      const o = (mode * names.length + i) * 12;
      values[o + 2] = (3 * s * s - s ** 3) / 2;
      values[o + 4] = -(6 * s - 3 * s * s) / 2;
      if (mode === 1) values[o + 8] = s * (1 - s);
    });
  }
  return values;
}

function framesOf(chunk) {
  return Float32Array.from(
    [...times.subarray(chunk * kChunk, (chunk + 1) * kChunk)].flatMap((t) => frameAt(depthAt(t))),
  );
}

function bendingOf(chunk) {
  const moment = (t) => Array.from({ length: kElements }, (_, i) => Math.cos(Math.PI * t) * (1 - i / kElements));
  return Float32Array.from([...times.subarray(chunk * kChunk, (chunk + 1) * kChunk)].flatMap(moment));
}

const bytes = (numbers) => Buffer.from(numbers.buffer);

function dataOf(name) {
  const chunk = Number(name.match(/\d+$/)?.[0]);
  if (name === 'scene.json') return JSON.stringify(scene);
  if (name === 'results.json') return JSON.stringify(results);
  if (name === 'modes.json') return JSON.stringify(modesOf('closed'));
  if (name === 'result/run/time') return bytes(times);
  if (name.startsWith('result/run/frames/')) return bytes(framesOf(chunk));
  if (name.startsWith('result/run/field/bending/')) return bytes(bendingOf(chunk));
  if (/^modes\/\w+\/frames$/.test(name)) return bytes(Float32Array.from(frameAt(0)));
  if (/^modes\/\w+\/shapes$/.test(name)) return bytes(shapes());
  return null;
}

// The answer to a view that the machine does not have is a refusal.
function answer(request, response) {
  let text = '';
  request.on('data', (part) => (text += part));
  request.on('end', () => {
    const { loop } = JSON.parse(text);
    response.statusCode = loop === 'locked' ? 422 : 200;
    response.end(JSON.stringify(loop === 'locked' ? { error: 'Nothing can be locked.' } : modesOf(loop)));
  });
}

export async function serveCantilever() {
  const server = createServer((request, response) => {
    if (request.method === 'POST') return answer(request, response);
    const data = request.url.startsWith('/data/') ? dataOf(request.url.slice(6)) : null;
    if (request.url === '/') return response.setHeader('Content-Type', 'text/html').end(readFileSync(findPage()));
    response.statusCode = data === null ? 404 : 200;
    return response.end(data ?? 'unknown');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

// The page with its data inside, as a report is.
export function makeReport() {
  const held = [
    'scene.json',
    'results.json',
    'modes.json',
    'result/run/time',
    'modes/closed/frames',
    'modes/closed/shapes',
  ];
  for (let c = 0; c * kChunk < kRecords; ++c) held.push(`result/run/frames/${c}`, `result/run/field/bending/${c}`);
  const text = held
    .map(
      (name) => `<script type="text/plain" data-name="${name}">${gzipSync(dataOf(name)).toString('base64')}</script>`,
    )
    .join('\n');
  return readFileSync(findPage(), 'utf8').replace('<!-- DATA -->', () => text);
}
