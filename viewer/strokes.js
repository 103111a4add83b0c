// What has no thickness of its own: lines, points, springs, polygons, arrows of forces, traces. Lines are thin tubes, so that they
// can be seen and have shadows.
'use strict';

// Tubes of one colour: instances of a cylinder along z from 0 to 1.
tippe.Tubes = class {
  constructor(space, colour, capacity, geometry) {
    this.mesh = new THREE.InstancedMesh(geometry || tippe.Tubes.cylinder(), new THREE.MeshPhongMaterial({ color: colour, shininess: 10 }),
      Math.max(capacity, 1));
    this.mesh.frustumCulled = false;
    this.mesh.castShadow = true;
    space.scene.add(this.mesh);
    this.capacity = capacity;
    this.count = 0;
    this.z = new THREE.Vector3(0, 0, 1);
    this.along = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.scale = new THREE.Vector3();
    this.matrix = new THREE.Matrix4();
  }
  static cylinder() {
    return new THREE.CylinderBufferGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
  }
  begin() { this.count = 0; }
  add(from, to, radius) {
    if (this.count >= this.capacity) return;
    this.along.subVectors(to, from);
    const length = this.along.length();
    if (!(length > 0)) return;
    this.turn.setFromUnitVectors(this.z, this.along.multiplyScalar(1 / length));
    this.put(from, this.scale.set(radius, radius, length));
  }
  put(at, scale) {
    if (this.count >= this.capacity) return;
    this.mesh.setMatrixAt(this.count++, this.matrix.compose(at, this.turn, scale));
  }
  end() {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
};

tippe.COIL = { turns: 7, steps: 12, straight: 0.1 };

tippe.Strokes = class {
  constructor(data, space) {
    this.data = data;
    this.space = space;
    this.groups = new Map(); // by role and colour
    this.faces = [];
    for (const figure of data.figures.filter(f => f.points)) this.add(figure);
    for (const group of this.groups.values()) {
      group.tubes = new tippe.Tubes(space, group.colour, group.segments);
      group.balls = new tippe.Tubes(space, group.colour, group.dots, new THREE.SphereBufferGeometry(1, 16, 12));
      if (['body', 'drawing', 'spring'].includes(group.role)) continue;
      group.tubes.mesh.renderOrder = group.balls.mesh.renderOrder = tippe.MARK_ORDER;
    }
    this.corner = Array.from({ length: 3 }, () => new THREE.Vector3());
  }

  add(figure) {
    const key = [figure.role, figure.red, figure.green, figure.blue].join('|');
    if (!this.groups.has(key)) this.groups.set(key, { figures: [], colour: tippe.colour(figure), role: figure.role, segments: 0, dots: 0 });
    const group = this.groups.get(key);
    group.figures.push(figure);
    group.segments += figure.kind === 'coil' ? tippe.COIL.turns * tippe.COIL.steps + 2 : figure.points;
    group.dots += figure.points;
    if (figure.kind === 'polygon' && figure.filled) this.addFace(figure);
  }

  // A filled polygon: its triangles are found once.
  addFace(figure) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * figure.points), 3));
    const mesh = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({ color: tippe.colour(figure).lerp(new THREE.Color(1, 1, 1), 0.5),
      side: THREE.DoubleSide }));
    mesh.frustumCulled = false;
    mesh.castShadow = true;
    this.space.scene.add(mesh);
    this.faces.push({ figure, mesh, isCut: false });
  }

  vertex(figure, v, place, out) {
    const k = figure.first + 3 * v;
    return out.set(this.data.motion(k, place), this.data.motion(k + 1, place), this.data.motion(k + 2, place));
  }

  update(place, isShown) {
    for (const group of this.groups.values()) {
      group.tubes.begin();
      group.balls.begin();
      if (isShown(group.role)) for (const figure of group.figures) this.drawFigure(group, figure, place);
      group.tubes.end();
      group.balls.end();
    }
    for (const face of this.faces) this.updateFace(face, place);
  }

  // A figure of a law is thick while the law pushes.
  radius(figure, place) {
    const column = tippe.forceColumn(this.data, figure.law);
    const isPushed = column >= 0 && Math.abs(this.data.column(column)[place.frame]) > 0;
    const part = figure.role === 'body' ? 0.006 : figure.role === 'spring' ? 0.0022 : 0.0032;
    return (isPushed ? 2 : 1) * part * this.space.size;
  }

  drawFigure(group, figure, place) {
    const [a, b] = this.corner, radius = this.radius(figure, place);
    if (figure.kind === 'coil') return this.drawCoil(group, figure, place, radius);
    if (figure.kind === 'point') {
      for (let v = 0; v < figure.points; v++) group.balls.put(this.vertex(figure, v, place, a), group.balls.scale.setScalar(2.5 * radius));
      return;
    }
    const last = figure.kind === 'polygon' ? figure.points : figure.points - 1;
    for (let v = 0; v < last; v++) {
      this.vertex(figure, v, place, a);
      this.vertex(figure, (v + 1) % figure.points, place, b);
      group.tubes.add(a, b, radius);
      group.balls.put(a, group.balls.scale.setScalar(radius));
    }
  }

  drawCoil(group, figure, place, radius) {
    const [a, b, c] = this.corner, { turns, steps, straight } = tippe.COIL;
    this.vertex(figure, 0, place, a);
    this.vertex(figure, 1, place, b);
    const along = new THREE.Vector3().subVectors(b, a), side = new THREE.Vector3(1, 0, 0);
    if (Math.abs(along.x) > 0.9 * along.length()) side.set(0, 1, 0);
    side.cross(along).normalize();
    const other = new THREE.Vector3().crossVectors(along, side).normalize(), count = turns * steps;
    const before = a.clone();
    for (let k = 0; k <= count; k++) {
      const angle = 2 * Math.PI * k / steps, part = straight + (1 - 2 * straight) * k / count;
      const size = k === 0 || k === count ? 0 : figure.size[0];
      c.copy(a).addScaledVector(along, part).addScaledVector(side, size * Math.cos(angle)).addScaledVector(other, size * Math.sin(angle));
      group.tubes.add(before, c, radius);
      before.copy(c);
    }
    group.tubes.add(before, b, radius);
  }

  updateFace(face, place) {
    const at = face.mesh.geometry.attributes.position, corners = [];
    for (let v = 0; v < face.figure.points; v++) {
      corners.push(this.vertex(face.figure, v, place, new THREE.Vector3()));
      corners[v].toArray(at.array, 3 * v);
    }
    at.needsUpdate = true;
    face.mesh.visible = corners.every(c => isFinite(c.x + c.y + c.z));
    if (face.mesh.visible && !face.isCut) {
      face.mesh.geometry.setIndex(tippe.triangles(corners));
      face.isCut = true;
    }
    face.mesh.geometry.computeVertexNormals();
  }
};

