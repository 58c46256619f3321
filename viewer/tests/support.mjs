// What tests of the page share.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';

const kFlags = [
  '--headless=new', '--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
];

export const here = dirname(fileURLToPath(import.meta.url));

export const openBrowser = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: kFlags });

// {address, close}: of FLEXLOOP_ADDRESS, or of the program FLEXLOOP showing a run of `model`.
export async function serve(model = join(here, 'drive.yaml')) {
  if (process.env.FLEXLOOP_ADDRESS) return { address: process.env.FLEXLOOP_ADDRESS, close: () => {} };
  const program = process.env.FLEXLOOP ?? join(here, '..', '..', 'build', 'flexloop');
  const folder = mkdtempSync(join(tmpdir(), 'flexloop-'));
  execFileSync(program, ['run', model, '--out', folder, '--quiet']);
  const child = spawn(program, ['view', folder, '--no-open'], { stdio: ['ignore', 'pipe', 'pipe'] });
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

// The page of `address` with its data inside, as a report is; returns the address of the file.
export async function writeReport(address) {
  const base = address.replace(/[^/]*$/, '');
  const fetchBytes = async (name) => Buffer.from(await (await fetch(`${base}${name}`)).arrayBuffer());
  const results = JSON.parse(await fetchBytes('data/results.json'));
  const [first] = results;
  const names = ['scene.json', 'results.json', 'modes.json', `result/${first.id}/time`, ...first.channels.map((_, i) => `result/${first.id}/channel/${i}`)];
  const tags = await Promise.all(
    names.map(async (name) => `<script type="text/plain" data-name="${name}">${gzipSync(await fetchBytes(`data/${name}`)).toString('base64')}</script>`),
  );
  const page = (await fetchBytes('')).toString().replace('<!-- DATA -->', () => tags.join('\n'));
  const file = join(mkdtempSync(join(tmpdir(), 'flexloop-')), 'report.html');
  writeFileSync(file, page);
  return pathToFileURL(file).href;
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
