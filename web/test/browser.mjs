// Opens the reports in a folder with Chromium and checks what people see and do: node browser.mjs FOLDER [SCREENSHOTS].
// FOLDER/values.json says which curves have which values: [{"file", "checks": [{"name", "low", "high", "t", "value"}]}].
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const folder = resolve(process.argv[2]);
const screenshots = process.argv[3] ? resolve(process.argv[3]) : join(folder, 'screenshots');
mkdirSync(screenshots, { recursive: true });
const values = JSON.parse(readFileSync(join(folder, 'values.json'), 'utf8'));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars'] });
let failures = 0;

/// A page with one report in it; whatever it says or asks for is a fault.
async function open(file, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const heard = [];
  page.on('console', (message) => { if (!/GPU stall|GL Driver Message/.test(message.text())) heard.push(`${message.type()}: ${message.text()}`); });
  page.on('pageerror', (error) => heard.push(`error: ${error.message}`));
  page.on('request', (request) => { if (!request.url().startsWith('file:') || !request.url().endsWith(file)) heard.push(`request: ${request.url()}`); });
  const begin = Date.now();
  await page.goto(pathToFileURL(join(folder, file)).href);
  await page.waitForSelector('html[data-ready=yes]', { timeout: 60000 });
  return { page, heard, opened: Date.now() - begin, close: async () => { assert.deepEqual(heard, [], `${file} is silent`); await context.close(); } };
}

async function check(name, act) {
  try {
    const said = await act();
    console.log(`ok      ${name}${said ? `: ${said}` : ''}`);
  } catch (error) {
    ++failures;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
}

const windows = (page) => page.evaluate(() => [...window.pawl.plots, ...window.pawl.others].map((plot) => plot.scale));
const inked = (page, selector) => page.evaluate((wanted) => {
  const canvas = document.querySelector(wanted);
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, copy.width, copy.height);
  let count = 0;
  let sum = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]) { ++count; sum = (sum * 31 + data[i - 1] + 7 * data[i - 2] + 13 * data[i - 3] + i) % 1e9; }
  return { count, sum };
}, selector);

/// What a zoom takes with what plots leave for after it (microtasks), of many into and out of the middle, as a sentence.
async function zooms(page) {
  const times = [];
  for (let i = 0; i < 25; ++i) times.push(await page.evaluate(async (k) => { const from = performance.now(); window.pawl.view.zoom(k % 2 ? 2 : 0.5); await null; return performance.now() - from; }, i));
  times.sort((a, b) => a - b);
  return `zoom takes ${times[12].toFixed(1)} ms (median), ${times[24].toFixed(1)} ms at most`;
}

const large = [];
const most = { '34253-steps.html': 3, 'million-steps.html': 40 }; // MB
for (const { file, checks } of values) {
  await check(`${file} opens, and draws what was recorded`, async () => {
    const { page, opened, close } = await open(file);
    const worst = await page.evaluate((all) => {
      let most = 0;
      for (const one of all) {
        const drawn = window.pawl.value(one.name, one.t);
        const size = one.high - one.low;
        const off = Math.abs(drawn - one.value) / (size > 0 ? size : Math.max(Math.abs(one.value), 1e-300));
        if (!(off <= most)) most = off;
      }
      return most;
    }, checks);
    assert.ok(worst <= 1e-6, `off by ${worst} of the range`);
    if (checks.length > 0) assert.ok((await inked(page, '.plot canvas')).count > 500, 'nothing is drawn');
    if (file in most) {
      const size = statSync(join(folder, file)).size / 1e6;
      assert.ok(size <= most[file], `${size} MB`);
      large.push(`${file.replace('.html', '')}: ${size.toFixed(1)} MB, opened in ${opened} ms, ${await zooms(page)}`);
    }
    await close();
    return `${checks.length} values within ${worst.toExponential(1)} of the range; opened in ${opened} ms`;
  });
}

await check('a drag zooms all plots', async () => {
  const { page, close } = await open('ball.html');
  const before = await windows(page);
  const over = await page.locator('.plot .u-over').first().boundingBox();
  await page.mouse.move(over.x + over.width * 0.3, over.y + 50);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.45, over.y + 60, { steps: 4 });
  await page.mouse.up();
  const after = await windows(page);
  assert.ok(after.length >= 3);
  for (const one of after) assert.deepEqual(one, after[0]);
  assert.ok(Math.abs((after[0].max - after[0].min) / (before[0].max - before[0].min) - 0.15) < 0.01);
  const said = await zooms(page);
  await page.keyboard.press('Escape');
  await page.locator('.plot .u-over').first().dblclick();
  assert.deepEqual((await windows(page))[0], before[0]);
  await close();
  return said;
});

