// The camera, the light and the ground.
'use strict';

tippe.Space = class {
  constructor(data, canvas) {
    this.data = data;
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(window.devicePixelRatio || 1);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.scene = new THREE.Scene();
    this.scene.background = new THREE.Color(0xf4f6f8);
    this.camera = new THREE.PerspectiveCamera(30, 1, 0.01, 100);
    this.up = new THREE.Vector3().fromArray(data.up);
    this.target = new THREE.Vector3();
    this.offset = new THREE.Vector3(); // from the target to the eye
    this.box = new THREE.Box3();
    this.pen = document.getElementById('axes').getContext('2d');
    this.axis = new THREE.Vector3();
    this.addLights();
    this.listen();
  }

  addLights() {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xa8adb3, 0.6));
    this.lamp = new THREE.DirectionalLight(0xffffff, 0.22); // at the eye: no side is black
    this.sun = new THREE.DirectionalLight(0xffffff, 0.42);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.scene.add(this.sun, this.sun.target, this.lamp, this.lamp.target);
  }

  // Where the motion takes place: of some frames all figures but planes and hollows, which would make a small body a speck.
  measure() {
    const data = this.data, box = this.box.makeEmpty(), point = new THREE.Vector3(), half = new THREE.Vector3();
    const samples = Math.min(data.counts.frames, 60);
    for (let s = 0; s < samples; s++) {
      const frame = Math.floor(s * (data.counts.frames - 1) / Math.max(samples - 1, 1));
      const place = { frame, next: frame, part: 0 };
      for (const figure of data.figures) {
        if (figure.kind === 'plane' || tippe.isHollow(figure)) continue;
        for (let v = 0; v < Math.max(figure.points, 1); v++) {
          point.set(...[0, 1, 2].map(k => data.motion(figure.first + 3 * v + k, place)));
          if (!isFinite(point.x + point.y + point.z)) continue;
          if (figure.points) half.set(0, 0, 0); else tippe.halfExtent(figure, data, place, half);
          box.expandByPoint(point.clone().add(half)).expandByPoint(point.sub(half));
        }
      }
    }
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
    this.size = Math.max(box.getSize(point).length(), 1e-9);
    this.centre = box.getCenter(new THREE.Vector3());
  }

  // Looks from a direction so that all of the motion is seen.
  fit(toward) {
    this.measure();
    this.target.copy(this.centre);
    const direction = toward || (this.offset.lengthSq() ? this.offset.clone() : new THREE.Vector3().fromArray(this.data.toward));
    this.offset.copy(direction.normalize()).multiplyScalar(this.distance(direction));
    this.camera.near = 0.005 * this.size;
    this.camera.far = 60 * this.size;
    this.light();
    this.move();
  }

  // So far away that every corner of the box is inside the picture.
  distance(direction) {
    const right = new THREE.Vector3().crossVectors(this.up, direction), upward = new THREE.Vector3();
    if (right.lengthSq() < 1e-6) right.fromArray(this.data.right);
    right.normalize();
    upward.crossVectors(direction, right);
    const slope = Math.tan(this.camera.fov * Math.PI / 360), corner = new THREE.Vector3();
    let far = 0.05 * this.size;
    for (let k = 0; k < 8; k++) {
      corner.set(k & 1 ? this.box.max.x : this.box.min.x, k & 2 ? this.box.max.y : this.box.min.y,
        k & 4 ? this.box.max.z : this.box.min.z).sub(this.centre);
      const depth = corner.dot(direction);
      far = Math.max(far, depth + 1.12 * Math.abs(corner.dot(upward)) / slope,
        depth + 1.12 * Math.abs(corner.dot(right)) / (slope * this.camera.aspect));
    }
    return far;
  }

  light() {
    const toward = new THREE.Vector3().fromArray(this.data.toward);
    const right = new THREE.Vector3().fromArray(this.data.right);
    this.sun.position.copy(this.centre).addScaledVector(this.up, 1.6 * this.size)
      .addScaledVector(toward, 0.9 * this.size).addScaledVector(right, -0.7 * this.size);
    this.sun.target.position.copy(this.centre);
    const eye = this.sun.shadow.camera, reach = 0.8 * this.size;
    Object.assign(eye, { left: -reach, right: reach, bottom: -reach, top: reach, near: 0.05 * this.size, far: 4 * this.size });
    eye.updateProjectionMatrix();
    this.sun.shadow.bias = -0.0006;
  }

  move() {
    this.camera.up.copy(this.up);
    const along = Math.abs(this.offset.clone().normalize().dot(this.up)) > 0.9999;
    if (along) this.camera.up.crossVectors(this.offset, new THREE.Vector3().fromArray(this.data.right)).normalize();
    this.camera.position.copy(this.target).add(this.offset);
    this.camera.lookAt(this.target);
    this.lamp.position.copy(this.camera.position);
    this.lamp.target.position.copy(this.target);
    this.camera.updateProjectionMatrix();
    this.isStale = true;
  }

  turn(right, upward) {
    const axis = new THREE.Vector3().crossVectors(this.up, this.offset);
    if (axis.lengthSq() < 1e-9 * this.offset.lengthSq()) axis.fromArray(this.data.right);
    axis.normalize();
    const angle = this.offset.angleTo(this.up);
    const tilt = Math.min(Math.max(angle - upward, 0.01), Math.PI - 0.01) - angle;
    this.offset.applyAxisAngle(axis, tilt).applyAxisAngle(this.up, -right);
    this.move();
  }

  shift(right, upward) {
    const scale = 2 * this.offset.length() * Math.tan(this.camera.fov * Math.PI / 360) / this.canvas.clientHeight;
    const axes = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
    this.camera.matrix.extractBasis(...axes);
    this.target.addScaledVector(axes[0], -right * scale).addScaledVector(axes[1], upward * scale);
    this.move();
  }

  zoom(factor) {
    this.offset.multiplyScalar(factor);
    this.move();
  }

  listen() {
    const canvas = this.canvas, held = new Map();
    let spread = 0;
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, event);
      spread = 0;
    });
    for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, event => held.delete(event.pointerId));
    canvas.addEventListener('pointermove', event => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      held.set(event.pointerId, event);
      if (held.size === 2) {
        const [a, b] = [...held.values()], now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
        if (spread) this.zoom(spread / now);
        spread = now;
        this.shift(dx / 2, dy / 2);
      } else if (event.buttons & 6 || event.shiftKey) {
        this.shift(dx, dy);
      } else {
        this.turn(0.008 * dx, 0.008 * -dy);
      }
    });
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoom(Math.exp(0.001 * event.deltaY));
    }, { passive: false });
  }

  resize() {
    const width = this.canvas.parentElement.clientWidth, height = this.canvas.parentElement.clientHeight;
    if (!width || !height || (width === this.width && height === this.height)) return;
    this.width = width;
    this.height = height;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.isStale = true;
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
    this.drawAxes();
    this.isStale = false;
  }

  // Letters at the ends of the three axes, lower left.
  drawAxes() {
    const pen = this.pen, axis = this.axis;
    pen.clearRect(0, 0, 140, 140);
    pen.font = '22px sans-serif';
    pen.lineWidth = 3;
    pen.textAlign = 'center';
    pen.textBaseline = 'middle';
    for (let k = 0; k < 3; k++) {
      axis.set(0, 0, 0).setComponent(k, 1).transformDirection(this.camera.matrixWorldInverse);
      pen.globalAlpha = axis.z < -0.3 ? 0.45 : 1;
      pen.beginPath();
      pen.moveTo(70, 70);
      pen.lineTo(70 + 42 * axis.x, 70 - 42 * axis.y);
      pen.stroke();
      pen.fillText('xyz'[k], 70 + 58 * axis.x, 70 - 58 * axis.y);
    }
  }
};

