// What a user of a page sees and does, in a headless Chromium: node test_viewer.js TIPPE FOLDER [PICTURES]
// FOLDER has NAME.html of tippe view (tools/check_viewer makes them); PICTURES gets a picture of each.
'use strict';
const assert = require('assert');
const { spawn } = require('child_process');
const { readdirSync, writeFileSync, mkdirSync } = require('fs');
const { basename, join, resolve } = require('path');
const { Browser } = require('./browser.js');

const [tippe, folder, pictures] = process.argv.slice(2).map(path => resolve(path));

// The picture as seen: how many of its pixels differ from the most frequent colour, and a number that changes with any of them.
const seen = `(() => {
  const from = document.getElementById('picture'), to = document.createElement('canvas');
  to.width = 160, to.height = 100;
  const pen = to.getContext('2d');
  pen.drawImage(from, 0, 0, 160, 100);
  const words = new Uint32Array(pen.getImageData(0, 0, 160, 100).data.buffer), counts = new Map();
  let hash = 7;
  for (const word of words) counts.set(word, (counts.get(word) || 0) + 1), hash = (hash * 31 + word) % 4294967291;
  return { drawn: words.length - Math.max(...counts.values()), hash };
})()`;
const settle = 'new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(tippe.app.time))))';

const cases = {
  async 'the picture shows the motion'(page) {
    const before = await page.evaluate(seen);
    assert(before.drawn > 100, 'something is drawn');
    await page.evaluate('tippe.app.goTo(tippe.app.data.end), ' + settle);
    assert.notStrictEqual((await page.evaluate(seen)).hash, before.hash, 'the picture changes with the time');
    await page.evaluate('tippe.app.goTo(tippe.app.data.start), ' + settle);
    assert.strictEqual((await page.evaluate(seen)).hash, before.hash, 'and comes back');
  },

  async 'space plays and pauses'(page) {
    await page.evaluate('tippe.app.setSpeed(tippe.app.speed / 64)'); // the end does not come while a busy machine looks away
    await page.press(' ', 32);
    await page.until('tippe.app.time > tippe.app.data.start && tippe.app.isPlaying');
    await page.press(' ', 32);
    const stopped = await page.evaluate(settle);
    assert.strictEqual(await page.evaluate(settle), stopped, 'time stands still');
    await page.evaluate('tippe.app.setSpeed(64 * tippe.app.speed)');
    const slider = await page.evaluate("Number(document.getElementById('slider').value)");
    const part = await page.evaluate('(tippe.app.time - tippe.app.data.start) / (tippe.app.data.end - tippe.app.data.start)');
    assert(Math.abs(slider - part) < 1e-6, 'the slider follows');
  },

  async 'keys step through frames and events'(page) {
    await page.press('Home', 36);
    await page.press('ArrowRight', 39);
    assert.strictEqual(await page.evaluate(settle), await page.evaluate('tippe.app.data.times.list[1]'));
    await page.press('End', 35);
    assert.strictEqual(await page.evaluate(settle), await page.evaluate('tippe.app.data.end'));
    await page.press('Home', 36);
    if (await page.evaluate('tippe.app.data.counts.events > 0')) {
      await page.press('n');
      const times = await page.evaluate('Array.from(tippe.app.data.eventTimes.list).slice(0, tippe.app.data.counts.events)');
      const start = await page.evaluate('tippe.app.data.start'), next = Math.min(...times.filter(t => t > start + 1e-9));
      assert(Math.abs(await page.evaluate(settle) - next) < 1e-9, 'n goes to the next event');
      assert(await page.evaluate("Number(document.getElementById('events').dataset.signs) > 0"), 'events are on the time line');
    }
    await page.press('?');
    assert(await page.evaluate("!document.getElementById('help').hidden && /next, previous event/.test(document.getElementById('help').textContent)"));
    await page.press('?');
  },

  async 'keys move the camera and switch parts'(page) {
    const before = await page.evaluate(seen);
    await page.press('d');
    await page.evaluate(settle);
    const turned = await page.evaluate(seen);
    assert.notStrictEqual(turned.hash, before.hash, 'd turns');
    await page.press('0');
    await page.press('h');
    assert.strictEqual(await page.evaluate("document.getElementById('show-shadow').checked"), false);
    await page.press('h');
    await page.press('+');
    const faster = await page.evaluate('tippe.app.speed');
    await page.press('-');
    assert.strictEqual(await page.evaluate('tippe.app.speed'), faster / 2);
  },

  async 'plots follow the time'(page) {
    const cursor = "tippe.app.panels[0].marks.toDataURL()", values = "document.querySelector('.panel ul').textContent";
    await page.evaluate('tippe.app.goTo(tippe.app.data.start), ' + settle);
    const [line, text] = [await page.evaluate(cursor), await page.evaluate(values)];
    await page.evaluate('tippe.app.goTo(0.5 * (tippe.app.data.start + tippe.app.data.end)), ' + settle);
    assert.notStrictEqual(await page.evaluate(cursor), line, 'the cursor moves');
    const place = await page.evaluate('tippe.app.data.place(tippe.app.time).frame');
    const value = await page.evaluate(`tippe.format(tippe.app.data.column(tippe.app.panels[0].curves[0].y)[${place}])`);
    assert((await page.evaluate(values)).includes(value), 'the value there is written: ' + value + ', not ' + text);
    const count = await page.evaluate('tippe.app.panels.length');
    await page.evaluate("document.getElementById('choose-x').selectedIndex = 1, document.querySelector('#choose button').click()");
    assert.strictEqual(await page.evaluate('tippe.app.panels.length'), count + 1, 'a panel of one column over another');
    await page.evaluate("document.querySelector('#panels .panel:last-child button').click(), tippe.app.goTo(tippe.app.data.end), " + settle);
  },

  async 'curves and events differ without colour'(page) {
    const dashes = await page.evaluate(`Array.from(document.querySelectorAll('.panel')).map(panel =>
      Array.from(panel.querySelectorAll('line')).map(line => line.getAttribute('stroke-dasharray')))`);
    for (const panel of dashes) assert.strictEqual(new Set(panel).size, panel.length, 'each curve of a panel has its dash');
    const signs = await page.evaluate('tippeData.kinds.map(kind => tippe.signs[kind])');
    assert.strictEqual(new Set(signs).size, signs.length, 'each kind of event has its sign');
    assert(!signs.includes(undefined));
  },

  async 'residual, drift and energy are to be seen'(page) {
    const text = await page.evaluate("document.getElementById('verdict').textContent");
    for (const part of ['worst residual', 'drift of joints', 'penetration', 'energy']) assert(text.includes(part), text);
    assert(!/\?|undefined|NaN/.test(text), text);
  },
};