await check('a click on an event centres it and shows both values', async () => {
  const { page, close } = await open('ball.html');
  const row = page.locator('table.events button.link').nth(2);
  const t = await page.evaluate(() => window.pawl.report.events[2].t);
  await row.click();
  for (const { min, max } of await windows(page)) assert.ok(Math.abs((min + max) / 2 - t) < 1e-9 * t, 'not in the middle');
  const said = await page.locator('.both').textContent();
  const [before, after] = await page.evaluate((time) => [window.pawl.value('speed', time, true), window.pawl.value('speed', time)], t);
  assert.ok(Math.abs(after / before + 0.8) < 1e-5, `the ball bounces with 0.8, not ${-after / before}`);
  assert.match(said, /speed -[0-9.]+ → [0-9.]+/);
  await close();
});

await check('a jump is vertical', async () => {
  const { page, close } = await open('ball.html');
  const points = await page.evaluate(() => {
    const { pawl } = window;
    const t = pawl.report.events[2].t;
    pawl.view.show(t - 1e-4, t + 1e-4);
    const plot = pawl.plots.find((one) => one.curves.some((curve) => curve.name === 'speed'));
    const [x, y] = [plot.drawn[0], plot.drawn[1 + plot.curves.findIndex((curve) => curve.name === 'speed')]];
    const at = [];
    for (let i = 0; i < x.length; ++i) if (x[i] === t) at.push(y[i]);
    return at;
  });
  assert.equal(points.length, 2);
  assert.ok(points[0] < 0 && points[1] > 0);
  await close();
});

await check('scrubbing moves the bodies, in the plane and in space', async () => {
  for (const file of ['ball.html', 'space.html']) {
    const { page, close } = await open(file);
    const before = await inked(page, 'canvas.picture');
    assert.ok(before.count > 200, `${file}: nothing is drawn`);
    await page.locator('.scrub').focus();
    for (let i = 0; i < 3; ++i) await page.keyboard.press('PageUp');
    const after = await inked(page, 'canvas.picture');
    assert.notEqual(after.sum, before.sum, file);
    assert.ok((await page.evaluate(() => window.pawl.view.now)) > 0);
    await page.locator('button.play').click();
    const now = await page.evaluate(() => window.pawl.view.now);
    await page.waitForFunction((from) => window.pawl.view.now > from, now);
    await page.locator('button.play').click();
    await close();
  }
});

await check('a contact flashes at its impact, and an arrow shows its force while it is closed', async () => {
  const { page, close } = await open('stop.html');
  const red = (t) => page.evaluate((time) => {
    window.pawl.view.setNow(time);
    const canvas = document.querySelector('canvas.picture');
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext('2d');
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > 180 && data[i + 1] < 110 && data[i + 2] < 60 && data[i + 3] > 200) ++count;
    return count;
  }, t);
  const [impact, end] = await page.evaluate(() => [window.pawl.report.events[0].t, window.pawl.report.pieces.last]);
  const [before, flash, closed] = [await red(impact / 2), await red(impact), await red(end)];
  assert.ok(before < 10 && flash > 300 && closed > 50, `${before}, ${flash}, ${closed} red pixels`);
  await close();
});

await check('a drag with Shift pans all plots', async () => {
  const { page, close } = await open('ball.html');
  await page.evaluate(() => window.pawl.view.zoom(0.5));
  const before = await windows(page);
  const over = await page.locator('.plot .u-over').first().boundingBox();
  await page.keyboard.down('Shift');
  await page.mouse.move(over.x + over.width * 0.5, over.y + 50);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.6, over.y + 50, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.up('Shift');
  const after = await windows(page);
  for (const one of after) assert.deepEqual(one, after[0]);
  assert.ok(Math.abs((before[0].min - after[0].min) / (before[0].max - before[0].min) - 0.1) < 0.01);
  await close();
});

await check('Tab and Enter reach and use everything', async () => {
  const { page, close } = await open('ball.html');
  const seen = new Set();
  for (let i = 0; i < 80; ++i) {
    await page.keyboard.press('Tab');
    seen.add(await page.evaluate(() => document.activeElement.className.split(' ')[0] + document.activeElement.tagName));
    if (await page.evaluate(() => document.activeElement.classList.contains('link'))) break;
  }
  assert.ok(seen.has('plotDIV') && seen.has('scrubINPUT') && seen.has('variableBUTTON'), [...seen].join(' '));
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => window.pawl.view.event), 0);
  await page.locator('.plot').first().focus();
  const before = (await windows(page))[0];
  await page.keyboard.press('+');
  await page.keyboard.press('ArrowRight');
  const after = (await windows(page))[0];
  assert.ok(after.max - after.min < before.max - before.min && after.min > before.min);
  await close();
});

