// Figures with a pose: solids, planes and circles. Those of one shape and colour are drawn at once.
'use strict';

tippe.colour = figure => new THREE.Color(figure.red, figure.green, figure.blue);

// A ball or a capsule has dark octants, so that one sees it turn.
tippe.checker = function (geometry) {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  const at = flat.attributes.position, shades = new Float32Array(3 * at.count);
  for (let t = 0; t < at.count; t += 3) {
    const sum = k => at.array[3 * t + k] + at.array[3 * t + 3 + k] + at.array[3 * t + 6 + k];
    const shade = sum(0) * sum(1) * sum(2) > 0 ? 1 : 0.62;
    shades.fill(shade, 3 * t, 3 * t + 9);
  }
  flat.setAttribute('color', new THREE.BufferAttribute(shades, 3));
  return flat;
};

tippe.plain = function (geometry) {
  const shades = new Float32Array(3 * geometry.attributes.position.count).fill(1);
  geometry.setAttribute('color', new THREE.BufferAttribute(shades, 3));
  return geometry;
};

// Of size 1 where a size is a scale. Where there are many, each is small on the screen: balls have fewer faces.
tippe.geometry = function (figure, count) {
  const upright = geometry => geometry.rotateX(Math.PI / 2); // three.js has y along a cylinder
  switch (figure.kind) {
  case 'sphere': {
    const around = count <= 100 ? 32 : count <= 2000 ? 16 : 12;
    return tippe.checker(new THREE.SphereBufferGeometry(1, around, 0.75 * around));
  }
  case 'box': return tippe.plain(new THREE.BoxBufferGeometry(2, 2, 2));
  case 'cylinder': return tippe.plain(upright(new THREE.CylinderBufferGeometry(1, 1, 2, 40)));
  case 'tube': return tippe.plain(upright(new THREE.CylinderBufferGeometry(1, 1, 2, 64, 1, true)));
  case 'shell': return tippe.plain(new THREE.SphereBufferGeometry(1, 64, 48));
  case 'capsule': {
    const [radius, half] = figure.size, points = [];
    const put = (k, height) => {
      const angle = Math.PI * (k / 24 - 0.5);
      points.push(new THREE.Vector2(radius * Math.cos(angle), radius * Math.sin(angle) + height));
    };
    for (let k = 0; k <= 12; k++) put(k, -half);
    put(12, 0); // octants end there
    for (let k = 12; k <= 24; k++) put(k, half);
    return tippe.checker(upright(new THREE.LatheBufferGeometry(points, 32)));
  }
  case 'mesh': {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(figure.vertices, 3));
    geometry.setIndex(figure.triangles);
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals();
    return tippe.plain(flat);
  }
  case 'circle': return tippe.plain(figure.filled ? new THREE.CircleBufferGeometry(1, 48) : new THREE.TorusBufferGeometry(1, 0.02, 8, 64));
  default: return null;
  }
};

// What the sizes of a figure are multiplied by: 1, but for figures of scalable bodies.
tippe.growth = (figure, data, place) => (figure.grows ? data.motion(figure.first + 7, place) : 1);

// What a figure's unit geometry is scaled by. Makes no objects: it runs for every figure in every frame.
tippe.scaleOf = function (figure, data, place, out) {
  const [a, b, c] = figure.size, grown = tippe.growth(figure, data, place);
  switch (figure.kind) {
  case 'sphere': case 'shell': return out.setScalar(grown * a);
  case 'box': return out.set(grown * a, grown * b, grown * c);
  case 'cylinder': case 'tube': return out.set(grown * a, grown * a, grown * b);
  case 'circle': return out.setScalar(data.motion(figure.first + 7, place));
  default: return out.setScalar(grown);
  }
};

tippe.isHollow = figure => figure.kind === 'tube' || figure.kind === 'shell';

// Joints and what acts on them are seen through bodies: they are drawn later, over a depth that is cleared before.
tippe.MARK_ORDER = 5;
tippe.clearDepthBeforeMarks = function (space) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(9, 3));
  const nothing = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial());
  nothing.frustumCulled = false;
  nothing.renderOrder = tippe.MARK_ORDER - 1;
  nothing.onBeforeRender = renderer => renderer.clearDepth();
  space.scene.add(nothing);
};