// 10,000 frames of 100 bodies play without stutter: what a frame costs, in figures that no load and no processor changes. The graphics
// processor is left out: its calls are counted and not made.
const frames = 2000;
const mute = `(() => {
  const gl = tippe.app.space.renderer.getContext(), instanced = gl.getExtension('ANGLE_instanced_arrays') || {};
  window.calls = 0;
  for (const table of [gl, instanced]) for (const name of ['drawElements', 'drawArrays', 'drawElementsInstancedANGLE', 'drawArraysInstancedANGLE',
    'drawElementsInstanced', 'drawArraysInstanced']) if (table[name]) table[name] = () => { window.calls++; };
  window.redrawn = 0, window.looked = 0;
  const drawCurve = tippe.Panel.prototype.drawCurve;
  tippe.Panel.prototype.drawCurve = function (...all) { window.redrawn++; return drawCurve.apply(this, all); };
  for (const name of ['clientWidth', 'clientHeight']) {
    const old = Object.getOwnPropertyDescriptor(Element.prototype, name);
    Object.defineProperty(Element.prototype, name, { get() { window.looked++; return old.get.call(this); } });
  }
})()`;
const pass = `(() => {
  const app = tippe.app, span = app.data.end - app.data.start;
  for (let k = 0; k < ${frames}; k++) app.time = app.data.start + (k + 0.37) / ${frames} * span, app.show();
})()`;
async function playLong(browser) {
  await browser.open('file://' + join(folder, 'long.html'));
  assert(await browser.evaluate('tippe.app.data.counts.frames >= 10000 && tippe.app.data.figures.length >= 100'), '10,000 frames of 100 bodies');
  const programs = await browser.evaluate('tippe.app.space.renderer.info.programs.length');
  await browser.evaluate(mute);
  await browser.evaluate(pass); // the compiler of the browser is warm now
  assert.strictEqual(await browser.evaluate('tippe.app.space.renderer.info.programs.length'), programs, 'no shader is made while it plays');
  await browser.evaluate('window.calls = window.redrawn = window.looked = 0');
  const { made, kept } = await browser.memoryOf(pass), calls = await browser.evaluate('window.calls') / frames;
  // 13 kB and 0 bytes, 29 calls; with one object for each body and frame it was 24 kB, with a call for each body 200.
  assert(made / frames < 18e3, `a frame makes ${Math.round(made / frames)} bytes of objects`);
  assert(kept / frames < 100, `a frame keeps ${Math.round(kept / frames)} bytes`);
  assert(calls > 3 && calls < 50, `a frame has ${calls} calls of WebGL`);
  assert.strictEqual(await browser.evaluate('window.redrawn'), 0, 'curves are not drawn again, the cursor alone');
  assert.strictEqual(await browser.evaluate('window.looked'), 0, 'no frame waits for a layout of the page');
  assert.deepStrictEqual(browser.complaints, []);
}