// Triangles of a flat polygon in space.
tippe.triangles = function (corners) {
  const normal = new THREE.Vector3(), first = corners[0];
  for (let k = 2; k < corners.length; k++) {
    normal.add(corners[k - 1].clone().sub(first).cross(corners[k].clone().sub(first)));
  }
  const turn = new THREE.Quaternion().setFromUnitVectors(normal.normalize(), new THREE.Vector3(0, 0, 1));
  const flat = corners.map(c => c.clone().applyQuaternion(turn)).map(c => new THREE.Vector2(c.x, c.y));
  return [].concat(...THREE.ShapeUtils.triangulateShape(flat, []));
};

// The column with the force of a law's first row; -1: there is none.
tippe.forceColumn = function (data, law) {
  if (law < 0) return -1;
  data.forceColumns = data.forceColumns || new Map();
  if (!data.forceColumns.has(law)) {
    const name = data.laws[law].replace(/%/g, '%25').replace(/\//g, '%2F');
    const parts = ['force_N', 'force_1', 'impulse_N', 'impulse_1'].map(part => 'law/' + name + '/' + part);
    const places = parts.map(part => data.columns.findIndex(column => column.name === part));
    const found = places.find(place => place >= 0);
    data.forceColumns.set(law, found === undefined ? -1 : found);
  }
  return data.forceColumns.get(law);
};

// Forces as arrows: 95 of 100 of them are at most a quarter as long as the motion is wide, less where there are many.
tippe.Arrows = class {
  constructor(data, space) {
    this.data = data;
    this.space = space;
    this.capacity = 0;
    this.grow();
  }

  grow() {
    const first = this.data.firstForce;
    let most = 16;
    for (let f = 1; f < first.count; f++) most = Math.max(most, first.list[f] - first.list[f - 1]);
    this.unit = this.typical();
    const each = this.data.counts.forces / Math.max(this.data.counts.frames, 1);
    this.part = 0.25 / Math.sqrt(Math.max(1, each / 8));
    if (most <= this.capacity) return;
    for (const old of [this.shafts, this.heads]) if (old) this.space.scene.remove(old.mesh);
    this.capacity = 2 * most;
    this.shafts = new tippe.Tubes(this.space, 0x111111, this.capacity);
    this.heads = new tippe.Tubes(this.space, 0x111111, this.capacity, new THREE.ConeBufferGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5));
    for (const { mesh } of [this.shafts, this.heads]) { // seen through bodies
      mesh.material.depthTest = false;
      mesh.material.transparent = true;
      mesh.renderOrder = 10;
      mesh.castShadow = false;
    }
  }

  typical() {
    const [, , , , x, y, z] = this.data.lists.forces.map(list => list.list), sizes = [];
    const count = this.data.counts.forces, step = Math.max(1, Math.floor(count / 2000));
    for (let k = 0; k < count; k += step) sizes.push(Math.hypot(x[k], y[k], z[k]));
    sizes.sort((a, b) => a - b);
    return sizes.length ? sizes[Math.floor(0.95 * (sizes.length - 1))] : 1;
  }

  update(place, isShown) {
    const { data, space } = this, [, px, py, pz, fx, fy, fz] = data.lists.forces.map(list => list.list);
    const from = new THREE.Vector3(), to = new THREE.Vector3(), neck = new THREE.Vector3();
    this.shafts.begin();
    this.heads.begin();
    const end = isShown && data.counts.frames ? data.firstForce.list[place.frame + 1] : 0;
    for (let k = end ? data.firstForce.list[place.frame] : 0; k < end; k++) {
      const size = Math.hypot(fx[k], fy[k], fz[k]);
      const length = space.size * this.part * Math.min(size / this.unit, 1.6);
      from.set(px[k], py[k], pz[k]);
      to.set(fx[k], fy[k], fz[k]).multiplyScalar(length / size).add(from);
      neck.lerpVectors(from, to, Math.max(0.5, 1 - 0.03 * space.size / length));
      const thin = Math.sqrt(this.part / 0.25) * space.size;
      this.shafts.add(from, neck, 0.0022 * thin);
      this.heads.add(neck, to, 0.008 * thin);
    }
    this.shafts.end();
    this.heads.end();
  }
};

