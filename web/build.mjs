// Builds the pages of reports on runs and on sweeps, one file each: node build.mjs [FOLDER], default dist.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const bundle = async (entry) => {
  const made = await build({ entryPoints: [join(here, 'src', entry)], bundle: true, minify: true, format: 'iife', target: 'es2022', charset: 'ascii', legalComments: 'none', write: false, logLevel: 'error' });
  return made.outputFiles[0].text.trim().replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
};
const style = async () => {
  const made = await build({ stdin: { contents: `@import 'uplot/dist/uPlot.min.css';\n@import './src/style.css';`, resolveDir: here, loader: 'css' }, bundle: true, minify: true, legalComments: 'none', write: false, logLevel: 'error' });
  return made.outputFiles[0].text.trim();
};
const hash = (text) => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

const parts = { main: await bundle('main.ts'), space: await bundle('space.ts'), sweep: await bundle('sweep.ts'), style: await style() };
const values = { ...parts, 'script-hashes': `${hash(parts.main)} ${hash(parts.space)}`, 'sweep-hash': hash(parts.sweep), 'style-hash': hash(parts.style) };
const folder = process.argv[2] ?? join(here, 'dist');
mkdirSync(folder, { recursive: true });
for (const [source, target] of [['page.html', 'report.html'], ['sweep_page.html', 'sweep.html']]) {
  const page = readFileSync(join(here, 'src', source), 'utf8').replace(/\{\{([a-z-]+)\}\}/g, (_, name) => values[name]);
  writeFileSync(join(folder, target), page);
  console.log(`${join(folder, target)}: ${page.length} bytes`);
}