// A page of a model without anything to draw has curves that follow the time, and no empty space.
async function readCurves(browser) {
  await browser.open('file://' + join(folder, 'curves.html'));
  assert.strictEqual(await browser.evaluate("document.getElementById('space').clientWidth"), 0);
  for (const title of ['space plays and pauses', 'plots follow the time', 'residual, drift and energy are to be seen']) await cases[title](browser);
  assert.deepStrictEqual(browser.complaints, []);
}

// A page that follows a run while it is computed.
async function watchLive(browser) {
  const program = spawn(tippe, ['view', '--live', 'examples/tippe-top/scene.yaml', '--until', '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const line = await new Promise(done => program.stdout.once('data', bytes => done(String(bytes))));
    await browser.open(line.match(/http:[^ ]*/)[0]);
    const before = await browser.evaluate('tippe.app.data.counts.frames');
    await browser.until(`tippe.app.data.counts.frames > ${before} && tippe.app.time > 0 && tippe.app.isPlaying`);
    await cases['residual, drift and energy are to be seen'](browser);
    assert.deepStrictEqual(browser.complaints, []);
  } finally {
    program.kill('SIGINT');
  }
}

async function main() {
  const browser = pictures ? new Browser(1280, 940) : new Browser(1000, 760);
  let failures = 0, count = 0;
  try {
    for (const file of readdirSync(folder).filter(name => name.endsWith('.html') && !['curves.html', 'long.html'].includes(name)).sort()) {
      const name = basename(file, '.html');
      await browser.open('file://' + join(folder, file));
      const wanted = name === 'woodpecker' ? Object.keys(cases) : ['the picture shows the motion', 'residual, drift and energy are to be seen'];
      for (const title of wanted) {
        count++;
        await cases[title](browser).catch(error => { failures++; console.log(`${name}: ${title}: ${error.message}`); });
      }
      if (browser.complaints.length) failures++, console.log(`${name}: console: ${browser.complaints.join(' | ')}`);
      if (!pictures) continue;
      mkdirSync(pictures, { recursive: true });
      await browser.evaluate(`tippe.app.get('show-trace').checked = ${name !== 'sphere-heap'}, tippe.app.switchParts(),
        tippe.app.goTo(tippe.app.data.start + 0.6 * (tippe.app.data.end - tippe.app.data.start)), ${settle}`);
      writeFileSync(join(pictures, name + '.png'), await browser.screenshot());
    }
    count++;
    await readCurves(browser).catch(error => { failures++; console.log('curves: ' + error.message); });
    count++;
    await playLong(browser).catch(error => { failures++; console.log('long: ' + error.message); });
    count++;
    await watchLive(browser).catch(error => { failures++; console.log('live: ' + error.message); });
  } finally {
    await browser.close();
  }
  console.log(`${count} checks of pages, ${failures} failed`);
  process.exitCode = failures || !count ? 1 : 0;
}

main().catch(error => { console.error(error); process.exit(1); });
