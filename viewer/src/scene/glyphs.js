// Shapes that symbols are made of, along z and of the size of one symbol.
import {
  BoxGeometry,
  BufferGeometry,
  CatmullRomCurve3,
  ConeGeometry,
  CylinderGeometry,
  ExtrudeGeometry,
  Float32BufferAttribute,
  OctahedronGeometry,
  Shape,
  SphereGeometry,
  TorusGeometry,
  TubeGeometry,
  Vector3,
} from 'three';

export const box = (x, y, z) => new BoxGeometry(x, y, z);
export const ball = (radius) => new SphereGeometry(radius, 24, 16);
export const gem = (radius) => new OctahedronGeometry(radius);
export const rod = (radius, length) => new CylinderGeometry(radius, radius, length, 24).rotateX(Math.PI / 2);
export const cone = (radius, length) => new ConeGeometry(radius, length, 20).rotateX(Math.PI / 2);
export const hoop = (radius, thick, angle = 2 * Math.PI) => new TorusGeometry(radius, thick, 10, 48, angle);
export const socket = (radius) =>
  new SphereGeometry(radius, 24, 12, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2).rotateX(Math.PI / 2);

export const headOf = (length, thick) => Math.min(0.4 * length, 5 * thick);

// From the origin to its tip at `length`.
export function arrow(length, thick) {
  const head = headOf(length, thick);
  return [
    rod(thick, length - head).translate(0, 0, (length - head) / 2),
    cone(2.6 * thick, head).translate(0, 0, length - head / 2),
  ];
}

// About z, with its head at the end of the turn.
export function curl(radius, thick, angle = 1.5 * Math.PI) {
  const head = 5 * thick;
  const tip = cone(2.6 * thick, head)
    .rotateX(-Math.PI / 2)
    .translate(radius, 0.4 * head, 0)
    .rotateZ(angle);
  return [hoop(radius, thick, angle), tip];
}

// A coil from z = 0 to `length`, with straight ends.
export function coil(length, radius, turns, thick) {
  const points = [new Vector3(0, 0, 0), new Vector3(0, 0, 0.1 * length)];
  const steps = turns * 12;
  for (let i = 0; i <= steps; ++i) {
    const angle = (2 * Math.PI * i) / 12;
    points.push(new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), length * (0.14 + (0.72 * i) / steps)));
  }
  points.push(new Vector3(0, 0, 0.9 * length), new Vector3(0, 0, length));
  return new TubeGeometry(new CatmullRomCurve3(points, false, 'centripetal'), points.length * 3, thick, 6);
}

export function spiral(radius, turns, thick) {
  const points = [];
  for (let i = 0; i <= turns * 16; ++i) {
    const angle = (2 * Math.PI * i) / 16;
    const r = radius * (0.25 + (0.75 * i) / (turns * 16));
    points.push(new Vector3(r * Math.cos(angle), r * Math.sin(angle), 0));
  }
  return new TubeGeometry(new CatmullRomCurve3(points), points.length * 2, thick, 6);
}

export function thread(radius, length, turns, thick) {
  const points = [];
  for (let i = 0; i <= turns * 16; ++i) {
    const angle = (2 * Math.PI * i) / 16;
    points.push(new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), length * (i / (turns * 16) - 0.5)));
  }
  return new TubeGeometry(new CatmullRomCurve3(points), points.length * 2, thick, 6);
}

export function gear(radius, teeth, width) {
  const shape = new Shape();
  for (let i = 0; i < 4 * teeth; ++i) {
    const r = i % 4 < 2 ? radius : 0.78 * radius;
    const angle = (Math.PI * (i - 0.5)) / (2 * teeth);
    shape[i === 0 ? 'moveTo' : 'lineTo'](r * Math.cos(angle), r * Math.sin(angle));
  }
  return new ExtrudeGeometry(shape, { depth: width, bevelEnabled: false }).translate(0, 0, -width / 2);
}

export function rack(length, teeth, width) {
  const shape = new Shape();
  const step = length / teeth;
  shape.moveTo(-length / 2, -0.5);
  shape.lineTo(length / 2, -0.5);
  for (let i = teeth; i > 0; --i) {
    const x = -length / 2 + i * step;
    shape.lineTo(x, 0);
    shape.lineTo(x - 0.25 * step, 0.3);
    shape.lineTo(x - 0.75 * step, 0.3);
  }
  shape.lineTo(-length / 2, 0);
  return new ExtrudeGeometry(shape, { depth: width, bevelEnabled: false }).translate(0, 0, -width / 2);
}

// From z = 0 to 1.
export function line() {
  return new BufferGeometry().setAttribute('position', new Float32BufferAttribute([0, 0, 0, 0, 0, 1], 3));
}