tippe.Solids = class {
  constructor(data, space) {
    this.data = data;
    this.space = space;
    tippe.clearDepthBeforeMarks(space);
    this.groups = [];
    const byKey = new Map();
    for (const figure of data.figures) {
      if (figure.points || figure.kind === 'plane') continue;
      const own = figure.kind === 'capsule' ? figure.size.join() : figure.kind === 'mesh' ? 'mesh' + figure.first : '';
      const key = [figure.kind, own, figure.filled, figure.role, figure.red, figure.green, figure.blue].join('|');
      if (!byKey.has(key)) byKey.set(key, []);
      byKey.get(key).push(figure);
    }
    for (const figures of byKey.values()) this.addGroup(figures, space);
    this.position = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.next = new THREE.Quaternion();
    this.scale = new THREE.Vector3();
    this.axis = new THREE.Vector3();
    this.matrix = new THREE.Matrix4();
  }

  // Of a hollow one sees the far wall, from inside.
  side(figure) {
    if (tippe.isHollow(figure)) return THREE.BackSide;
    return ['mesh', 'circle'].includes(figure.kind) ? THREE.DoubleSide : THREE.FrontSide;
  }

  addGroup(figures, space) {
    const [first] = figures, isMark = !['body', 'drawing'].includes(first.role);
    const material = new THREE.MeshPhongMaterial({ color: tippe.colour(first), vertexColors: THREE.VertexColors,
      shininess: 25, specular: 0x222222, side: this.side(first), flatShading: first.kind === 'mesh' });
    const mesh = new THREE.InstancedMesh(tippe.geometry(first, figures.length), material, figures.length);
    mesh.frustumCulled = false; // its bounds are those of one instance
    mesh.castShadow = !isMark && !tippe.isHollow(first);
    mesh.receiveShadow = !isMark;
    if (isMark) mesh.renderOrder = tippe.MARK_ORDER;
    space.scene.add(mesh);
    this.groups.push({ mesh, figures, role: first.role });
  }

  // Pose of a figure; false if it is not finite.
  pose(figure, place) {
    const data = this.data;
    this.position.set(data.motion(figure.first, place), data.motion(figure.first + 1, place), data.motion(figure.first + 2, place));
    data.turn(figure, place.frame, this.turn);
    if (place.part > 0) this.turn.slerp(data.turn(figure, place.next, this.next), place.part);
    tippe.scaleOf(figure, data, place, this.scale);
    if (figure.kind === 'tube') this.cutTube();
    return isFinite(this.position.x + this.position.y + this.position.z + this.turn.w + this.scale.x);
  }

  // A tube has no end: the piece around what moves.
  cutTube() {
    const { centre, box } = this.space, axis = this.axis;
    axis.set(0, 0, 1).applyQuaternion(this.turn);
    const along = axis.dot(centre) - axis.dot(this.position);
    this.position.addScaledVector(axis, along);
    this.scale.z = 0.6 * (Math.abs(axis.x) * (box.max.x - box.min.x) + Math.abs(axis.y) * (box.max.y - box.min.y) +
      Math.abs(axis.z) * (box.max.z - box.min.z));
  }

  update(place, isShown) {
    for (const group of this.groups) {
      group.mesh.visible = isShown(group.role);
      if (!group.mesh.visible) continue;
      for (let k = 0; k < group.figures.length; k++) {
        if (!this.pose(group.figures[k], place)) this.scale.set(0, 0, 0), this.position.set(0, 0, 0), this.turn.set(0, 0, 0, 1);
        group.mesh.setMatrixAt(k, this.matrix.compose(this.position, this.turn, this.scale));
      }
      group.mesh.instanceMatrix.needsUpdate = true;
    }
  }
};

// Planes have no end: a square with a grid around what moves. Without any, a ground below it takes the shadows; a hollow does it itself.
tippe.Grounds = class {
  constructor(data, space) {
    this.data = data;
    this.space = space;
    this.planes = [];
    for (const figure of data.figures.filter(f => f.kind === 'plane')) this.planes.push({ figure, mesh: this.add(0xd2d6da) });
    const isSeenFromAbove = space.up.dot(new THREE.Vector3().fromArray(data.toward)) > 0.05;
    if (!this.planes.length && isSeenFromAbove && !data.figures.some(tippe.isHollow)) this.planes.push({ figure: null, mesh: this.add(0xe6e9ec) });
  }

  add(colour) {
    const image = document.createElement('canvas');
    image.width = image.height = 256;
    const pen = image.getContext('2d');
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, 256, 256);
    pen.strokeStyle = '#9aa3ab';
    pen.lineWidth = 3;
    pen.strokeRect(0, 0, 256, 256);
    const texture = new THREE.CanvasTexture(image);
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.anisotropy = 8;
    const mesh = new THREE.Mesh(new THREE.PlaneBufferGeometry(1, 1),
      new THREE.MeshLambertMaterial({ color: colour, map: texture })); // not seen from behind
    mesh.receiveShadow = true;
    this.space.scene.add(mesh);
    return mesh;
  }

  update(place) {
    const { data, space } = this, normal = new THREE.Vector3(), z = new THREE.Vector3(0, 0, 1);
    const cell = Math.pow(10, Math.round(Math.log10(space.size / 6))), half = space.box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    for (const { figure, mesh } of this.planes) {
      const origin = new THREE.Vector3(), turn = new THREE.Quaternion();
      if (figure) {
        origin.set(...[0, 1, 2].map(k => data.motion(figure.first + k, place)));
        turn.set(...[3, 4, 5, 6].map(k => data.motion(figure.first + k, place))).normalize();
      } else {
        const low = Math.abs(half.x * space.up.x) + Math.abs(half.y * space.up.y) + Math.abs(half.z * space.up.z);
        origin.copy(space.centre).addScaledVector(space.up, -1.02 * low);
        turn.setFromUnitVectors(z, space.up);
      }
      normal.copy(z).applyQuaternion(turn);
      const isFloor = Math.abs(normal.dot(space.up)) > 0.7, back = turn.clone().conjugate();
      const local = space.centre.clone().sub(origin).applyQuaternion(back).setZ(0);
      if (isFloor) local.set(cell * Math.round(local.x / cell), cell * Math.round(local.y / cell), 0);
      mesh.position.copy(origin).add(local.applyQuaternion(turn));
      mesh.quaternion.copy(turn);
      for (const k of [0, 1]) { // a wall is as large as what moves before it
        const axis = new THREE.Vector3().setComponent(k, 1).applyQuaternion(turn);
        const width = Math.abs(half.x * axis.x) + Math.abs(half.y * axis.y) + Math.abs(half.z * axis.z);
        const side = isFloor ? 2 * cell * Math.ceil(2.2 * space.size / cell) : 2 * width;
        mesh.scale.setComponent(k, side);
        mesh.material.map.repeat.setComponent(k, side / cell);
      }
    }
    this.cell = cell;
  }
};