// Paths of the bodies so far: of the one that is followed, or of at most twelve.
tippe.Traces = class {
  constructor(data, space) {
    this.data = data;
    this.space = space;
    this.lines = [];
  }

  choose(followed) {
    for (const { line } of this.lines) this.space.scene.remove(line);
    const bodies = this.data.figures.filter(f => ['body', 'drawing'].includes(f.role) && f.kind !== 'plane' && this.moves(f));
    const chosen = followed ? bodies.filter(f => f.name === followed).slice(0, 1) : bodies.slice(0, 12);
    this.lines = chosen.map(figure => this.makeLine(figure));
  }

  moves(figure) {
    return [0, 1, 2].some(k => {
      const list = this.data.lists.frames[figure.first + 2 + k].list, last = this.data.counts.frames - 1;
      return list[0] !== list[last] || list[0] !== list[last >> 1];
    });
  }

  makeLine(figure) {
    const count = this.data.counts.frames, at = new Float32Array(3 * count), v = Math.max(figure.points - 1, 0);
    for (let f = 0; f < count; f++) {
      for (let k = 0; k < 3; k++) at[3 * f + k] = this.data.lists.frames[figure.first + 3 * v + 2 + k].list[f];
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(at, 3));
    const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: tippe.colour(figure).multiplyScalar(0.7) }));
    line.frustumCulled = false;
    this.space.scene.add(line);
    return { line, geometry };
  }

  update(place, isShown) {
    for (const { line, geometry } of this.lines) {
      line.visible = isShown;
      geometry.setDrawRange(0, place.frame + 1);
    }
  }
};
