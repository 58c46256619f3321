// Flexible parts from finite elements: surfaces that move with their first interface and are deformed by their
// coordinates, p + Σ z_j shape_j. Shapes are fetched once; a frame needs the coordinates only.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  SRGBColorSpace,
  Color,
} from 'three';
import { readPosition, readRotation } from './attachment.js';
import { kColours, sampleMap } from './palette.js';

const kSharp = Math.cos((30 * Math.PI) / 180); // between triangles: a sharper edge is drawn
const kShades = 256;

export class Parts {
  // `changed` is called when a part has come.
  constructor(scene, source, changed) {
    this.object = new Group();
    this.coordinates = (scene.parts ?? []).reduce((sum, part) => sum + part.coordinates, 0);
    this.items = (scene.parts ?? []).map((part, i) => this.makeItem(part, i));
    this.complete = Promise.all(this.items.map((item, i) => load(item, i, source).then(() => changed?.(null)))).catch(
      (error) => changed?.(error),
    );
  }

  makeItem(part, index) {
    const item = { kind: 'part', name: part.name, node: part.nodes[0], part, index, object: new Group() };
    item.object.userData.item = item;
    this.object.add(item.object);
    return item;
  }

  get areHere() {
    return this.items.every(({ points }) => points);
  }

  // `z`: coordinates of all parts, or null for the undeformed ones; `scale` times as large as they are.
  update(pose, z, scale = 1) {
    for (const item of this.items) {
      place(item.object, pose, item.node);
      if (!item.points) continue;
      deform(item, z, scale, item.positions.array);
      item.positions.needsUpdate = true;
      item.geometry.boundingSphere = null;
    }
  }

  makeGhost() {
    this.ghost = new Group();
    this.ghosts = [];
    return this.ghost;
  }

  // What a mode departs from. Parts that came late are added.
  updateGhost(pose, z) {
    for (const item of this.items) {
      if (!item.points) continue;
      this.ghosts[item.index] ??= this.addGhost(item);
      const { mesh, positions } = this.ghosts[item.index];
      place(mesh, pose, item.node);
      deform(item, z, 1, positions.array);
      positions.needsUpdate = true;
    }
  }

  addGhost(item) {
    const positions = new BufferAttribute(item.points.slice(), 3);
    const geometry = new BufferGeometry().setAttribute('position', positions).setIndex(item.geometry.index);
    const mesh = new Mesh(geometry, kGhost);
    mesh.frustumCulled = false;
    this.ghost.add(mesh);
    return { mesh, positions };
  }

  // By the equivalent stress of the coordinates `z`, or plain.
  colour(z, field, range) {
    const shown = z && field?.on === 'parts';
    for (const item of this.items) {
      if (!item.points) continue;
      item.material.vertexColors = Boolean(shown && item.stress);
      item.material.color.set(item.material.vertexColors ? '#ffffff' : kColours.part);
      item.material.needsUpdate = item.wasColoured !== item.material.vertexColors;
      item.wasColoured = item.material.vertexColors;
      if (!item.wasColoured) continue;
      const values = stressOf(item, z);
      for (let i = 0; i < values.length; ++i) {
        const shade = (values[i] - range.low) / (range.high - range.low);
        item.colours.array.set(shadeOf(shade), 3 * i);
      }
      item.colours.needsUpdate = true;
    }
  }

  // Of all points of all parts, Pa.
  largestStress(z) {
    return Math.max(0, ...this.items.map((item) => (item.stress ? stressOf(item, z).reduce((a, b) => Math.max(a, b), 0) : 0)));
  }

  // Of all points, by a change of coordinates, m.
  largestDisplacement(z) {
    let largest = 0;
    for (const item of this.items) {
      if (!item.points) continue;
      const moved = combine(item.shapes, item.part, z, 1, new Float32Array(item.points.length));
      for (let i = 0; i < moved.length; i += 3) largest = Math.max(largest, Math.hypot(moved[i], moved[i + 1], moved[i + 2]));
    }
    return largest;
  }
}

const kGhost = new MeshLambertMaterial({
  color: '#8b98a5',
  transparent: true,
  opacity: 0.18,
  depthWrite: false,
  side: DoubleSide,
  flatShading: true,
});

function place(object, pose, node) {
  readPosition(pose, node, object.position);
  readRotation(pose, node, object.quaternion);
}