await check('the mark is moved with Shift and the arrow keys, and values at the cursor stand above all plots', async () => {
  const { page, close } = await open('long.html'); // has no picture, and so no other control for the mark
  const said = (i) => page.locator('.legend').nth(i).textContent();
  await page.locator('.plot').first().focus();
  const [before, values] = [await page.evaluate(() => window.pawl.view.now), await said(1)];
  for (let i = 0; i < 50; ++i) await page.keyboard.press('Shift+ArrowRight');
  const now = await page.evaluate(() => window.pawl.view.now);
  assert.ok(now > before && (await said(1)) !== values);
  const over = await page.locator('.plot .u-over').first().boundingBox();
  await page.mouse.move(over.x + over.width * 0.9, over.y + 50);
  const at = await page.evaluate(() => [...document.querySelectorAll('.legend')].slice(0, 3).map((one) => one.lastChild.textContent));
  assert.ok(at.length === 3 && at[0] === at[1] && at[1] === at[2], at.join(', '));
  const value = await page.evaluate(() => { const { plots, value } = window.pawl; const one = plots[1].curves[0]; return value(one.name, plots[0].hover) / (one.high - one.low); });
  const shown = Number((await page.locator('.legend b').nth(1).textContent())) / await page.evaluate(() => { const one = window.pawl.plots[1].curves[0]; return one.high - one.low; });
  assert.ok(Math.abs(value - shown) < 1e-5, `${shown} of the range is said, ${value} it is`);
  await close();
});

await check('values on a logarithmic axis are drawn as their logarithms', async () => {
  const { page, close } = await open('long.html');
  const drawn = () => page.evaluate(() => window.pawl.plots[0].drawn[1].filter((one) => one !== null));
  const plain = await drawn();
  await page.locator('.tools button', { hasText: 'log' }).first().click();
  const logarithms = await drawn();
  assert.equal(logarithms.length, plain.length);
  plain.forEach((one, i) => { if (one > 0) assert.ok(Math.abs(logarithms[i] - Math.log10(one)) < 1e-12); });
  await close();
});

await check('the picture in space turns about the vertical, by a drag and by keys', async () => {
  const { page, close } = await open('space.html');
  const camera = () => page.evaluate(() => { const { position } = window.pawl.player.stage.camera; return [...position]; });
  const far = (at) => Math.hypot(...at);
  const before = await camera();
  const box = await page.locator('canvas.picture').boundingBox();
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 100, { steps: 4 });
  await page.mouse.up();
  await page.evaluate(() => window.pawl.player.draw());
  const dragged = await camera();
  assert.ok(Math.abs(dragged[1] - before[1]) < 1e-9 && Math.abs(far(dragged) - far(before)) < 1e-9, 'the height has changed');
  assert.ok(Math.hypot(dragged[0] - before[0], dragged[2] - before[2]) > 0.1, 'nothing has turned');
  await page.locator('canvas.picture').focus();
  const seen = await inked(page, 'canvas.picture');
  await page.keyboard.press('ArrowRight');
  const turned = await camera();
  assert.ok(Math.abs(Math.atan2(turned[0], turned[2]) - Math.atan2(dragged[0], dragged[2]) - Math.PI / 18) < 1e-9);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('-');
  const raised = await camera();
  assert.ok(raised[1] > turned[1] && Math.abs(far(raised) / far(turned) - 1.25) < 1e-9);
  assert.notEqual((await inked(page, 'canvas.picture')).sum, seen.sum);
  await close();
});

await check('without WebGL everything but the picture in space is there', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) { return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...more); };
  });
  await page.goto(pathToFileURL(join(folder, 'space.html')).href);
  await page.waitForSelector('html[data-ready=yes]', { timeout: 60000 });
  assert.ok((await inked(page, '.plot canvas')).count > 500, 'nothing is drawn');
  await page.locator('.scrub').focus();
  await page.keyboard.press('PageUp');
  assert.match(await page.locator('.right').textContent(), /t = 0\.3.*This browser has no WebGL/);
  await context.close();
});

