// How long a page takes to load and its frames to draw, in a headless Chromium with software rendering:
// node measure_viewer.js PAGE.html...   docs/guide/view.md. FRAMES=N measures so many (default 60). Times of scripts are by the
// browser's clock, collection of garbage included; a frame is processor time of all of the browser's processes (Linux), which other work
// on the machine does not lengthen.
'use strict';
const { readdirSync, readFileSync, statSync } = require('fs');
const { resolve } = require('path');
const { Browser } = require('./browser.js');

const frames = Number(process.env.FRAMES || 60);

// Processor seconds so far of a process and all that it started.
function processorTime(root) {
  const ticks = new Map(), parents = new Map();
  for (const name of readdirSync('/proc').filter(n => /^[0-9]+$/.test(n))) {
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      parents.set(Number(name), Number(fields[1]));
      ticks.set(Number(name), Number(fields[11]) + Number(fields[12]));
    } catch { /* it has ended */ }
  }
  const belongs = pid => pid === root || (parents.has(pid) && pid > 1 && belongs(parents.get(pid)));
  return [...ticks].reduce((sum, [pid, count]) => sum + (belongs(pid) ? count : 0), 0) / 100;
}

// Medians over frames spread over the run: scripts alone (poses, arrows, curves), and with all that was drawn.
const measure = `(async () => {
  const app = tippe.app, gl = app.space.renderer.getContext(), pixel = new Uint8Array(4), parts = {};
  const among = (list, part) => list[Math.min(Math.floor(part * list.length), list.length - 1)];
  const note = (name, milliseconds) => (parts[name] = parts[name] || []).push(milliseconds);
  const finish = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
  const draw = app.space.draw.bind(app.space);
  let drawn = 0;
  app.space.draw = () => { const begin = performance.now(); draw(); drawn = performance.now() - begin; };
  for (let k = 0; k < ${frames}; k++) {
    app.time = app.data.start + (k + 0.37) / ${frames} * (app.data.end - app.data.start);
    finish();
    const begin = performance.now();
    app.show();
    const shown = performance.now();
    finish();
    note('scripts', shown - begin - drawn), note('calls of WebGL', drawn);
  }
  app.space.draw = draw;
  for (const list of Object.values(parts)) list.sort((a, b) => a - b);
  return Object.fromEntries(Object.entries(parts).map(([name, list]) => [name, [0.5, 0.99, 1].map(part => among(list, part))]));
})()`;

(async () => {
  const browser = new Browser(1280, 800);
  try {
    for (const path of process.argv.slice(2)) {
      const begin = Date.now(), idle = processorTime(browser.process.pid);
      await browser.open('file://' + resolve(path));
      const loaded = Date.now() - begin, begun = processorTime(browser.process.pid) - idle;
      await browser.evaluate("document.getElementById('show-force').checked = true, tippe.app.switchParts()");
      const [bodies, count, forces] = await browser.evaluate("[tippe.app.data.figures.length, tippe.app.data.counts.frames, tippe.app.data.counts.forces]");
      const before = processorTime(browser.process.pid), parts = await browser.evaluate(measure);
      const frame = (processorTime(browser.process.pid) - before) / frames;
      const size = (statSync(path).size / 1e6).toFixed(1), seconds = (loaded / 1000).toFixed(1);
      console.log(`${path}: ${size} MB, ${bodies} figures, ${count} frames, ${forces} forces`);
      console.log(`  loaded in ${seconds} s, ${begun.toFixed(1)} s of processor time`);
      for (const [name, [middle, rare, most]] of Object.entries(parts)) {
        console.log(`  ${name}: median ${middle.toFixed(1)} ms, 99 of 100 below ${rare.toFixed(1)} ms, largest ${most.toFixed(1)} ms`);
      }
      const { made, kept } = await browser.memoryOf(measure), calls = await browser.evaluate('tippe.app.space.renderer.info.render.calls');
      console.log(`  objects of a frame: ${Math.round(made / frames)} bytes, of which ${Math.round(kept / frames)} stay; ${calls} calls of WebGL`);
      console.log(`  a frame with all of its drawing: ${(1000 * frame).toFixed(0)} ms of processor time`);
    }
  } finally {
    await browser.close();
  }
})().catch(error => { console.error(error.message); process.exit(1); });
