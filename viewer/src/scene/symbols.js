// Everything that is no beam and no body: joints, springs, sensors, actuators, loads. Each item is told the pose and
// moves its parts. Symbols keep a size that can be seen and does not hide the machine.
import {
  DoubleSide,
  GreaterDepth,
  Group,
  LineDashedMaterial,
  LineSegments,
  Mesh,
  MeshLambertMaterial,
  Vector3,
} from 'three';
import { Acting } from './acting.js';
import { alongDirection, Attachment, readPosition, readRotation } from './attachment.js';
import { arrow, ball, box, coil, curl, gem, hoop, line, rod, spiral } from './glyphs.js';
import { makeJointParts } from './joints.js';
import { kColours } from './palette.js';

const kSymbol = 0.017; // of the machine's size
const kLeastPixels = 5;
const kMostPixels = 24;
const kActuator = 0.16; // thickness of arrows, in symbols
const kLoad = 0.2;
const kSmallSprings = {
  spiral: () => spiral(1.7, 3, 0.13),
  cube: () => box(1.3, 1.3, 1.3),
  ring: () => hoop(1.3, 0.4),
};
const kArcPieces = 16; // of a cable on its pulley
const kKinds = ['joint', 'spring', 'load', 'sensor', 'actuator'];

export class Symbols {
  constructor(scene, rest) {
    this.scene = scene;
    this.rest = rest;
    this.unit = kSymbol * scene.size;
    this.groups = Object.fromEntries(kKinds.map((kind) => [kind, new Group()]));
    this.items = [];
    this.joints = new Map(scene.joints.map((joint) => [joint.name, joint]));
    this.crowd = new Map();
    scene.joints.forEach((joint) => (joint.symbol === 'rod' ? this.addRod(joint) : this.addJoint(joint)));
    scene.springs.forEach((spring) => this.addSpring(spring));
    scene.sensors.forEach((sensor) => this.addSignalGlyph('sensor', sensor));
    scene.actuators.forEach((actuator) => this.addSignalGlyph('actuator', actuator));
    scene.loads.forEach((load) => this.addLoad(load));
  }

  get objects() {
    return Object.values(this.groups);
  }

  update(pose) {
    for (const item of this.items) item.update(pose);
  }

  // `partOf(item)`: from −1 to 1, of the largest size that a load or an actuator has.
  showForces(partOf) {
    for (const item of this.items) {
      if (item.acting) for (const acting of item.acting) acting.show(partOf(item));
    }
  }

  // `pixel(point)`: metres per pixel there.
  resize(pixel) {
    for (const { scaled } of this.items) {
      for (const part of scaled) {
        const metres = pixel(part.position);
        part.scale.setScalar(Math.min(kMostPixels * metres, Math.max(kLeastPixels * metres, this.unit)));
      }
    }
  }

  addItem(kind, name, node, parts, update, scaled = parts) {
    const object = new Group();
    object.add(...parts);
    const item = { kind, name, node, object, update, scaled };
    object.userData.item = item;
    this.groups[kind].add(object);
    this.items.push(item);
    return item;
  }

  // The first part has the joint's axes, the second follows with the other node's.
  addJoint(joint) {
    const { first, second } = makeJointParts(joint.symbol);
    const at = new Vector3(...joint.at);
    const axes = [joint.axis, joint.second ?? joint.axis];
    const parts = [first, second].map((geometries, i) => ({
      object: makePart(geometries, i === 0 ? '#55657a' : kColours.joint),
      attachment: new Attachment(this.rest, joint.nodes[i] ?? joint.nodes[0], at, alongDirection(axes[i])),
    }));
    this.addItem(
      'joint',
      joint.name,
      joint.nodes[1],
      parts.map(({ object }) => object),
      (pose) => {
        for (const { object, attachment } of parts) {
          attachment.writePlace(pose, object.position);
          attachment.writeTurn(pose, object.quaternion);
        }
      },
    );
  }

  addRod(joint) {
    const ends = joint.nodes.map((node, i) => {
      const at = i === 0 && joint.at ? pointOf(joint.at) : readPosition(this.rest, node, new Vector3());
      return new Attachment(this.rest, node, Array.isArray(joint.at?.[i]) ? pointOf(joint.at[i]) : at);
    });
    const bar = makePart([rod(0.25 * this.unit, 1).translate(0, 0, 0.5)], kColours.joint);
    const balls = ends.map(() => makePart([ball(0.5)], kColours.joint));
    this.addItem(
      'joint',
      joint.name,
      joint.nodes[1],
      [bar, ...balls],
      (pose) => {
        stretch(bar, pose, ends);
        balls.forEach((object, i) => ends[i].writePlace(pose, object.position));
      },
      balls,
    );
  }

