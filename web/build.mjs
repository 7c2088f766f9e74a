// Builds the page of reports into one file: node build.mjs [TARGET], default dist/report.html.
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

const parts = { main: await bundle('main.ts'), space: await bundle('space.ts'), style: await style() };
const values = { ...parts, 'script-hashes': `${hash(parts.main)} ${hash(parts.space)}`, 'style-hash': hash(parts.style) };
const page = readFileSync(join(here, 'src/page.html'), 'utf8').replace(/\{\{([a-z-]+)\}\}/g, (_, name) => values[name]);
const target = process.argv[2] ?? join(here, 'dist/report.html');
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, page);
console.log(`${target}: ${page.length} bytes, script ${parts.main.length}, space ${parts.space.length}, style ${parts.style.length}`);