// Half the widths along x, y, z of a box around a figure with a pose.
tippe.halfExtent = function (figure, data, place, out) {
  const turn = new THREE.Quaternion(...[3, 4, 5, 6].map(k => data.motion(figure.first + k, place)));
  const s = figure.size, grown = tippe.growth(figure, data, place), axes = [0, 1, 2].map(k => new THREE.Vector3().setComponent(k, 1).applyQuaternion(turn));
  const isLong = ['cylinder', 'capsule'].includes(figure.kind);
  const sides = figure.kind === 'box' ? s : figure.kind === 'mesh' ? tippe.meshSides(figure) : [0, 0, isLong ? s[1] : 0];
  const round = figure.kind === 'circle' ? data.motion(figure.first + 7, place) : ['box', 'mesh'].includes(figure.kind) ? 0 : s[0];
  for (let k = 0; k < 3; k++) {
    out.setComponent(k, grown * (round + axes.reduce((sum, axis, j) => sum + sides[j] * Math.abs(axis.getComponent(k)), 0)));
  }
  return out;
};

tippe.meshSides = function (figure) {
  if (!figure.sides) {
    figure.sides = [0, 0, 0];
    figure.vertices.forEach((v, k) => { figure.sides[k % 3] = Math.max(figure.sides[k % 3], Math.abs(v)); });
  }
  return figure.sides;
};
