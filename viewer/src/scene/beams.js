// Beams with their real sections. Vertices know their place in the section and the ring that carries them; the graphics
// card reads where the ring is now, so that a frame costs a small upload only.
import {
  Color,
  DataTexture,
  DoubleSide,
  FloatType,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  NearestFilter,
  Quaternion,
  RGBAFormat,
  Vector3,
} from 'three';
import { makeAxis, makeCap, makeEdges, makeHull, makeOutlines, makeRims, spread, thinOut } from './outline.js';
import { kColours, makeMapTexture } from './palette.js';
import { kRing, kTextureWidth, Rings } from './rings.js';

// Beams of more segments than this are drawn with fewer corners.
const kMany = 1000;
const kFewCorners = 20; // halved, round outlines keep corners that are not sharp
const kManyCorners = 48;
// Of the depth: the axis of a thin sheet must not shine through it.
const kBehind = 2e-4;

const kVertexHead = `
attribute float ring;
attribute float beam;
uniform sampler2D rings;
uniform float selected;
uniform float hovered;
varying float vValue;
varying float vMark;
vec4 ringTexel(float index) {
  int i = int(index + 0.5);
  return texelFetch(rings, ivec2(i % ${kTextureWidth}, i / ${kTextureWidth}), 0);
}
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
`;
const kVertexPlace = `
float ringIndex = ring + position.x;
vec4 ringPlace = ringTexel(2.0 * ringIndex);
vec4 ringTurn = ringTexel(2.0 * ringIndex + 1.0);
vValue = ringPlace.w;
vMark = beam == selected ? 2.0 : beam == hovered ? 1.0 : 0.0;
`;
const kFragmentHead = `
uniform sampler2D map1;
uniform float coloured;
uniform vec3 selectedColour;
varying float vValue;
varying float vMark;
`;
const kFragmentField = `
if (coloured > 0.5) diffuseColor.rgb = texture2D(map1, vec2(clamp(vValue, 0.002, 0.998), 0.5)).rgb;
`;
const kFragmentMark = `
if (vMark > 1.5) diffuseColor.rgb = mix(diffuseColor.rgb, selectedColour, 0.85);
else if (vMark > 0.5) diffuseColor.rgb = mix(diffuseColor.rgb, selectedColour, 0.35);
`;

export class Beams {
  constructor(scene) {
    this.beams = scene.beams;
    this.rings = new Rings(scene.beams);
    this.isLarge = this.rings.segments > kMany;
    this.sections = groupBySection(scene.beams, scene.size, this.isLarge ? kFewCorners : kManyCorners);
    this.maps = [makeMapTexture(false), makeMapTexture(true)];
    this.extents = scene.beams.map((beam) => extentOf(makeOutlines(beam.section, scene.size)));
    this.view = this.makeView(this.rings, {});
    this.ghostRings = null;
  }

  get object() {
    return this.view.group;
  }

  // All beams again at another pose, faint: what a mode departs from.
  makeGhost() {
    this.ghostRings = new Rings(this.beams);
    this.ghostView = this.makeView(this.ghostRings, { ghost: true });
    return this.ghostView.group;
  }

  makeView(rings, { ghost }) {
    const texture = new DataTexture(rings.data, kTextureWidth, rings.height, RGBAFormat, FloatType);
    texture.minFilter = texture.magFilter = NearestFilter;
    const uniforms = {
      rings: { value: texture },
      map1: { value: this.maps[0] },
      coloured: { value: 0 },
      selected: { value: -1 },
      hovered: { value: -1 },
      selectedColour: { value: new Color(kColours.selected) },
    };
    const dark = new LineBasicMaterial({ color: '#1f3347', transparent: true, opacity: ghost ? 0.12 : 0.55 });
    const thin = new LineBasicMaterial({ color: ghost ? '#a9b2bb' : '#35648f' });
    const solid = placed(solidMaterial(ghost), uniforms, kFragmentField + kFragmentMark);
    const edge = placed(dark, uniforms, kFragmentMark);
    const axis = placed(thin, uniforms, kFragmentField + kFragmentMark, kBehind);
    const all = (make, places) =>
      spread(this.sections.map(({ outlines, members }) => [make(outlines), places(members)]));
    const pieces = (members) => this.piecesOf(members);
    const ends = (members) => this.endsOf(members);
    const group = new Group();
    group.add(
      new Mesh(
        all((outlines) => makeHull(outlines, this.isLarge), pieces),
        solid,
      ),
      new Mesh(all(makeCap, ends), solid),
      new LineSegments(all(makeEdges, pieces), edge),
      new LineSegments(all(makeRims, ends), edge),
      new LineSegments(all(makeAxis, pieces), axis),
    );
    group.children.forEach((child) => (child.frustumCulled = false));
    return { group, texture, uniforms };
  }

  piecesOf(members) {
    const { first, pieces, perSegment } = this.rings;
    return members.flatMap((b) => {
      const list = [];
      for (let s = first[b]; s < first[b + 1]; ++s) {
        for (let k = 0; k < pieces; ++k) list.push([s * perSegment + k, b]);
      }
      return list;
    });
  }