async function load(item, index, source) {
  const get = (what) => source.bytes(`part/${index}/${what}`).then((bytes) => bytes.buffer);
  const [points, triangles, shapes, stress] = await Promise.all(['points', 'triangles', 'shapes', 'stress'].map(get));
  item.shapes = new Float32Array(shapes);
  item.stress = item.part.sides > 0 ? new Float32Array(stress) : null;
  show(item, new Float32Array(points), new Uint32Array(triangles));
}

function show(item, points, triangles) {
  item.positions = new BufferAttribute(points.slice(), 3);
  item.colours = new BufferAttribute(new Float32Array(points.length), 3);
  item.geometry = new BufferGeometry()
    .setAttribute('position', item.positions)
    .setAttribute('color', item.colours)
    .setIndex(new BufferAttribute(triangles, 1));
  // Faces turn as the part is deformed: their normals come from the picture.
  item.material = new MeshLambertMaterial({
    color: kColours.part,
    side: DoubleSide,
    flatShading: true,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  const edges = new BufferGeometry()
    .setAttribute('position', item.positions)
    .setIndex(new BufferAttribute(findEdges(points, triangles), 1));
  const line = new LineBasicMaterial({ color: '#27313b', transparent: true, opacity: 0.55 });
  const drawn = [new Mesh(item.geometry, item.material), new LineSegments(edges, line)];
  for (const object of drawn) object.frustumCulled = false;
  item.object.add(...drawn);
  item.points = points;
}

// Sum of columns, each as long as `out`, on top of nothing.
function combine(columns, part, z, scale, out) {
  out.fill(0);
  for (let j = 0; j < part.coordinates; ++j) {
    const factor = scale * z[part.firstCoordinate + j];
    if (factor === 0) continue;
    const first = j * out.length;
    for (let i = 0; i < out.length; ++i) out[i] += factor * columns[first + i];
  }
  return out;
}

function deform({ points, shapes, part }, z, scale, out) {
  if (!z) {
    out.set(points);
    return;
  }
  combine(shapes, part, z, scale, out);
  for (let i = 0; i < out.length; ++i) out[i] += points[i];
}

// Equivalent stress at every point; of shells that of the side which has more.
export function stressOf({ stress, part }, z) {
  const count = part.points;
  const s = combine(stress, part, z, 1, new Float32Array(6 * count * part.sides));
  const values = new Float32Array(count);
  for (let i = 0; i < count * part.sides; ++i) {
    const [xx, yy, zz, xy, yz, zx] = s.subarray(6 * i, 6 * i + 6);
    const normal = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2);
    const value = Math.sqrt(normal + 3 * (xy * xy + yz * yz + zx * zx));
    if (value > values[i % count]) values[i % count] = value;
  }
  return values;
}

const shades_ = [];
const colour_ = new Color();

function shadeOf(value) {
  const i = Math.round(Math.min(1, Math.max(0, value)) * (kShades - 1));
  if (!shades_[i]) {
    const [r, g, b] = sampleMap(false, i / (kShades - 1));
    shades_[i] = colour_.setRGB(r / 255, g / 255, b / 255, SRGBColorSpace).toArray();
  }
  return shades_[i];
}

// Pairs of points: edges of one triangle only, and those between triangles that meet at an angle.
export function findEdges(points, triangles) {
  const sides = new Map();
  const count = points.length / 3;
  for (let t = 0; t < triangles.length; t += 3) {
    const normal = normalOf(points, triangles, t);
    for (let k = 0; k < 3; ++k) {
      const a = triangles[t + k];
      const b = triangles[t + ((k + 1) % 3)];
      const key = Math.min(a, b) * count + Math.max(a, b);
      const side = sides.get(key);
      if (side) side.push(normal);
      else sides.set(key, [normal]);
    }
  }
  const edges = [];
  for (const [key, normals] of sides) {
    const [n, m] = normals;
    const isSmooth = normals.length === 2 && Math.abs(n[0] * m[0] + n[1] * m[1] + n[2] * m[2]) > kSharp;
    if (!isSmooth) edges.push(Math.floor(key / count), key % count);
  }
  return new Uint32Array(edges);
}

function normalOf(points, triangles, t) {
  const [a, b, c] = [0, 1, 2].map((k) => points.subarray(3 * triangles[t + k], 3 * triangles[t + k] + 3));
  const u = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const v = [c[0] - a[0], c[1] - a[1], c[2] - a[2]];
  const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const size = Math.hypot(...n) || 1;
  return n.map((x) => x / size);
}
