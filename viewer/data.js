// The numbers of a page: signals over frames, forces and events; src/io/page/page_text.c writes them.
'use strict';
var tippe = {};

// A list of numbers that grows.
tippe.Numbers = class {
  constructor(type, list) {
    this.type = type;
    this.list = list || new type(256);
    this.count = list ? list.length : 0;
  }
  push(value) {
    if (this.count === this.list.length) {
      const larger = new this.type(2 * this.list.length + 16);
      larger.set(this.list);
      this.list = larger;
    }
    this.list[this.count++] = value;
  }
};

tippe.Data = class {
  constructor(page) {
    Object.assign(this, page);
    this.lists = { frames: [], forces: [], events: [] };
    this.lengths = { frames: page.frameLength, forces: page.forceLength, events: page.eventLength };
    this.counts = { frames: 0, forces: 0, events: 0 };
    for (const kind of Object.keys(this.lists)) {
      for (let k = 0; k < this.lengths[kind]; k++) this.lists[kind].push(new tippe.Numbers(Float32Array));
    }
    this.times = new tippe.Numbers(Float64Array);
    this.eventTimes = new tippe.Numbers(Float64Array);
    this.firstForce = new tippe.Numbers(Int32Array); // of each frame
    this.isFinished = !page.live;
    this.firstColumn = page.frameLength - page.columns.length;
  }

  // base64, gzip, four planes of bytes, number after number.
  async unpack() {
    if (this.live) return;
    const text = atob(this.packed);
    const packed = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k++) packed[k] = text.charCodeAt(k);
    this.packed = '';
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer());
    const plane = planes.length / 4;
    const words = new Uint32Array(plane);
    for (let k = 0; k < plane; k++) {
      words[k] = planes[k] | planes[plane + k] << 8 | planes[2 * plane + k] << 16 | planes[3 * plane + k] << 24;
    }
    const numbers = new Float32Array(words.buffer);
    const given = { frames: this.frames, forces: this.forces, events: this.events };
    let at = 0;
    for (const kind of Object.keys(this.lists)) {
      for (let k = 0; k < this.lengths[kind]; k++, at += given[kind]) {
        this.lists[kind][k] = new tippe.Numbers(Float32Array, numbers.subarray(at, at + given[kind]));
      }
      this.counts[kind] = given[kind];
    }
    this.index();
  }

  // News of a live page: four numbers, records, the report.
  append(buffer) {
    const head = new Float32Array(buffer, 0, 4);
    let at = 4;
    const news = { frames: head[0], forces: head[1], events: head[2] };
    for (const kind of Object.keys(this.lists)) {
      const length = this.lengths[kind];
      const records = new Float32Array(buffer, 4 * at, news[kind] * length);
      for (let r = 0, k = 0; r < news[kind]; r++) {
        for (let c = 0; c < length; c++, k++) this.lists[kind][c].push(records[k]);
      }
      this.counts[kind] += news[kind];
      at += news[kind] * length;
    }
    const report = new TextDecoder().decode(new Uint8Array(buffer, 4 * at));
    if (report) this.report = JSON.parse(report);
    this.isFinished = head[3] > 0;
    this.index();
    return news.frames > 0;
  }

  // Times as doubles, and where the forces of a frame begin.
  index() {
    const [high, low] = this.lists.frames;
    for (let f = this.times.count; f < this.counts.frames; f++) this.times.push(high.list[f] + low.list[f]);
    const [eventHigh, eventLow] = this.lists.events;
    for (let e = this.eventTimes.count; e < this.counts.events; e++) {
      this.eventTimes.push(eventHigh.list[e] + eventLow.list[e]);
    }
    const owners = this.lists.forces[0].list;
    this.firstForce.count = 0;
    for (let f = 0, k = 0; f <= this.counts.frames; f++) {
      while (k < this.counts.forces && owners[k] < f) k++;
      this.firstForce.push(k);
    }
  }

  get start() { return this.times.count ? this.times.list[0] : 0; }
  get end() { return this.times.count ? this.times.list[this.times.count - 1] : 1; }

  // The last frame that is not after a time, and how much of the way to the next one has passed.
  place(time) {
    const times = this.times.list;
    let low = 0, high = Math.max(this.times.count - 1, 0);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle; else high = middle - 1;
    }
    const next = Math.min(low + 1, this.times.count - 1);
    const step = times[next] - times[low];
    return { frame: low, next, part: step > 0 ? Math.min(Math.max((time - times[low]) / step, 0), 1) : 0 };
  }

  // A number of the figures, counted from 0, at a place between frames.
  motion(k, place) {
    const list = this.lists.frames[k + 2].list;
    const a = list[place.frame];
    return a + place.part * (list[place.next] - a);
  }

  // The orientation of a figure at a frame.
  turn(figure, frame, out) {
    const lists = this.lists.frames, first = figure.first + 5;
    return out.set(lists[first].list[frame], lists[first + 1].list[frame], lists[first + 2].list[frame], lists[first + 3].list[frame]);
  }

  column(c) { return c < 0 ? this.times.list : this.lists.frames[this.firstColumn + c].list; }
  columnLabel(c) {
    if (c < 0) return 'time [s]';
    const column = this.columns[c];
    return column.name + (column.unit ? ' [' + column.unit + ']' : '');
  }

  event(e) {
    const [, , kind, law, a, b, x, y, z, impulse] = this.lists.events.map(list => list.list[e]);
    const who = law >= 0 ? this.laws[law] : (this.shapes[a] || '') + ', ' + (this.shapes[b] || '');
    return { time: this.eventTimes.list[e], kind, name: this.kinds[kind], who, point: [x, y, z], impulse };
  }
};
