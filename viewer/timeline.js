// The events above the slider: a sign of its own for each kind, one row for each.
'use strict';

tippe.signs = { impact: '▲', closing: '●', opening: '○', stick: '■', slip: '◇',
  accumulation: '▼', grazing: '△', redistribution: '□' };

tippe.Timeline = class {
  constructor(data, canvas, goTo) {
    this.data = data;
    this.canvas = canvas;
    canvas.addEventListener('pointerdown', event => goTo(this.nearest(this.toTime(event.offsetX), 0)));
    canvas.addEventListener('pointermove', event => { canvas.title = this.describe(this.toTime(event.offsetX)); });
  }

  get span() { return this.data.end - this.data.start || 1; }
  toX(time) { return 6 + (time - this.data.start) / this.span * (this.canvas.clientWidth - 12); }
  toTime(x) { return this.data.start + (x - 6) / (this.canvas.clientWidth - 12) * this.span; }

  draw() {
    const ratio = window.devicePixelRatio || 1, width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    this.canvas.width = ratio * width;
    this.canvas.height = ratio * height;
    const pen = this.canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.fillStyle = '#111';
    pen.font = '9px "DejaVu Sans", sans-serif';
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    const kinds = this.data.lists.events[2].list, used = new Set(), rows = [];
    for (let e = 0; e < this.data.counts.events; e++) {
      const kind = kinds[e], x = Math.round(this.toX(this.data.eventTimes.list[e]) / 2), key = kind + ':' + x;
      if (used.has(key)) continue; // one sign for many at the same pixel
      used.add(key);
      if (!rows.includes(kind)) rows.push(kind);
      pen.fillText(tippe.signs[this.data.kinds[kind]] || '|', 2 * x, 4 + 4.5 * kind);
    }
    this.canvas.setAttribute('data-signs', used.size);
  }

  // The event nearest to a time; after or before it if asked for.
  nearest(time, direction) {
    const times = this.data.eventTimes.list, slack = 1e-9 * this.span;
    let best = direction ? (direction > 0 ? this.data.end : this.data.start) : time, distance = Infinity;
    for (let e = 0; e < this.data.counts.events; e++) {
      const ahead = times[e] - time;
      if (direction && direction * ahead <= slack) continue;
      if (Math.abs(ahead) < distance) best = times[e], distance = Math.abs(ahead);
    }
    if (!direction && Math.abs(this.toX(best) - this.toX(time)) > 6) return time;
    return best;
  }

  describe(time) {
    const near = this.nearest(time, 0), lines = [];
    for (let e = 0; e < this.data.counts.events && lines.length < 8; e++) {
      if (this.data.eventTimes.list[e] !== near) continue;
      const event = this.data.event(e);
      lines.push(event.time.toPrecision(6) + ' s  ' + event.name + '  ' + event.who);
    }
    return lines.join('\n');
  }
};