  addSpring(spring) {
    if (spring.pulley) return this.addCable(spring);
    if (spring.symbol in kSmallSprings) return this.addSmallSpring(spring);
    const points = spring.at.map(pointOf);
    const apart = points[0].distanceTo(points[1]);
    // A spring on the displacement of one place has no length of its own: it is drawn as if its foot stood apart.
    if (apart < 1e-6 * this.scene.size) {
      const away = new Vector3(0, 0, 1).applyQuaternion(alongDirection(spring.direction));
      points[0].addScaledVector(away, -7 * this.unit);
    }
    const length = points[0].distanceTo(points[1]);
    const ends = points.map((point, i) => new Attachment(this.rest, spring.nodes[i], point));
    const radius = Math.min(0.9 * this.unit, 0.2 * length);
    return spring.symbol === 'dashpot'
      ? this.addDamper(spring, ends, length, radius)
      : this.addCoil(spring, ends, length, radius);
  }

  addCoil(spring, ends, length, radius) {
    const turns = Math.max(4, Math.min(14, Math.round(length / (1.4 * radius))));
    const part = makePart([coil(length, radius, turns, 0.13 * radius)], kColours.spring);
    this.addItem('spring', spring.name, spring.nodes[1], [part], (pose) => stretch(part, pose, ends, 1 / length), []);
  }

  // Straight to the pulley, round it, and straight on.
  addCable(spring) {
    const { node, at, axis, radius, sense } = spring.pulley;
    const ends = spring.at.map((point, i) => new Attachment(this.rest, spring.nodes[i], pointOf(point)));
    const centre = new Attachment(this.rest, node, pointOf(at), alongDirection(axis));
    const wheel = makePart([rod(0.97 * radius, 0.3 * radius)], kColours.joint);
    const pieces = Array.from({ length: kArcPieces + 2 }, () =>
      makePart([rod(0.2 * this.unit, 1).translate(0, 0, 0.5)], kColours.spring),
    );
    this.addItem(
      'spring',
      spring.name,
      spring.nodes[1],
      [wheel, ...pieces],
      (pose) => {
        centre.writePlace(pose, wheel.position);
        centre.writeTurn(pose, wheel.quaternion);
        const places = ends.map((end) => end.writePlace(pose, new Vector3()));
        const path = layOver(wheel, places, radius, sense);
        pieces.forEach((piece, i) => stretchBetween(piece, path[i], path[i + 1]));
      },
      [],
    );
  }

  // The cylinder stands on the first end, the piston's rod on the second; neither changes its length.
  addDamper(spring, ends, length, radius) {
    const house = makePart(
      [
        rod(0.7 * radius, 0.55 * length).translate(0, 0, 0.4 * length),
        rod(0.2 * radius, 0.14 * length).translate(0, 0, 0.07 * length),
      ],
      kColours.spring,
    );
    const piston = makePart([rod(0.25 * radius, 0.55 * length).translate(0, 0, 0.275 * length)], '#1c4d31');
    const back = [ends[1], ends[0]];
    this.addItem(
      'spring',
      spring.name,
      spring.nodes[1],
      [house, piston],
      (pose) => {
        stretch(house, pose, ends, 0);
        stretch(piston, pose, back, 0);
      },
      [],
    );
  }

  addSmallSpring(spring) {
    const part = makePart([kSmallSprings[spring.symbol]()], kColours.spring);
    const attachment = new Attachment(
      this.rest,
      spring.nodes[0],
      pointOf(spring.at[0]),
      alongDirection(spring.direction),
    );
    this.addItem('spring', spring.name, spring.nodes[1], [part], (pose) => {
      attachment.writePlace(pose, part.position);
      attachment.writeTurn(pose, part.quaternion);
    });
  }

  // A sensor or an actuator: on a joint, on a node or between two.
  addSignalGlyph(kind, thing) {
    if (thing.nodes) return this.addBetween(kind, thing);
    const joint = this.joints.get(thing.joint);
    const node = joint ? joint.nodes[0] : thing.node;
    if (node == null) return undefined;
    const direction = thing.direction ?? joint?.axis;
    const at = joint ? pointOf(joint.at) : readPosition(this.rest, node, new Vector3());
    const shape = this.signalShape(kind, at, direction, thing.isRound);
    const part = makePart(shape.geometries, kColours[kind]);
    const attachment = new Attachment(this.rest, node, at);
    const turn = alongDirection(direction);
    const place = joint ? new Attachment(this.rest, joint.nodes[1] ?? node, at) : attachment;
    const item = this.addItem(kind, thing.name, joint ? joint.nodes[1] : node, [part], (pose) => {
      place.writePlace(pose, part.position);
      if (joint) attachment.writeTurn(pose, part.quaternion).multiply(turn);
      else if (thing.frame === 'body') readRotation(pose, node, part.quaternion).multiply(turn);
      else part.quaternion.copy(turn);
    });
    if (kind === 'actuator' && direction) item.acting = [new Acting(part, shape.length, kActuator)];
    return undefined;
  }

