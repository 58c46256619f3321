// Everything in the scene, moved together and marked together.
import { Color, MeshLambertMaterial, Scene, Vector3 } from 'three';
import { readPosition } from './attachment.js';
import { Beams } from './beams.js';
import { Bodies } from './bodies.js';
import { Nodes, Trails } from './nodes.js';
import { Parts } from './parts.js';
import { kColours } from './palette.js';
import { kFrame } from './pose.js';
import { makeAmbient, makeGrid, makeGround, makeLights, moveGrid, placeGrid, upOf } from './surroundings.js';
import { Symbols } from './symbols.js';
import { boundsOf } from './view.js';

const kBodies = 0.05; // of the machine's size: what bodies and sections add around the nodes
const kFar = 3; // times the machine's size
const kSelected = new MeshLambertMaterial({ color: kColours.selected, emissive: '#7a4a00', emissiveIntensity: 0.35 });
const kHovered = new MeshLambertMaterial({ color: kColours.hovered, emissive: '#5a4400', emissiveIntensity: 0.25 });

const size_ = new Vector3();
const drift_ = new Vector3();

// Of all nodes but ground.
function centreOf(pose, out) {
  out.set(0, 0, 0);
  const count = Math.max(1, pose.length / kFrame - 1);
  for (let i = kFrame; i < pose.length; i += kFrame) {
    out.x += pose[i];
    out.y += pose[i + 1];
    out.z += pose[i + 2];
  }
  return out.divideScalar(count);
}

export class World {
  // `changed` is called when something has come that is drawn late.
  constructor(scene, rest, source, changed) {
    this.about = scene;
    this.up = upOf(scene);
    this.scene = new Scene();
    this.scene.background = new Color('#f7f9fb');
    this.beams = new Beams(scene);
    this.bodies = new Bodies(scene);
    this.parts = new Parts(scene, source, changed);
    this.symbols = new Symbols(scene, rest);
    this.nodes = new Nodes(scene);
    this.trails = new Trails();
    this.lights = makeLights();
    this.ghosts = [];
    this.marked = [];
    this.update(rest);
    this.centre = centreOf(rest, new Vector3());
    this.bounds = this.boundsOfAll(rest);
    this.start = this.bounds.clone();
    this.grid = makeGrid(scene, this.bounds, this.up);
    this.ground = makeGround(scene);
    this.scene.add(this.grid.object, this.ground, this.lights, makeAmbient());
    this.scene.add(
      this.beams.object,
      this.bodies.object,
      this.parts.object,
      ...this.symbols.objects,
      this.nodes.object,
      this.trails.object,
    );
    this.mark(null, null);
  }

  boundsOfAll(pose) {
    const points = this.about.nodes.map((_, i) => readPosition(pose, i, new Vector3()));
    const used = points.length > 1 ? points.slice(1) : points;
    const { joints, springs } = this.about;
    const places = [...joints.map(({ at }) => [at].flat(2)), ...springs.map(({ at }) => at.flat())].flat();
    for (let i = 0; i + 2 < places.length; i += 3) used.push(new Vector3(places[i], places[i + 1], places[i + 2]));
    return boundsOf(used, 0.02 * this.about.size).expandByObject(this.bodies.object);
  }

  // Makes room for parts that have come, and answers whether it was needed.
  extend() {
    this.parts.object.updateMatrixWorld(true);
    const bounds = this.bounds.clone().expandByObject(this.parts.object);
    if (this.bounds.containsBox(bounds)) return false;
    this.bounds.copy(bounds);
    this.start.copy(bounds);
    placeGrid(this.grid, this.about, this.bounds, this.up);
    return true;
  }

  // Whether a motion leaves the start so far behind that a camera which stands still would show a dot.
  isFar(reach) {
    const size = (box) => box.getSize(size_).length();
    return Boolean(reach) && !reach.isEmpty() && size(reach) > kFar * size(this.start);
  }