await check('on paper everything is open, light and as wide as the paper; afterwards the page is as it was', async () => {
  const { page, close } = await open('space.html', { colorScheme: 'dark' });
  const state = () => page.evaluate(() => ({ light: getComputedStyle(document.documentElement).colorScheme, widths: [...document.querySelectorAll('canvas')].map((one) => one.clientWidth), closed: [...document.querySelectorAll('details:not([open])')].length }));
  const before = await state();
  assert.ok(before.light === 'dark' && before.closed > 0);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  const paper = await state();
  assert.equal(paper.light, 'light');
  assert.equal(paper.closed, 0);
  for (const width of paper.widths) assert.ok(width <= 180 / 25.4 * 96 && width > 150 / 25.4 * 96, `${width} pixels wide`);
  assert.ok((await inked(page, 'canvas.picture')).count > 200, 'the picture is empty');
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.deepEqual(await state(), before);
  await close();
});

await check('a variable is added to the chosen plot, and drawn over another', async () => {
  const { page, close } = await open('space.html');
  const count = () => page.evaluate(() => window.pawl.plots.map((plot) => plot.curves.length).reduce((a, b) => a + b));
  const before = await count();
  await page.locator('button.variable[aria-pressed=false]').first().click();
  assert.equal(await count(), before + 1);
  const phases = await page.evaluate(() => window.pawl.phases.length);
  await page.locator('.toolbar select').selectOption({ index: 2 });
  assert.equal(await page.evaluate(() => window.pawl.phases.length), phases + 1);
  await close();
});

await check('the page says what the model declares', async () => {
  const { page, close } = await open('ball.html');
  const tables = await page.evaluate(() => window.pawl.report.head.facts.map(([heading]) => heading));
  for (const wanted of ['Model: states', 'Model: parameters', 'Model: guards']) assert.ok(tables.includes(wanted), tables.join(', '));
  assert.match(await page.locator('.columns').textContent(), /Model: guards.*falling; never seen beyond zero; from height/);
  await close();
});

await check('second runs and compared files are drawn over the first, and their differences', async () => {
  for (const [file, first, other, said] of [['verified.html', 'x', /^x, another family \(/, /Verified by other runs.*verified/], ['compared.html', 'x in tight', /^x in loose$/, /verner-9 beside dop853/]]) {
    const { page, close } = await open(file);
    const found = await page.evaluate(([one, pattern]) => {
      const { plots, report, value } = window.pawl;
      const second = report.curves.find((curve) => new RegExp(pattern).test(curve.name)).name;
      const difference = report.curves.find((curve) => curve.name.startsWith(second + ' - ')).name;
      const range = (name) => { const curve = report.find(name); return curve.high - curve.low; };
      const off = [];
      for (let i = 0; i < 1000; ++i) {
        const t = report.pieces.first + (report.pieces.last - report.pieces.first) * (i + 0.5) / 1000;
        const away = Math.abs(value(second, t) - value(one, t) - value(difference, t)) / (range(second) + range(one) + range(difference));
        if (!Number.isNaN(away)) off.push(away); // nothing is known between jumps
      }
      return { together: plots[0].curves.map((curve) => curve.name), second, apart: plots[1].curves.map((curve) => curve.name), difference, count: off.length, worst: Math.max(...off) };
    }, [first, other.source]);
    assert.ok(found.together.includes(first) && found.together.includes(found.second) && found.apart.includes(found.difference), JSON.stringify(found));
    assert.ok(found.count > 900 && found.worst < 1e-6, JSON.stringify(found));
    assert.match(await page.locator('#page').textContent(), said);
    await close();
  }
});

await check('impacts of a family of spheres are counted, and the page says that they are not listed', async () => {
  const { page, close } = await open('spheres.html');
  assert.match(await page.locator('header').textContent(), /41 samples, [1-9]\d* impacts of the family, counted, not listed/);
  assert.doesNotMatch(await page.locator('header').textContent(), /events/);
  await close();
});

await check('names are text, whatever they look like', async () => {
  const { page, close } = await open('names.html');
  const name = '</script><script>window.hacked=1</script>"\'&<b>Ψ模型';
  await page.locator('.toolbar select').selectOption({ index: 2 });
  await page.locator('table.events button.link').first().click();
  await page.locator('input[type=search]').first().fill(name);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('h1').evaluate((one) => one.firstChild.textContent), name);
  assert.deepEqual(await page.locator('table.events tbody td').allTextContents(), [await page.locator('table.events button').textContent(), 'crossing', `${name} half`, `${name} late`, '']);
  assert.deepEqual(await page.locator('button.variable').allTextContents(), [`${name}\x01`, `${name} seen`, `${name} late`]);
  const words = await page.locator('.columns').textContent();
  for (const one of ['rate', 'half', 'late', 'seen']) assert.ok(words.includes(`${name} ${one}`), one);
  await close();
});