  endsOf(members) {
    const { first, perSegment } = this.rings;
    return members.flatMap((b) => [
      [first[b] * perSegment, b],
      [first[b + 1] * perSegment - 1, b],
    ]);
  }

  update(pose) {
    this.rings.update(pose);
    this.view.texture.needsUpdate = true;
  }

  updateGhost(pose) {
    this.ghostRings.update(pose);
    this.ghostView.texture.needsUpdate = true;
  }

  // `values` as the field has them, or null for the plain colour.
  colour(values, field, range) {
    const { uniforms } = this.view;
    const shown = values && field.on !== 'parts';
    uniforms.coloured.value = shown ? 1 : 0;
    if (!shown) return;
    uniforms.map1.value = this.maps[range.signed ? 1 : 0];
    this.rings.colour(values, field.on === 'nodes', range.low, range.high);
  }

  mark(selected, hovered) {
    const indexOf = (choice) => (choice?.kind === 'beam' ? this.beams.findIndex((b) => b.name === choice.name) : -1);
    this.view.uniforms.selected.value = indexOf(selected);
    this.view.uniforms.hovered.value = indexOf(hovered);
  }

  // The nearest beam that a ray meets, thin ones made `tolerance(distance)` thick.
  pick(ray, tolerance) {
    let found = null;
    const { rings } = this;
    for (let s = 0; s < rings.segments; ++s) {
      const extent = this.extents[rings.beamOf[s]];
      for (let k = 0; k < rings.pieces; ++k) {
        const distance = meetPiece(ray, rings.data, (s * rings.perSegment + k) * kRing, extent, tolerance);
        if (distance >= 0 && !(distance >= found?.distance)) {
          found = { kind: 'beam', name: this.beams[rings.beamOf[s]].name, distance };
        }
      }
    }
    return found;
  }
}

function groupBySection(beams, size, corners) {
  const groups = new Map();
  beams.forEach((beam, b) => {
    const key = JSON.stringify(beam.section?.outlines ?? []);
    if (!groups.has(key)) {
      const outlines = makeOutlines(beam.section, size).map((outline) => thinOut(outline, corners));
      groups.set(key, { outlines, members: [] });
    }
    groups.get(key).members.push(b);
  });
  return [...groups.values()];
}

function extentOf(outlines) {
  const ys = outlines[0].map(([y]) => y);
  const zs = outlines[0].map(([, z]) => z);
  return [Math.min(...ys), Math.max(...ys), Math.min(...zs), Math.max(...zs)];
}

function solidMaterial(ghost) {
  return new MeshLambertMaterial({
    color: ghost ? '#8b98a5' : kColours.beam,
    side: DoubleSide,
    transparent: ghost === true,
    opacity: ghost ? 0.22 : 1,
    depthWrite: !ghost,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}

function placed(material, uniforms, colouring, shift = 0) {
  material.customProgramCacheKey = () => colouring + shift;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    const inside = 'vec3(0.0, position.yz)';
    shader.vertexShader = (kVertexHead + shader.vertexShader)
      .replace('void main() {', `void main() {${kVertexPlace}`)
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = turned(ringTurn, normal);')
      .replace('#include <begin_vertex>', `vec3 transformed = ringPlace.xyz + turned(ringTurn, ${inside});`);
    shader.vertexShader = shader.vertexShader.replace(
      '#include <project_vertex>',
      `#include <project_vertex>\ngl_Position.z += ${shift.toFixed(6)} * gl_Position.w;`,
    );
    shader.fragmentShader = (kFragmentHead + shader.fragmentShader).replace(
      '#include <color_fragment>',
      `#include <color_fragment>\n${colouring}`,
    );
  };
  return material;
}

const centre_ = new Vector3();
const along_ = new Vector3();
const up_ = new Vector3();
const side_ = new Vector3();
const origin_ = new Vector3();
const span_ = new Vector3();
const turn_ = new Quaternion();

// Distance along the ray to the box around a piece, or −1.
function meetPiece(ray, data, o, [y0, y1, z0, z1], tolerance) {
  centre_.set(data[o], data[o + 1], data[o + 2]);
  span_.set(data[o + kRing], data[o + kRing + 1], data[o + kRing + 2]).sub(centre_);
  const length = span_.length();
  const pad = tolerance(centre_);
  turn(along_.set(1, 0, 0), data, o + 4);
  turn(up_.set(0, 1, 0), data, o + 4);
  turn(side_.set(0, 0, 1), data, o + 4);
  origin_.copy(ray.origin).sub(centre_);
  let near = 0;
  let far = Infinity;
  const limits = [
    [along_, 0, length],
    [up_, Math.min(y0, -pad), Math.max(y1, pad)],
    [side_, Math.min(z0, -pad), Math.max(z1, pad)],
  ];
  for (const [axis, low, high] of limits) {
    const p = origin_.dot(axis);
    const v = ray.direction.dot(axis) || 1e-30;
    const a = (low - p) / v;
    const b = (high - p) / v;
    near = Math.max(near, Math.min(a, b));
    far = Math.min(far, Math.max(a, b));
  }
  return near <= far ? near : -1;
}

function turn(v, data, q) {
  return v.applyQuaternion(turn_.set(data[q], data[q + 1], data[q + 2], data[q + 3]));
}
