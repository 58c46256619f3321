// The camera: orbit, home and standard views, perspective or parallel.
import { Box3, OrthographicCamera, PerspectiveCamera, Sphere, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const kFieldOfView = 35;
const kMargin = 1.22;

export class View {
  constructor(canvas, bounds, up, changed) {
    this.up = up;
    this.bounds = bounds;
    this.aspect = 1;
    this.perspective = new PerspectiveCamera(kFieldOfView, 1, 0.01, 100);
    this.parallel = new OrthographicCamera(-1, 1, 1, -1, -100, 100);
    this.camera = this.perspective;
    for (const camera of [this.perspective, this.parallel]) camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', changed);
    this.changed = changed;
    this.shift = new Vector3(); // by which the machine that is followed has moved from its bounds
    this.home();
  }

  get isParallel() {
    return this.camera === this.parallel;
  }

  resize(width, height) {
    this.aspect = width / height;
    this.height = height;
    this.updateLens();
  }

  // From the front, the right and above.
  home() {
    const up = this.up;
    const right = Math.abs(up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    right.addScaledVector(up, -right.dot(up)).normalize();
    const front = new Vector3().crossVectors(right, up);
    const from = front.multiplyScalar(1).addScaledVector(right, 0.45).addScaledVector(up, 0.42);
    this.lookFrom(from, this.boundsNow());
  }

  boundsNow() {
    return this.bounds.clone().translate(this.shift);
  }

  // Moves with what is looked at.
  moveTo(shift) {
    point_.copy(shift).sub(this.shift);
    this.shift.copy(shift);
    this.controls.target.add(point_);
    for (const camera of [this.perspective, this.parallel]) camera.position.add(point_);
  }

  lookAlong(axis) {
    const from = new Vector3(...axis);
    // Straight from above, the camera's up has to be something else; a touch aside keeps the orbit well defined.
    if (Math.abs(from.dot(this.up)) > 0.99) {
      const aside = Math.abs(this.up.y) > 0.9 ? new Vector3(0, 0, 1) : new Vector3(0, -1, 0);
      from.addScaledVector(aside, 1e-3);
    }
    this.lookFrom(from, this.boundsNow());
  }

  fit(bounds) {
    this.lookFrom(this.camera.position.clone().sub(this.controls.target), bounds);
  }

  lookFrom(direction, bounds) {
    const centre = bounds.getCenter(new Vector3());
    const { distance, span } = this.room(bounds, centre, direction.normalize());
    this.span = span;
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, distance);
    this.parallel.zoom = 1;
    this.updateLens();
    this.controls.update();
    this.changed();
  }

  // How far away the camera must be, and how much it must span, for all corners to be seen.
  room({ min, max }, centre, back) {
    const right = new Vector3().crossVectors(this.up, back).normalize();
    const above = new Vector3().crossVectors(back, right);
    const tangent = Math.tan((kFieldOfView * Math.PI) / 360) / kMargin;
    let distance = 1e-6;
    let span = 1e-6;
    for (let i = 0; i < 8; ++i) {
      point_.set(i & 1 ? min.x : max.x, i & 2 ? min.y : max.y, i & 4 ? min.z : max.z).sub(centre);
      const reach = Math.max(Math.abs(point_.dot(above)), Math.abs(point_.dot(right)) / this.aspect);
      distance = Math.max(distance, reach / tangent + point_.dot(back));
      span = Math.max(span, 2 * kMargin * reach);
    }
    return { distance, span };
  }

  setParallel(parallel) {
    if (parallel === this.isParallel) return;
    const distance = this.camera.position.distanceTo(this.controls.target);
    const from = this.camera.position.clone().sub(this.controls.target).normalize();
    const tangent = Math.tan((kFieldOfView * Math.PI) / 360);
    let reach = distance;
    if (parallel) [this.span, this.parallel.zoom] = [2 * distance * tangent, 1];
    else reach = this.span / this.parallel.zoom / 2 / tangent;
    this.camera = parallel ? this.parallel : this.perspective;
    this.camera.position.copy(this.controls.target).addScaledVector(from, reach);
    this.controls.object = this.camera;
    this.updateLens();
    this.controls.update();
    this.changed();
  }

  updateLens() {
    const half = (this.span ?? 2) / 2;
    Object.assign(this.parallel, { left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half });
    this.perspective.aspect = this.aspect;
    this.updateDepth();
    this.parallel.updateProjectionMatrix();
  }

  // Near and far follow the distance: a small part seen from close needs other limits than the whole machine.
  updateDepth() {
    const reach = 20 * this.bounds.getBoundingSphere(sphere_).radius + 1e-6;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.perspective.near = Math.max(distance * 0.01, reach * 1e-5);
    this.perspective.far = distance + reach;
    this.perspective.updateProjectionMatrix();
    this.parallel.near = -reach;
    this.parallel.far = distance + reach;
  }

  // Metres per pixel at a point.
  pixel(point) {
    if (this.isParallel) return this.span / this.parallel.zoom / this.height;
    const depth = point_.copy(point).sub(this.camera.position).dot(this.camera.getWorldDirection(ahead_));
    return (2 * Math.max(depth, 1e-9) * Math.tan((kFieldOfView * Math.PI) / 360)) / this.height;
  }
}

const sphere_ = new Sphere();
const point_ = new Vector3();
const ahead_ = new Vector3();

export function boundsOf(points, margin) {
  const bounds = new Box3();
  for (const point of points) bounds.expandByPoint(point);
  if (bounds.isEmpty()) bounds.expandByPoint(new Vector3());
  return bounds.expandByScalar(margin);
}
