// Bodies by their shapes. A box of equal inertia stands for a body without one and lets the machine shine through.
import {
  BoxGeometry,
  BufferGeometry,
  CylinderGeometry,
  EdgesGeometry,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  Quaternion,
  SphereGeometry,
  SRGBColorSpace,
  Vector3,
} from 'three';
import { readPosition, readRotation } from './attachment.js';
import { kColours, sampleMap } from './palette.js';

const kEdgeAngle = 30;
const kArm = 0.005; // thickness of arms, of the machine's size

export class Bodies {
  constructor(scene) {
    this.object = new Group();
    this.items = scene.bodies.map((body) => {
      const arms = body.given ? [] : makeArms(body, scene);
      const item = { kind: 'body', name: body.name, node: body.node, object: makeBody(body, arms) };
      item.object.userData.item = item;
      this.object.add(item.object);
      return item;
    });
  }

  makeGhost() {
    this.ghost = new Group();
    for (const { object } of this.items) {
      const group = new Group();
      for (const { geometry, isMesh } of object.children) if (isMesh) group.add(new Mesh(geometry, kGhost));
      this.ghost.add(group);
    }
    return this.ghost;
  }

  update(pose) {
    this.items.forEach((item) => place(item.object, pose, item.node));
  }

  updateGhost(pose) {
    this.items.forEach((item, i) => place(this.ghost.children[i], pose, item.node));
  }

  // Bodies take part in fields of nodes only.
  colour(values, field, range) {
    const shown = values && field.on === 'nodes';
    for (const { object, node } of this.items) {
      const { material } = object.userData;
      if (!shown) material.color.set(kColours.body);
      else {
        const [r, g, b] = sampleMap(range.signed, (values[node] - range.low) / (range.high - range.low));
        material.color.setRGB(r / 255, g / 255, b / 255, SRGBColorSpace);
      }
    }
  }
}

const kGhost = new MeshLambertMaterial({ color: '#8b98a5', transparent: true, opacity: 0.18, depthWrite: false });

function place(object, pose, node) {
  readPosition(pose, node, object.position);
  readRotation(pose, node, object.quaternion);
}

// Rods from the centre of mass to what hangs on the body: they show how it holds the machine together, which a box
// of equal inertia does not.
function makeArms(body, { nodes, joints, springs, size }) {
  const { position, rotation } = nodes[body.node];
  const [w, x, y, z] = rotation;
  const back = new Quaternion(x, y, z, w).invert();
  const centre = new Vector3(...body.com);
  const places = [...joints.map((joint) => [joint, [joint.at, joint.at]]), ...springs.map((spring) => [spring, spring.at])]
    .filter(([thing]) => thing.nodes)
    .flatMap(([thing, at]) => thing.nodes.flatMap((node, i) => (node === body.node ? [at[i]] : [])))
    .map((at) => new Vector3(...at).sub(origin_.set(...position)).applyQuaternion(back));
  return places.filter((place) => place.distanceTo(centre) > 2 * kArm * size).map((place) => makeArm(centre, place, kArm * size));
}

function makeArm(from, to, radius) {
  const along = to.clone().sub(from);
  const length = along.length();
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.divideScalar(length));
  const middle = from.clone().add(to).multiplyScalar(0.5);
  return new CylinderGeometry(radius, radius, length, 12).applyQuaternion(turn).translate(...middle.toArray());
}

const origin_ = new Vector3();
const kArmMaterial = new MeshLambertMaterial({ color: '#6b7886' });

function makeBody(body, arms) {
  const group = new Group();
  const faint = arms.length > 0 ? 0.16 : 0.35;
  const material = new MeshLambertMaterial({
    color: kColours.body,
    transparent: !body.given,
    opacity: body.given ? 1 : faint,
    depthWrite: body.given,
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  const geometry = makeShape(body.shape);
  const { position = [0, 0, 0], rotation = [1, 0, 0, 0] } = body.offset ?? {};
  const [w, x, y, z] = rotation;
  const offset = new Matrix4().compose(new Vector3(...position), new Quaternion(x, y, z, w), new Vector3(1, 1, 1));
  geometry.applyMatrix4(offset);
  const line = new LineBasicMaterial({ color: '#27313b', transparent: true, opacity: body.given ? 0.6 : faint });
  group.add(new Mesh(geometry, material), new LineSegments(new EdgesGeometry(geometry, kEdgeAngle), line));
  for (const arm of arms) group.add(new Mesh(arm, kArmMaterial));
  group.userData.material = material;
  return group;
}

function makeShape(shape) {
  if (shape.type === 'sphere') return new SphereGeometry(shape.radius, 32, 20);
  if (shape.type === 'cylinder') return makeCylinder(shape);
  if (shape.type === 'mesh') return makeMesh(shape);
  return new BoxGeometry(...(shape.size ?? [0, 0, 0]));
}

function makeCylinder({ radius, length, axis }) {
  const geometry = new CylinderGeometry(radius, radius, length, 48);
  const to = new Vector3(...(axis ?? [0, 0, 1])).normalize();
  return geometry.applyQuaternion(new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), to));
}

// Flat faces: meshes of machines have sharp edges, and shared vertices would smear them.
function makeMesh({ positions, indices }) {
  const shared = new BufferGeometry();
  shared.setAttribute('position', new Float32BufferAttribute(positions.flat(), 3));
  shared.setIndex([...indices].flat());
  const geometry = shared.toNonIndexed();
  geometry.computeVertexNormals();
  return geometry;
}
