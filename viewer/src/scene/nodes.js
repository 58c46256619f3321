// Dots of nodes, over everything else: a node lies inside what hangs on it. The trails of some of them too.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  Line,
  LineBasicMaterial,
  Points,
  ShaderMaterial,
  Vector3,
} from 'three';
import { readPosition } from './attachment.js';
import { kFrame } from './pose.js';
import { kColours } from './palette.js';

const kDot = 7; // pixels
const kVertex = `
attribute float mark;
uniform float dot;
varying float vMark;
void main() {
  vMark = mark;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = mark > 1.5 ? 1.7 * dot : mark < 0.0 ? 0.0 : dot;
}`;
const kFragment = `
uniform vec3 plain;
uniform vec3 chosen;
varying float vMark;
void main() {
  float r = 2.0 * length(gl_PointCoord - 0.5);
  if (r > 1.0 || vMark < 0.0) discard;
  vec3 inner = vMark > 0.5 ? chosen : vec3(1.0);
  gl_FragColor = vec4(mix(inner, plain, smoothstep(0.5, 0.7, r)), 1.0);
  #include <colorspace_fragment>
}`;

export class Nodes {
  constructor(scene) {
    this.nodes = scene.nodes;
    this.inner = false;
    const geometry = new BufferGeometry();
    this.places = new BufferAttribute(new Float32Array(scene.nodes.length * 3), 3).setUsage(DynamicDrawUsage);
    this.marks = new BufferAttribute(new Float32Array(scene.nodes.length), 1);
    geometry.setAttribute('position', this.places).setAttribute('mark', this.marks);
    const uniforms = {
      dot: { value: kDot * Math.min(2, globalThis.devicePixelRatio ?? 1) },
      plain: { value: new Color(kColours.node) },
      chosen: { value: new Color(kColours.selected) },
    };
    const material = new ShaderMaterial({
      vertexShader: kVertex,
      fragmentShader: kFragment,
      uniforms,
      depthTest: false,
      transparent: true,
    });
    this.object = new Points(geometry, material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
  }

  isShown(i) {
    return i > 0 && (this.inner || !this.nodes[i].inner);
  }

  update(pose) {
    const { array } = this.places;
    for (let i = 0, p = 0; i < pose.length; i += kFrame, p += 3) {
      array[p] = pose[i];
      array[p + 1] = pose[i + 1];
      array[p + 2] = pose[i + 2];
    }
    this.places.needsUpdate = true;
  }

  mark(selected, hovered) {
    this.nodes.forEach((node, i) => {
      const is = (choice) => choice?.kind === 'node' && choice.name === node.name;
      this.marks.array[i] = is(selected) ? 2 : is(hovered) ? 1 : this.isShown(i) ? 0 : -1;
    });
    this.marks.needsUpdate = true;
  }

  // The node whose dot is under the pointer. `project(point)` gives pixels from the pointer.
  pick(project) {
    let best = kDot;
    let found = null;
    if (!this.object.visible) return null;
    this.nodes.forEach((node, i) => {
      if (!this.isShown(i)) return;
      const away = project(point_.fromArray(this.places.array, 3 * i));
      if (away < best) [best, found] = [away, { kind: 'node', name: node.name }];
    });
    return found;
  }
}

const point_ = new Vector3();
const kTrail = 4000; // points at most

// Where some nodes have been, from the frames that are held.
export class Trails {
  constructor() {
    this.object = new Group();
    this.lines = [];
  }

  follow(nodes) {
    this.object.clear();
    this.lines = nodes.map((node) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute(
        'position',
        new BufferAttribute(new Float32Array(3 * kTrail), 3).setUsage(DynamicDrawUsage),
      );
      const line = new Line(geometry, new LineBasicMaterial({ color: kColours.trail }));
      line.frustumCulled = false;
      this.object.add(line);
      return { node, line };
    });
  }

  // Up to the drawn pose; `place(record, node)` may be null where frames are not held: the trail starts after that.
  update(pose, record, place) {
    const step = Math.max(1, Math.ceil((record + 1) / (kTrail - 1)));
    for (const { node, line } of this.lines) {
      const { array } = line.geometry.attributes.position;
      let count = 0;
      for (let r = 0; r <= record; r += step) {
        const point = place(r, node);
        if (point) array.set(point, 3 * count++);
        else count = 0;
      }
      readPosition(pose, node, point_).toArray(array, 3 * count++);
      line.geometry.setDrawRange(0, count);
      line.geometry.attributes.position.needsUpdate = true;
    }
  }
}
