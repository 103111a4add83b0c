// Panels with curves of any columns, over time or over another column, with a cursor at the time.
'use strict';

tippe.palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#111111', '#7f7f7f'];
tippe.dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4], [4, 2, 1, 2]];

// Round numbers between two ends: about as many as wanted, and three or more, so that lengths can be read.
tippe.ticks = function (low, high, wanted) {
  const raw = (high - low) / wanted, power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1), list = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9 * step && list.length < 50; v += step) list.push(Math.abs(v) < 1e-9 * step ? 0 : v);
  return list.length < 3 && wanted < 8 ? tippe.ticks(low, high, 2 * wanted) : list;
};
tippe.format = value => {
  const size = Math.abs(value), text = size && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : Number(value.toPrecision(4)).toString();
  return text.replace('e+', 'e').replace(/\.?0+e/, 'e');
};

tippe.Panel = class {
  constructor(data, curves, goTo) {
    this.data = data;
    this.curves = curves; // [{x, y}]
    this.isPhase = curves.some(curve => curve.x >= 0);
    this.isLog = !this.isPhase && curves.every(curve => /residual|error|penetration/.test(data.columns[curve.y].name));
    this.element = document.createElement('div');
    this.element.className = 'panel';
    this.canvas = document.createElement('canvas');
    this.marks = document.createElement('canvas');
    this.marks.className = 'marks';
    const close = document.createElement('button');
    close.textContent = 'x';
    close.setAttribute('aria-label', 'remove this panel');
    close.onclick = () => this.element.remove();
    this.values = document.createElement('ul');
    this.element.append(this.canvas, this.marks, close, this.values);
    if (!this.isPhase) {
      const seek = event => goTo(this.toTime(event.offsetX));
      this.canvas.addEventListener('pointerdown', seek);
      this.canvas.addEventListener('pointermove', event => event.buttons & 1 && seek(event));
    }
  }

  xOf(curve) { return this.data.column(curve.x); }
  level(value) { return this.isLog ? Math.log10(value) : value; }

  // Of the numbers, rare peaks included.
  range(listOf, isLog) {
    let low = Infinity, high = -Infinity;
    for (const curve of this.curves) {
      const list = listOf(curve);
      for (let f = 0; f < this.data.counts.frames; f++) {
        const value = isLog ? Math.log10(list[f]) : list[f];
        if (isFinite(value)) low = Math.min(low, value), high = Math.max(high, value);
      }
    }
    if (!(low <= high)) return [0, 1];
    const air = high > low ? 0.05 * (high - low) : Math.abs(high) > 1e-12 ? 0.1 * Math.abs(high) : 1;
    return [low - air, high + air];
  }

  // An empty canvas of the panel's size when its curves were drawn; its memory is taken anew only where that changed. Asking for the
  // size in every frame would lay out the whole page in between.
  empty(canvas) {
    const ratio = window.devicePixelRatio || 1, pen = canvas.getContext('2d');
    const width = Math.round(ratio * this.width), height = Math.round(ratio * this.height);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      if (canvas === this.marks) Object.assign(canvas.style, { width: width / ratio + 'px', height: height / ratio + 'px' });
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    return pen;
  }

  draw() {
    this.width = this.canvas.clientWidth, this.height = this.canvas.clientHeight;
    const pen = this.empty(this.canvas), { width, height } = this;
    this.area = { left: 52, right: width - 8, top: 16, bottom: height - 18 };
    this.yRange = this.range(curve => this.data.column(curve.y), this.isLog);
    this.xRange = this.isPhase ? this.range(curve => this.xOf(curve), false) : [this.data.start, this.data.end];
    this.drawFrame(pen);
    for (const [k, curve] of this.curves.entries()) this.drawCurve(pen, curve, k);
  }

  toX(value) { return this.area.left + (value - this.xRange[0]) / (this.xRange[1] - this.xRange[0] || 1) * (this.area.right - this.area.left); }
  toY(value) { return this.area.bottom - (this.level(value) - this.yRange[0]) / (this.yRange[1] - this.yRange[0]) * (this.area.bottom - this.area.top); }
  toTime(x) { return this.xRange[0] + (x - this.area.left) / (this.area.right - this.area.left) * (this.xRange[1] - this.xRange[0]); }

  drawFrame(pen) {
    const { left, right, top, bottom } = this.area;
    pen.font = '11px sans-serif';
    pen.fillStyle = '#111';
    pen.strokeStyle = '#ccc';
    pen.lineWidth = 1;
    pen.textAlign = 'right';
    for (const v of tippe.ticks(...this.yRange, 4)) {
      const y = bottom - (v - this.yRange[0]) / (this.yRange[1] - this.yRange[0]) * (bottom - top);
      pen.beginPath(), pen.moveTo(left, y), pen.lineTo(right, y), pen.stroke();
      pen.fillText(this.isLog ? '1e' + tippe.format(v) : tippe.format(v), left - 4, y + 4);
    }
    pen.textAlign = 'center';
    for (const v of tippe.ticks(...this.xRange, 5)) {
      pen.beginPath(), pen.moveTo(this.toX(v), bottom), pen.lineTo(this.toX(v), bottom + 3), pen.stroke();
      pen.fillText(tippe.format(v), this.toX(v), bottom + 14);
    }
    pen.strokeStyle = '#888';
    pen.strokeRect(left, top, right - left, bottom - top);
    pen.textAlign = 'left';
    const unit = this.data.columns[this.curves[0].y].unit;
    const over = this.isPhase ? ' over ' + this.data.columnLabel(this.curves[0].x) : '';
    pen.fillText((this.curves.length === 1 ? this.data.columnLabel(this.curves[0].y) : unit ? '[' + unit + ']' : '') + over, left, 11);
  }

  // Of many points in one column of pixels the lowest and the highest.
  drawCurve(pen, curve, k) {
    const x = this.xOf(curve), y = this.data.column(curve.y), count = this.data.counts.frames;
    pen.strokeStyle = tippe.palette[k % tippe.palette.length];
    pen.setLineDash(tippe.dashes[k % tippe.dashes.length]);
    pen.lineWidth = 1.5;
    pen.beginPath();
    const stride = this.isPhase ? Math.max(1, Math.floor(count / 20000)) : Math.max(1, Math.floor(count / (this.area.right - this.area.left)));
    let isBroken = true;
    const put = f => {
      const py = this.toY(y[f]);
      if (!isFinite(py)) { isBroken = true; return; }
      if (isBroken) pen.moveTo(this.toX(x[f]), py); else pen.lineTo(this.toX(x[f]), py);
      isBroken = false;
    };
    for (let f = 0; f < count; f += stride) {
      let low = f, high = f;
      for (let g = f; g < Math.min(f + stride, count) && !this.isPhase; g++) {
        if (y[g] < y[low]) low = g;
        if (y[g] > y[high]) high = g;
      }
      put(Math.min(low, high));
      if (low !== high) put(Math.max(low, high));
    }
    if (count) put(count - 1);
    pen.stroke();
    pen.setLineDash([]);
  }

  // The cursor and the values there.
  mark(place, time) {
    if (!this.area || !this.data.counts.frames) return;
    const pen = this.empty(this.marks);
    pen.strokeStyle = pen.fillStyle = '#111';
    if (!this.isPhase) {
      const x = this.toX(Math.min(Math.max(time, this.xRange[0]), this.xRange[1]));
      pen.beginPath(), pen.moveTo(x, this.area.top), pen.lineTo(x, this.area.bottom), pen.stroke();
    }
    for (const curve of this.curves) {
      const value = this.data.column(curve.y)[place.frame], x = this.xOf(curve)[place.frame];
      if (isFinite(this.toY(value))) pen.beginPath(), pen.arc(this.toX(x), this.toY(value), 3.5, 0, 7), pen.fill();
    }
    if (this.written !== place.frame) this.writeValues(place.frame);
  }

  writeValues(frame) {
    this.written = frame;
    for (let k = 0; k < this.curves.length; k++) {
      const { y } = this.curves[k];
      if (!this.values.children[k]) this.values.append(this.makeKey(k));
      this.values.children[k].lastChild.data = ' ' + this.data.columns[y].name + ' = ' + tippe.format(this.data.column(y)[frame]);
    }
  }

  // A piece of the curve's line before its name.
  makeKey(k) {
    const item = document.createElement('li'), ns = 'http://www.w3.org/2000/svg';
    const picture = document.createElementNS(ns, 'svg'), line = document.createElementNS(ns, 'line');
    for (const [name, value] of [['width', 26], ['height', 8]]) picture.setAttribute(name, value);
    for (const [name, value] of [['x1', 0], ['x2', 26], ['y1', 4], ['y2', 4], ['stroke-width', 2],
      ['stroke', tippe.palette[k % tippe.palette.length]], ['stroke-dasharray', tippe.dashes[k % tippe.dashes.length].join(' ')]]) {
      line.setAttribute(name, value);
    }
    picture.append(line);
    item.append(picture, document.createTextNode(''));
    return item;
  }
};
