// What lies under the pointer: symbols first, then nodes' dots, then what is nearest to the eye.
import { Raycaster, Vector2, Vector3 } from 'three';

const kTolerance = 4; // pixels

export class Picker {
  constructor(canvas, view, { beams, bodies, parts, symbols, nodes }) {
    Object.assign(this, { canvas, view, beams, bodies, parts, symbols, nodes });
    this.raycaster = new Raycaster();
    this.pointer = new Vector2();
  }

  at(x, y) {
    const { width, height } = this.canvas.getBoundingClientRect();
    this.pointer.set((2 * x) / width - 1, 1 - (2 * y) / height);
    const { camera } = this.view;
    camera.updateMatrixWorld();
    this.raycaster.setFromCamera(this.pointer, camera);
    const symbol = this.first(this.symbols.objects);
    const body = this.first([this.bodies.object, this.parts.object]);
    const beam = this.beams.object.visible
      ? this.beams.pick(this.raycaster.ray, (point) => kTolerance * this.view.pixel(point))
      : null;
    const solid = [body, beam].filter(Boolean).sort((a, b) => a.distance - b.distance)[0] ?? null;
    // A symbol sits on what carries it and may be half inside.
    if (symbol && (!solid || symbol.distance < solid.distance + 4 * this.symbols.unit)) return choice(symbol);
    return this.nodes.pick((point) => this.pixelsAway(point, x, y, width, height)) ?? choice(solid);
  }

  first(objects) {
    const hits = this.raycaster.intersectObjects(
      objects.filter((object) => object.visible),
      true,
    );
    const hit = hits.find(({ object }) => object.isMesh && itemOf(object));
    return hit ? { ...choice(itemOf(hit.object)), distance: hit.distance } : null;
  }

  pixelsAway(point, x, y, width, height) {
    place_.copy(point).project(this.view.camera);
    return Math.hypot(((place_.x + 1) / 2) * width - x, ((1 - place_.y) / 2) * height - y);
  }
}

const place_ = new Vector3();

const choice = (found) => (found ? { kind: found.kind, name: found.name } : null);

function itemOf(object) {
  for (let at = object; at; at = at.parent) {
    if (at.userData.item) return at.userData.item;
  }
  return null;
}
