// The page: time, keys, switches, and news of a live run.
'use strict';

tippe.keys = [
  ['space', 'play or pause'], ['left, right', 'one frame back or on; with shift ten'], ['home, end', 'start, end'],
  ['n, p', 'next, previous event'], ['- +', 'slower, faster'], ['f', 'show all of the motion'],
  ['1 2 3 0', 'look along x, y, z; as at first'], ['w a s d', 'turn the camera'], ['page up, page down', 'nearer, farther'],
  ['j g v t h l', 'joints, springs, forces, traces, shadows, names'], ['c', 'follow the next body'], ['?', 'these keys'],
  ['mouse', 'drag: turn; right button or shift: move; wheel: nearer, farther'],
];

tippe.App = class {
  constructor(page) {
    this.data = new tippe.Data(page);
    this.time = 0;
    this.isPlaying = false;
    this.panels = [];
    this.texts = {};
    this.get = id => document.getElementById(id);
  }

  async begin() {
    const data = this.data;
    await data.unpack();
    document.title = data.title + ' - Tippe';
    this.get('title').textContent = data.title;
    if (data.live) await this.listen();
    document.body.classList.toggle('bare', !data.figures.length); // curves alone
    this.time = data.start;
    this.space = new tippe.Space(data, this.get('picture'));
    this.space.resize();
    this.space.fit();
    this.solids = new tippe.Solids(data, this.space);
    this.grounds = new tippe.Grounds(data, this.space);
    this.strokes = new tippe.Strokes(data, this.space);
    this.arrows = new tippe.Arrows(data, this.space);
    this.traces = new tippe.Traces(data, this.space);
    this.timeline = new tippe.Timeline(data, this.get('events'), time => this.goTo(time));
    this.chooseSpeed();
    this.fillLists();
    this.addPanels();
    this.wire();
    this.showReport();
    this.redraw();
    this.space.renderer.compile(this.space.scene, this.space.camera); // of what shows up later, too: no wait while it plays
    this.loop = this.loop.bind(this);
    requestAnimationFrame(this.loop);
    document.documentElement.dataset.ready = 'yes';
  }

  // Real time, or a power of two of it by which the run takes 4 to 40 s; of a live run nobody knows.
  chooseSpeed() {
    const span = this.data.end - this.data.start;
    this.speed = 1;
    if (this.data.live) return;
    while (span > 0 && span / this.speed < 4 && this.speed > 1e-6) this.speed /= 2;
    while (span / this.speed > 40) this.speed *= 2;
  }

  fillLists() {
    const named = new Set(this.data.figures.filter(f => f.role === 'body' && f.kind !== 'plane').map(f => f.name));
    const first = new Map();
    for (const figure of this.data.figures) if (figure.kind !== 'plane' && !first.has(figure.name)) first.set(figure.name, figure);
    this.named = [...first.values()].slice(0, 60); // of which names are shown
    for (const name of named) this.get('follow').append(new Option(name, name));
    this.data.columns.forEach((column, c) => {
      this.get('choose-y').append(new Option(this.data.columnLabel(c), c));
      this.get('choose-x').append(new Option(this.data.columnLabel(c), c));
    });
  }

  addPanels() {
    const panels = [];
    for (const [panel, x, y] of this.data.curves) (panels[panel] = panels[panel] || []).push({ x, y });
    for (const curves of panels.filter(Boolean)) this.addPanel(curves);
  }

  addPanel(curves) {
    const panel = new tippe.Panel(this.data, curves, time => this.goTo(time));
    this.panels.push(panel);
    this.get('panels').append(panel.element);
    panel.draw();
    this.isStale = true;
  }

  wire() {
    this.get('play').onclick = () => this.play(!this.isPlaying);
    this.get('slower').onclick = () => this.setSpeed(this.speed / 2);
    this.get('faster').onclick = () => this.setSpeed(this.speed * 2);
    this.get('ask').onclick = () => this.toggleHelp();
    this.get('slider').oninput = event => this.goTo(this.data.start + event.target.value * (this.data.end - this.data.start));
    this.get('switches').onchange = () => this.switchParts();
    this.get('choose').onsubmit = event => {
      event.preventDefault();
      this.addPanel([{ x: Number(this.get('choose-x').value), y: Number(this.get('choose-y').value) }]);
    };
    this.get('help').textContent = tippe.keys.map(([key, text]) => key.padEnd(20) + text).join('\n');
    window.addEventListener('resize', () => this.redraw());
    window.addEventListener('keydown', event => this.press(event));
    this.setSpeed(this.speed);
  }

  isShown(role) {
    if (role === 'spring') return this.get('show-spring').checked;
    return ['body', 'drawing'].includes(role) || this.get('show-joint').checked;
  }

  switchParts() {
    this.space.renderer.shadowMap.autoUpdate = true;
    this.space.sun.castShadow = this.get('show-shadow').checked;
    if (this.get('show-trace').checked) this.traces.choose(this.get('follow').value);
    this.isStale = true;
  }

  goTo(time) {
    this.time = Math.min(Math.max(time, this.data.start), this.data.end);
    this.isStale = true;
  }

  play(isPlaying) {
    this.isPlaying = isPlaying;
    if (isPlaying && this.time >= this.data.end && this.data.isFinished) this.time = this.data.start;
    this.get('play').textContent = isPlaying ? 'pause' : 'play';
    this.lastTick = undefined;
    if (!isPlaying) this.space.sun.castShadow = this.get('show-shadow').checked;
    this.isStale = true;
  }

  setSpeed(speed) {
    this.speed = speed;
    this.get('speed').textContent = speed >= 1 ? tippe.format(speed) + ' x' : '1/' + tippe.format(1 / speed) + ' x';
  }

  toggleHelp() { this.get('help').hidden = !this.get('help').hidden; }

  toggle(id) {
    this.get(id).checked = !this.get(id).checked;
    this.switchParts();
  }

  stepFrames(count) {
    const { frame, part } = this.data.place(this.time);
    const next = frame + count + (part > 0 && count < 0 ? 1 : 0);
    this.goTo(this.data.times.list[Math.min(Math.max(next, 0), this.data.times.count - 1)]);
  }

  look(k) {
    const toward = k < 0 ? new THREE.Vector3().fromArray(this.data.toward) : new THREE.Vector3().setComponent(k, k === 1 ? -1 : 1);
    this.space.fit(toward);
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || ['SELECT', 'TEXTAREA'].includes(event.target.tagName)) return;
    const many = event.shiftKey ? 10 : 1;
    const actions = {
      ' ': () => this.play(!this.isPlaying), ArrowLeft: () => this.stepFrames(-many), ArrowRight: () => this.stepFrames(many),
      Home: () => this.goTo(this.data.start), End: () => this.goTo(this.data.end), '-': () => this.setSpeed(this.speed / 2),
      '+': () => this.setSpeed(this.speed * 2), n: () => this.goTo(this.timeline.nearest(this.time, 1)),
      p: () => this.goTo(this.timeline.nearest(this.time, -1)), f: () => this.space.fit(), 1: () => this.look(0), 2: () => this.look(1),
      3: () => this.look(2), 0: () => this.look(-1), w: () => this.space.turn(0, 0.1), s: () => this.space.turn(0, -0.1),
      a: () => this.space.turn(-0.1, 0), d: () => this.space.turn(0.1, 0), PageUp: () => this.space.zoom(0.85),
      PageDown: () => this.space.zoom(1 / 0.85), j: () => this.toggle('show-joint'), g: () => this.toggle('show-spring'),
      v: () => this.toggle('show-force'), t: () => this.toggle('show-trace'), h: () => this.toggle('show-shadow'),
      l: () => this.toggle('show-name'), c: () => this.followNext(), '?': () => this.toggleHelp(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    if (document.activeElement && document.activeElement.tagName === 'BUTTON') document.activeElement.blur();
    action();
  }

  followNext() {
    const list = this.get('follow');
    list.selectedIndex = (list.selectedIndex + 1) % list.options.length;
    this.switchParts();
  }

  // ---- frames ----

  loop(now) {
    requestAnimationFrame(this.loop);
    if (this.isPlaying) {
      if (this.lastTick !== undefined) this.time += this.speed * Math.min((now - this.lastTick) / 1000, 0.25);
      this.ease(now - this.lastTick);
      this.lastTick = now;
      if (this.time >= this.data.end) {
        this.time = this.data.end;
        if (this.data.isFinished) this.play(false);
      }
      this.isStale = true;
    }
    if (this.isStale || this.space.isStale) this.show();
  }

  // Shadows take half of a frame: where there is no graphics processor they rest while the motion plays.
  ease(milliseconds) {
    this.slowFrames = milliseconds > 200 ? (this.slowFrames || 0) + 1 : 0;
    if (this.slowFrames === 4) this.space.sun.castShadow = false;
  }

  show() {
    const data = this.data, place = data.place(this.time);
    this.isStale = false;
    if (!data.counts.frames) return;
    this.follow(place);
    this.solids.update(place, role => this.isShown(role));
    this.strokes.update(place, role => this.isShown(role));
    this.grounds.update(place);
    this.arrows.update(place, this.get('show-force').checked);
    this.traces.update(place, this.get('show-trace').checked);
    this.space.draw();
    this.showNames(place);
    for (const panel of this.panels) if (panel.element.isConnected) panel.mark(place, this.time);
    this.get('slider').value = (this.time - data.start) / (data.end - data.start || 1);
    this.write('clock', this.time.toFixed(this.decimals()) + ' s');
    const squares = this.grounds.planes.length ? 'squares of ' + tippe.format(this.grounds.cell) + ' m' : '';
    const arrow = data.counts.forces ? 'longest arrow about ' + tippe.format(1.6 * this.arrows.unit) + ' N' : '';
    this.write('scale', squares + (squares && arrow ? '; ' : '') + arrow);
  }

  // What stays the same costs no layout.
  write(id, text) {
    if (this.texts[id] !== text) this.get(id).textContent = this.texts[id] = text;
  }

  decimals() {
    const step = (this.data.end - this.data.start) / Math.max(this.data.counts.frames, 1);
    return Math.min(Math.max(Math.ceil(-Math.log10(step || 1)) + 1, 0), 9);
  }

  follow(place) {
    const name = this.get('follow').value, figure = this.data.figures.find(f => f.name === name && f.role === 'body');
    if (!name || !figure) return;
    const at = new THREE.Vector3(...[0, 1, 2].map(k => this.data.motion(figure.first + k, place)));
    if (!isFinite(at.x + at.y + at.z)) return;
    this.space.target.copy(at);
    this.space.move();
  }

  // One name for each body, where its first figure is.
  showNames(place) {
    const box = this.get('labels');
    const figures = this.get('show-name').checked ? this.named : [];
    while (box.children.length < figures.length) box.append(document.createElement('span'));
    while (box.children.length > figures.length) box.lastChild.remove();
    figures.forEach((figure, k) => {
      const at = new THREE.Vector3(...[0, 1, 2].map(i => this.data.motion(figure.first + i, place))).project(this.space.camera);
      const label = box.children[k];
      label.textContent = figure.name;
      label.style.left = (0.5 + 0.5 * at.x) * this.space.width + 'px';
      label.style.top = (0.5 - 0.5 * at.y) * this.space.height + 'px';
      label.style.display = at.z > -1 && at.z < 1 ? '' : 'none';
    });
  }

  redraw() {
    this.space.resize();
    this.timeline.draw();
    for (const panel of this.panels) if (panel.element.isConnected) panel.draw();
    this.isStale = true;
  }

  // ---- the report ----

  showReport() {
    const r = this.data.report, number = value => (typeof value === 'number' ? tippe.format(value) : '?');
    const parts = [['worst residual', number(r.solver_residual_max)], ['drift of joints', number(r.drift_position) + ' m'],
      ['penetration', number(r.drift_penetration) + ' m'],
      ['energy', number(r.energy_initial) + ' to ' + number(r.energy_final) + ' J, largest gain ' + number(r.energy_largest_increase) + ' J'],
      ['impacts', r.impacts]];
    const verdict = this.get('verdict');
    verdict.textContent = '';
    for (const [name, value] of parts) {
      const figure = document.createElement('b');
      figure.textContent = value;
      verdict.append(name + ' ', figure, '; ');
    }
    const flag = document.createElement('span'), isSound = !r.warning_count && !r.solver_not_converged && (!r.status || r.status === 'ok');
    flag.className = isSound ? '' : 'bad';
    const faults = [r.status === 'ok' ? '' : r.status, r.warning_count ? r.warning_count + (r.warning_count === 1 ? ' warning' : ' warnings') : ''];
    flag.textContent = isSound ? 'no warnings' : faults.filter(Boolean).join(', ');
    verdict.append(flag);
    const table = this.get('report').querySelector('table');
    table.textContent = '';
    for (const [name, value] of Object.entries(r)) {
      if (value === '' || value === null) continue;
      const row = table.insertRow();
      row.insertCell().textContent = name.replace(/_/g, ' ');
      row.insertCell().textContent = value;
    }
  }

  // ---- live ----

  // Asks for what is new, and again while the run goes on.
  async listen() {
    const counts = this.data.counts;
    const answer = await fetch('news?' + [counts.frames, counts.forces, counts.events].join(','));
    const isNew = this.data.append(await answer.arrayBuffer());
    if (this.space && (isNew || this.data.isFinished)) this.showNews(); // the end may come without a frame
    if (!this.data.isFinished) setTimeout(() => this.listen().catch(() => this.end()), 200);
  }

  end() {
    this.data.isFinished = true;
    this.get('verdict').append('; the program has ended');
  }

  showNews() {
    const before = this.space.size;
    this.space.measure();
    if (this.space.size > 1.3 * before && !this.get('follow').value) this.space.fit();
    this.arrows.grow();
    this.showReport();
    this.redraw();
    if (!this.isPlaying && !this.hasStarted) this.play(true);
    this.hasStarted = true;
  }
};

tippe.app = new tippe.App(tippeData);
tippe.app.begin().catch(error => {
  document.getElementById('verdict').textContent = 'This page cannot be shown: ' + error.message;
  throw error;
});
