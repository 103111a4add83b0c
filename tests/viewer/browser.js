// A headless Chromium that is spoken to over its debugging pipe; nothing but Node's own modules.
'use strict';
const { spawn } = require('child_process');
const { mkdtempSync, rmSync } = require('fs');
const { tmpdir } = require('os');
const { join } = require('path');

const flags = ['--headless', '--no-sandbox', '--disable-gpu-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
  '--remote-debugging-pipe', '--no-first-run', '--disable-extensions', '--disable-background-networking', '--hide-scrollbars',
  '--mute-audio'];

class Browser {
  constructor(width, height) {
    this.profile = mkdtempSync(join(tmpdir(), 'tippe-viewer-'));
    this.process = spawn(process.env.CHROMIUM || 'chromium', [...flags, `--user-data-dir=${this.profile}`, `--window-size=${width},${height}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map();
    this.number = 0;
    this.complaints = []; // of the page's console, and exceptions
    let text = '';
    this.process.stdio[4].setEncoding('utf8');
    this.process.stdio[4].on('data', chunk => {
      text += chunk;
      const parts = text.split('\0');
      text = parts.pop();
      for (const part of parts) this.receive(JSON.parse(part));
    });
    this.process.on('error', error => { throw error; });
  }

  receive(message) {
    if (message.id) {
      const { resolve, reject } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
      return;
    }
    const { method, params } = message;
    if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && ['error', 'warning', 'assert'].includes(params.type)) {
      this.complaints.push(params.args.map(a => a.value || a.description).join(' '));
    }
    if (method === 'Log.entryAdded' && ['error', 'warning'].includes(params.entry.level)) this.complaints.push(params.entry.text);
  }

  send(method, params = {}) {
    const id = ++this.number;
    const message = { id, method, params };
    if (this.session) message.sessionId = this.session;
    this.process.stdio[3].write(JSON.stringify(message) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async open(address) {
    if (!this.session) {
      const { targetInfos } = await this.send('Target.getTargets');
      const { sessionId } = await this.send('Target.attachToTarget', { targetId: targetInfos.find(t => t.type === 'page').targetId, flatten: true });
      this.session = sessionId;
      for (const domain of ['Runtime', 'Log', 'Page']) await this.send(domain + '.enable');
    }
    this.complaints.length = 0;
    await this.send('Page.navigate', { url: address });
    await this.until("document.documentElement.dataset.ready === 'yes' || /cannot be shown/.test(document.getElementById('verdict').textContent)");
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(expression + ': ' + (exceptionDetails.exception?.description || exceptionDetails.text));
    return result.value;
  }

  async until(expression, seconds = 240) { // of a busy machine
    const end = Date.now() + 1000 * seconds;
    while (!(await this.evaluate(expression).catch(() => false))) {
      if (Date.now() > end) throw new Error('never true: ' + expression + '; console: ' + this.complaints.join(' | '));
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }

  // What an expression leaves behind [bytes]: objects made, those that were given back included, and what the page is larger by
  // afterwards.
  async memoryOf(expression) {
    const used = async () => {
      await this.send('HeapProfiler.collectGarbage');
      return (await this.send('Runtime.getHeapUsage')).usedSize;
    };
    const sum = node => node.children.reduce((all, child) => all + sum(child), node.selfSize);
    await this.send('HeapProfiler.enable');
    const before = await used();
    await this.send('HeapProfiler.startSampling',
      { samplingInterval: 1024, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true });
    await this.evaluate(expression);
    const { profile } = await this.send('HeapProfiler.stopSampling');
    return { made: sum(profile.head), kept: await used() - before };
  }

  // As a person presses a key.
  async press(key, code = 0) {
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, text, windowsVirtualKeyCode: code });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key });
  }

  async screenshot() {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  async close() {
    const end = new Promise(resolve => this.process.once('exit', resolve));
    const wait = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
    await Promise.race([this.send('Browser.close').catch(() => {}), wait(2000)]);
    await Promise.race([end, wait(5000)]);
    this.process.kill('SIGKILL');
    try { // its helpers may still write
      rmSync(this.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    } catch (error) {
      console.log('left behind: ' + error.path);
    }
  }
}

module.exports = { Browser };