  // Glyphs at one place grow, so that each can be seen and picked.
  signalShape(kind, at, direction, turning) {
    const key = `${turning} ${at.toArray().map((x) => x.toFixed(6))}`;
    const before = this.crowd.get(key) ?? 0;
    this.crowd.set(key, before + 1);
    const thick = kind === 'sensor' ? 0.1 : kActuator;
    if (turning && direction) {
      return { geometries: curl(1.7 + 0.55 * before, thick, (kind === 'sensor' ? 0.9 : 1.5) * Math.PI), length: 0 };
    }
    if (!direction) return { geometries: [gem(0.65 + 0.2 * before)], length: 0 };
    if (kind === 'sensor') return { geometries: [gem(0.6), ...arrow(3.4 + before, thick)], length: 0 };
    return { geometries: arrow(4.6 + before, thick), length: 4.6 + before };
  }

  addBetween(kind, thing) {
    const ends = thing.nodes.map(
      (node) => new Attachment(this.rest, node, readPosition(this.rest, node, new Vector3())),
    );
    const middle = makePart([gem(0.75)], kColours[kind]);
    const dashes = new LineSegments(
      line(),
      new LineDashedMaterial({ color: kColours[kind], dashSize: 0.03, gapSize: 0.02 }),
    );
    dashes.computeLineDistances();
    this.addItem(
      kind,
      thing.name,
      thing.nodes[1],
      [dashes, middle],
      (pose) => {
        stretch(dashes, pose, ends);
        ends[0].writePlace(pose, middle.position).lerp(ends[1].writePlace(pose, b_), 0.5);
      },
      [middle],
    );
  }

  // Both arrows may be there; they follow the node's axes if the load does.
  addLoad(load) {
    const parts = [];
    for (const [vector, length] of [
      [load.force, 6],
      [load.torque, 0],
    ]) {
      if (!vector || Math.hypot(...vector) === 0) continue;
      const geometries = length > 0 ? arrow(length, kLoad) : curl(2.1, kLoad);
      parts.push({ object: makePart(geometries, kColours.load), turn: alongDirection(vector), length });
    }
    if (parts.length === 0) return;
    const follows = load.frame === 'body';
    const item = this.addItem(
      'load',
      load.name,
      load.node,
      parts.map(({ object }) => object),
      (pose) => {
        for (const { object, turn } of parts) {
          readPosition(pose, load.node, object.position);
          if (follows) readRotation(pose, load.node, object.quaternion).multiply(turn);
          else object.quaternion.copy(turn);
        }
      },
    );
    item.acting = parts.map(({ object, length }) => new Acting(object, length, kLoad));
  }
}

const pointOf = (point) => new Vector3(...point);

function makePart(geometries, colour) {
  const group = new Group();
  const material = new MeshLambertMaterial({ color: colour, side: DoubleSide });
  // What is inside a body or a beam still shows faintly.
  const veiled = material.clone();
  Object.assign(veiled, { depthFunc: GreaterDepth, depthWrite: false, transparent: true, opacity: 0.28 });
  for (const geometry of geometries) {
    const behind = new Mesh(geometry, veiled);
    behind.renderOrder = 3;
    behind.userData.behind = true;
    group.add(new Mesh(geometry, material), behind);
  }
  return group;
}

const a_ = new Vector3();
const b_ = new Vector3();
const z_ = new Vector3(0, 0, 1);

// Puts what is drawn along z between two ends; it is as long as they are apart times `unit`, or keeps its length at 0.
function stretch(object, pose, ends, unit = 1) {
  stretchBetween(object, ends[0].writePlace(pose, a_), ends[1].writePlace(pose, b_), unit);
}

function stretchBetween(object, from, to, unit = 1) {
  b_.copy(to).sub(from);
  const length = b_.length();
  object.position.copy(from);
  if (length > 0) object.quaternion.setFromUnitVectors(z_, b_.divideScalar(length));
  if (unit > 0) object.scale.z = Math.max(1e-9, length * unit);
}

// Where a cable from the first place to the second lies round a wheel about its z axis, in the sense ±1.
function layOver(wheel, places, radius, sense) {
  const turn = wheel.quaternion;
  const back = turn.clone().invert();
  const seen = places.map((place) => place.clone().sub(wheel.position).applyQuaternion(back));
  const [from, to] = seen.map(({ x, y }, i) => {
    const arc = Math.acos(Math.min(1, radius / Math.hypot(x, y)));
    return Math.atan2(y, x) + (i === 0 ? sense : -sense) * arc;
  });
  const round = 2 * Math.PI;
  const wrap = (((sense * (to - from)) % round) + round) % round;
  const arc = Array.from({ length: kArcPieces + 1 }, (_, i) => {
    const angle = from + (sense * wrap * i) / kArcPieces;
    const point = new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), 0);
    return point.applyQuaternion(turn).add(wheel.position);
  });
  return [places[0], ...arc, places[1]];
}
