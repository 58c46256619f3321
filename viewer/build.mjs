// Makes page.html: one file with script and style inside, which may run no other script.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ?? join(here, 'dist', 'page.html');

const result = await build({
  entryPoints: [join(here, 'src', 'main.js')],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'inline',
  outdir: join(here, 'dist'),
  write: false,
});
const text = (ending) =>
  result.outputFiles
    .filter((file) => file.path.endsWith(ending))
    .map((file) => file.text)
    .join('')
    .replaceAll('</script', '<\\/script');
const script = text('.js');
const hash = createHash('sha256').update(script).digest('base64');
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${hash}'`,
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

// Functions as replacements: the bundle itself contains `$&` and the like.
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
  .replace('POLICY', () => policy)
  .replace('/* STYLE */', () => text('.css'))
  .replace('/* SCRIPT */', () => script);
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
