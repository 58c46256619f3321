// Arrows whose length follows a load or an actuator: straight ones for forces, round ones for torques.
import { Group } from 'three';
import { headOf } from './glyphs.js';

const kNothing = 0.004; // of the largest: not seen any more

// The part is made of shaft and head, each in as many meshes; `length` is 0 for a round arrow.
export class Acting {
  constructor(part, length, thick) {
    this.length = length;
    this.head = headOf(length, thick);
    const { children } = part;
    const half = children.length / 2;
    [this.shafts, this.heads] = [children.slice(0, half), children.slice(half)];
    this.inner = new Group();
    this.inner.add(...children);
    part.add(this.inner);
  }

  // From −1 to 1. What is negative points the other way. The head keeps its size while the arrow is longer.
  show(part) {
    const { length, head, inner } = this;
    const size = Math.abs(part);
    inner.visible = size > kNothing;
    inner.rotation.x = part < 0 ? Math.PI : 0;
    if (length === 0) {
      inner.scale.setScalar(Math.max(size, kNothing));
      return;
    }
    const shrink = Math.min(1, Math.max(size, kNothing) * length / head);
    const shaft = Math.max(1e-6, (size * length - head * shrink) / (length - head));
    for (const mesh of this.shafts) mesh.scale.set(shrink, shrink, shaft);
    for (const mesh of this.heads) {
      mesh.scale.setScalar(shrink);
      mesh.position.z = (size - shrink) * length;
    }
  }
}