await check('a run that failed at its start says why', async () => {
  const { page, close } = await open('failed.html');
  assert.match(await page.locator('header').textContent(), /failed.*0 steps, 0 events.*rate of 'x'/s);
  await close();
});

await check('an event within 1e-12 is centred', async () => {
  const { page, close } = await open('short.html');
  await page.locator('table.events button.link').first().click();
  for (const { min, max } of await windows(page)) assert.ok(Math.abs((min + max) / 2e-12 - Math.LN2) < 1e-6 && max - min < 1e-12, `${min} to ${max}`);
  assert.match(await page.locator('.both').textContent(), /fast.{1,2}0\.5 → 0\.5/);
  await close();
});

await check('times of 1e11 are drawn over a logarithmic axis', async () => {
  const { page, close } = await open('long.html');
  assert.equal(await page.evaluate(() => window.pawl.view.isLog), true);
  assert.match(await page.locator('header').textContent(), /t = 0 to 1e11/);
  await close();
});

await check('dark, light and print can be seen', async () => {
  const light = await open('ball.html', { deviceScaleFactor: 1 });
  await light.page.evaluate(() => window.pawl.view.setNow(0.9));
  await light.page.screenshot({ path: join(screenshots, 'report-ball.png'), animations: 'disabled' });
  const bright = await light.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await light.page.emulateMedia({ media: 'print' });
  assert.equal(await light.page.locator('.toolbar').isVisible(), false);
  await light.close();
  const dark = await open('ball.html', { colorScheme: 'dark' });
  assert.notEqual(await dark.page.evaluate(() => getComputedStyle(document.body).backgroundColor), bright);
  await dark.page.locator('table.events button.link').nth(3).click();
  await dark.page.evaluate(() => window.scrollTo(0, 0));
  await dark.page.screenshot({ path: join(screenshots, 'report-event.png'), animations: 'disabled' });
  await dark.close();
  const space = await open('space.html'); // one plot, so that events, modes and their table are seen with it
  for (let i = 0; i < 2; ++i) await space.page.locator('.tools button[title="remove this plot"]').last().click();
  await space.page.locator('canvas.picture').focus();
  await space.page.keyboard.press('+');
  await space.page.evaluate(() => document.activeElement.blur());
  await space.page.evaluate(() => { const { view, report } = window.pawl; view.setNow(report.pieces.first + 0.4 * (report.pieces.last - report.pieces.first)); });
  await space.page.screenshot({ path: join(screenshots, 'report-space.png'), animations: 'disabled' });
  await space.close();
});

await check('sweep.html draws all runs and shows the command of the one that is clicked', async () => {
  const { page, close } = await open('sweep.html');
  for (const canvas of ['scatter', 'heat', 'parallel', 'histogram']) assert.ok((await inked(page, `canvas.${canvas}`)).count > 500, canvas);
  const size = await page.evaluate(() => window.sweep.data.size);
  assert.equal(size, 27);
  // The dot of e = 0.5 is at the left end of the frame, at the height of its number of events.
  const place = await page.evaluate(() => {
    const { data, scatter } = window.sweep;
    const [e, , events] = data.quantities;
    for (let y = 0; y < 600; ++y) { const row = scatter.find(e, events, 63, y); if (row >= 0) return { y, row }; }
    return null;
  });
  assert.ok(place);
  await page.locator('canvas.scatter').click({ position: { x: 63, y: place.y } });
  const command = await page.locator('pre.command').textContent();
  assert.match(command, /^pawl run bouncing-ball --set e=0\.5 --set gravity=(3\.7|9\.81|-1)$/);
  await page.keyboard.press('ArrowRight');
  const next = await page.locator('pre.command').textContent();
  assert.ok(next !== command && next.startsWith('pawl run bouncing-ball --set e='), next);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await page.locator('pre.command').textContent(), command);
  const before = await inked(page, 'canvas.scatter');
  await page.locator('.toolbar select').nth(1).selectOption('3');
  assert.notEqual((await inked(page, 'canvas.scatter')).sum, before.sum);
  await page.screenshot({ path: join(screenshots, 'report-sweep.png'), animations: 'disabled' });
  await close();
  return command;
});

for (const one of large) console.log(`        ${one}`);
await browser.close();
console.log(failures === 0 ? 'all is well' : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
