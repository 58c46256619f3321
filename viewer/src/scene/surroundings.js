// What the machine stands in: light, a grid below it, the axes of ground.
import {
  AmbientLight,
  ArrowHelper,
  Color,
  DirectionalLight,
  GridHelper,
  Group,
  HemisphereLight,
  Quaternion,
  Vector3,
} from 'three';

export const kAxes = [
  { name: 'x', direction: [1, 0, 0], colour: '#b3261e' },
  { name: 'y', direction: [0, 1, 0], colour: '#1a7f37' },
  { name: 'z', direction: [0, 0, 1], colour: '#0550ae' },
];

// Against gravity. Where there is none, z; but y for a machine that lies in the plane of x and y.
export function upOf(scene) {
  const up = new Vector3(...(scene.gravity ?? [0, 0, 0])).negate();
  if (up.lengthSq() > 0) return up.normalize();
  const heights = scene.nodes.map(({ position }) => position[2]);
  const isFlat = heights.every((z) => Math.abs(z - heights[0]) < 1e-3 * scene.size);
  return isFlat ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1);
}

// From the camera's upper left, so that shapes read the same from every side.
export function makeLights() {
  const group = new Group();
  const sun = new DirectionalLight('#ffffff', 2.2);
  const back = new DirectionalLight('#ffffff', 0.5);
  sun.position.set(-0.6, 1, 1);
  back.position.set(1, -0.6, 0.4);
  group.add(sun, sun.target, back, back.target);
  return group;
}

export function makeAmbient() {
  const group = new Group();
  group.add(new AmbientLight('#ffffff', 0.9), new HemisphereLight('#ffffff', '#c9d4df', 0.9));
  return group;
}

// 1, 2 or 5 times a power of ten, not above the number.
export function roundDown(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [5, 2, 1].find((step) => step * power <= number * (1 + 1e-9)) * power;
}

export function makeGrid(scene, bounds, up) {
  const cell = roundDown(scene.size / 8);
  const count = 2 * Math.ceil((0.7 * scene.size) / cell);
  const object = new GridHelper(count * cell, count, new Color('#bcc7d2'), new Color('#dfe5eb'));
  object.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), up));
  object.material.transparent = true;
  object.material.depthWrite = false;
  const grid = { object, cell };
  placeGrid(grid, scene, bounds, up);
  return grid;
}

// Below the lowest point.
export function placeGrid(grid, scene, bounds, up) {
  const { object, cell } = grid;
  const centre = bounds.getCenter(new Vector3());
  const low = Math.min(...cornersOf(bounds).map((corner) => corner.dot(up)));
  centre.addScaledVector(up, low - centre.dot(up));
  grid.place = onGrid(centre, up, cell).addScaledVector(up, -0.01 * scene.size);
  object.position.copy(grid.place);
}

// Along its plane, so that its lines stay where they are.
export function moveGrid({ object, cell, place }, shift, up) {
  const along = shift.clone().addScaledVector(up, -shift.dot(up));
  object.position.copy(place).add(onGrid(along, up, cell));
}

// Lines of the grid stay at whole multiples of its cell.
function onGrid(centre, up, cell) {
  const round = (x) => Math.round(x / cell) * cell;
  const rounded = new Vector3(round(centre.x), round(centre.y), round(centre.z));
  return rounded.addScaledVector(up, centre.dot(up) - rounded.dot(up));
}

function cornersOf({ min, max }) {
  return Array.from(
    { length: 8 },
    (_, i) => new Vector3(i & 1 ? min.x : max.x, i & 2 ? min.y : max.y, i & 4 ? min.z : max.z),
  );
}

export function makeGround(scene) {
  const group = new Group();
  const length = 0.07 * scene.size;
  for (const { direction, colour } of kAxes) {
    const arrow = new ArrowHelper(
      new Vector3(...direction),
      new Vector3(),
      length,
      colour,
      0.25 * length,
      0.12 * length,
    );
    arrow.line.material.depthTest = arrow.cone.material.depthTest = false;
    arrow.renderOrder = arrow.line.renderOrder = arrow.cone.renderOrder = 4;
    group.add(arrow);
  }
  return group;
}