  // Makes room for a motion that is not far. Answers whether anything changed.
  makeRoom(reach) {
    if (!reach || reach.isEmpty() || this.bounds.containsBox(reach) || this.isFar(reach)) return false;
    this.bounds.union(reach.clone().expandByScalar(kBodies * this.about.size));
    placeGrid(this.grid, this.about, this.bounds, this.up);
    return true;
  }

  // What flies may turn: as much room to all sides as along its longest.
  makeRoomToTurn() {
    const { x, y, z } = this.bounds.getSize(size_);
    const most = Math.max(x, y, z);
    this.bounds.expandByVector(size_.set(most - x, most - y, most - z).multiplyScalar(0.5));
    placeGrid(this.grid, this.about, this.bounds, this.up);
  }

  // How far the machine as a whole is from where it starts.
  driftOf(pose) {
    return centreOf(pose, drift_).sub(this.centre);
  }

  // The grid goes along with the camera, by whole cells and never up.
  moveGrid(shift) {
    moveGrid(this.grid, shift, this.up);
  }

  // `z`: coordinates of the parts, drawn `scale` times as large.
  update(pose, z = null, scale = 1) {
    this.beams.update(pose);
    this.bodies.update(pose);
    this.parts.update(pose, z, scale);
    this.symbols.update(pose);
    this.nodes.update(pose);
  }

  // The undeformed machine, made when it is first asked for.
  showGhost(pose, z) {
    if (pose && this.ghosts.length === 0) {
      this.ghosts = [this.beams.makeGhost(), this.bodies.makeGhost(), this.parts.makeGhost()];
      this.scene.add(...this.ghosts);
    }
    for (const ghost of this.ghosts) ghost.visible = pose !== null;
    if (!pose || (pose === this.ghostPose && this.parts.ghosts.length === this.parts.items.length)) return;
    this.ghostPose = pose;
    this.parts.updateGhost(pose, z);
    this.beams.updateGhost(pose);
    this.bodies.updateGhost(pose);
  }

  colour(shown, range) {
    this.beams.colour(shown?.values ?? null, shown?.field, range);
    this.bodies.colour(shown?.values ?? null, shown?.field, range);
    this.parts.colour(shown?.values ?? null, shown?.field, range);
  }

  mark(selected, hovered) {
    for (const [part, material] of this.marked) part.material = material;
    this.marked = [];
    for (const [choice, material] of [
      [hovered, kHovered],
      [selected, kSelected],
    ]) {
      this.itemsOf(choice).forEach(({ object }) => this.paint(object, material));
    }
    this.beams.mark(selected, hovered);
    this.nodes.mark(selected, hovered);
  }

  paint(object, material) {
    object.traverse((part) => {
      if (!part.isMesh || part.userData.behind || part.material === kHovered) return;
      this.marked.push([part, part.material]);
      part.material = material;
    });
  }

  itemsOf(choice) {
    if (!choice) return [];
    return [...this.bodies.items, ...this.parts.items, ...this.symbols.items].filter(
      ({ kind, name }) => kind === choice.kind && name === choice.name,
    );
  }

  // Nodes that stand for a choice: for trails and for looking at it.
  nodesOf(choice) {
    if (!choice) return [];
    if (choice.kind === 'node')
      return [this.about.nodes.findIndex(({ name }) => name === choice.name)].filter((i) => i >= 0);
    if (choice.kind === 'part') return this.about.parts.find(({ name }) => name === choice.name)?.nodes ?? [];
    if (choice.kind === 'beam') return this.about.beams.find(({ name }) => name === choice.name)?.nodes ?? [];
    return this.itemsOf(choice).map(({ node }) => node);
  }

  boundsOfChoice(choice, pose) {
    const nodes = this.nodesOf(choice);
    if (nodes.length === 0) return null;
    const least = choice.kind === 'beam' ? 0.02 : 0.08;
    const bounds = boundsOf(
      nodes.map((node) => readPosition(pose, node, new Vector3())),
      least * this.about.size,
    );
    for (const { object } of this.itemsOf(choice)) bounds.expandByObject(object);
    return bounds;
  }
}
