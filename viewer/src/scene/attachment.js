// A place and axes in ground at the start that move with a node.
import { Quaternion, Vector3 } from 'three';
import { kFrame } from './pose.js';

export function readPosition(pose, node, out) {
  const i = node * kFrame;
  return out.set(pose[i], pose[i + 1], pose[i + 2]);
}

export function readRotation(pose, node, out) {
  const i = node * kFrame + 3;
  return out.set(pose[i + 1], pose[i + 2], pose[i + 3], pose[i]);
}

export class Attachment {
  constructor(rest, node, place, turn = new Quaternion()) {
    this.node = node;
    const back = readRotation(rest, node, new Quaternion()).invert();
    this.place = place
      .clone()
      .sub(readPosition(rest, node, new Vector3()))
      .applyQuaternion(back);
    this.turn = back.multiply(turn);
  }

  writePlace(pose, out) {
    readRotation(pose, this.node, rotation_);
    readPosition(pose, this.node, position_);
    return out.copy(this.place).applyQuaternion(rotation_).add(position_);
  }

  writeTurn(pose, out) {
    return readRotation(pose, this.node, out).multiply(this.turn);
  }
}

const rotation_ = new Quaternion();
const position_ = new Vector3();

// The rotation that brings z to a direction: symbols are drawn along z.
export function alongDirection(direction) {
  const to = new Vector3(...(direction ?? [0, 0, 1]));
  if (to.lengthSq() === 0) to.set(0, 0, 1);
  return new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), to.normalize());
}
