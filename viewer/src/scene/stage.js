// The machine in 3-D: draws when something has changed, and lets things be pointed at.
import { WebGLRenderer } from 'three';
import './scene.css';
import { element } from '../element.js';
import { formatNumber, tellPosition } from './describe.js';
import { Forces } from './forces.js';
import { Motion } from './motion.js';
import { makeColourBar, makeCompass, makeToolbar, makeTooltip } from './overlay.js';
import { rangeOf } from './palette.js';
import { Picker } from './pick.js';
import { restPose } from './pose.js';
import { View } from './view.js';
import { World } from './world.js';

const kDrag = 4; // pixels: a shorter way of the pointer is a click
const kMostTrails = 12;

export function makeStage(page) {
  try {
    return new Stage(page).element;
  } catch (error) {
    // Everything else on the page works without the picture.
    if (!/WebGL/i.test(error.message)) throw error;
    return element('div', { class: 'canvas' }, [
      element('p', { class: 'no-picture' }, [
        'This browser cannot draw in 3-D: it offers no WebGL 2. Plots and tables work all the same.',
      ]),
    ]);
  }
}

class Stage {
  constructor(page) {
    const { store, scene } = page;
    Object.assign(this, { store, scene });
    const rest = restPose(scene.nodes);
    this.canvas = element('canvas', {
      tabindex: '0',
      'aria-label': 'The machine in 3-D. Drag to turn, wheel to zoom; H home view, F fit selection.',
    });
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.world = new World(scene, rest, page.source, (error) => this.meetPart(error));
    this.view = new View(this.canvas, this.world.bounds, this.world.up, () => this.redraw());
    this.motion = new Motion(
      page,
      rest,
      () => this.redraw(),
      (notice) => store.set({ notice }),
      this.world.parts,
    );
    this.forces = new Forces(page, () => this.redraw());
    this.picker = new Picker(this.canvas, this.view, this.world);
    this.hovered = null;
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) store.set({ swinging: false });
    this.element = this.makeElement();
    this.listen();
    window.flexloop = { store, nodePosition: (name) => this.nodePosition(name) };
  }

  makeElement() {
    const { world, view, store } = this;
    this.compass = makeCompass(this.scene, (axis) => view.lookAlong(axis));
    this.tip = makeTooltip(this.scene, (choice) => this.tellNow(choice));
    this.bar = makeColourBar();
    this.status = element('div', { class: 'scene-status' });
    const actions = {
      home: () => view.home(),
      fit: () => this.fitSelection(),
      lookAlong: (axis) => view.lookAlong(axis),
      toggleParallel: () => {
        view.setParallel(!view.isParallel);
        return view.isParallel;
      },
      toggleFollow: () => store.set({ follow: !store.get('follow') }),
      onFollow: (listener) => store.on(['follow'], ({ follow }) => listener(follow)),
    };
    return element('div', { class: 'canvas' }, [
      this.canvas,
      this.status,
      makeToolbar(actions, this.makeLayers()),
      this.bar.bar,
      this.compass.picture,
      element('div', { class: 'grid-size' }, [`grid ${formatNumber(world.grid.cell)} m`]),
      this.tip.tooltip,
    ]);
  }

  makeLayers() {
    const { world } = this;
    const layer = (label, ...objects) => ({
      label,
      shown: true,
      empty: objects.every(({ isGroup, children }) => isGroup && children.length === 0),
      set: (shown) => {
        objects.forEach((object) => (object.visible = shown));
        this.redraw();
      },
    });
    const { groups } = world.symbols;
    this.ghost = true;
    return [
      layer('beams', world.beams.object),
      layer('bodies', world.bodies.object),
      layer('parts', world.parts.object),
      layer('joints', groups.joint),
      layer('springs', groups.spring),
      layer('loads', groups.load),
      layer('sensors', groups.sensor),
      layer('actuators', groups.actuator),
      layer('nodes', world.nodes.object),
      { label: 'inner nodes', shown: false, set: (shown) => this.showInner(shown) },
      layer('grid and axes', world.grid.object, world.ground),
      { label: 'undeformed machine', shown: true, set: (shown) => this.redraw((this.ghost = shown)) },
    ].filter(({ empty }) => !empty);
  }

  // Surfaces come after the machine is first drawn.
  meetPart(error) {
    if (error) this.store.set({ notice: error.message });
    if (this.world.extend() && !this.touched) this.view.home();
    if (this.motion) this.markAll();
  }

  showInner(shown) {
    this.world.nodes.inner = shown;
    this.markAll();
  }

  listen() {
    const { store, canvas } = this;
    new ResizeObserver(() => this.resize()).observe(this.element);
    store.on(['selected', 'trails'], () => this.markAll());
    store.on(['time', 'moves', 'modes', 'mode', 'scale', 'amplitude', 'colour', 'swinging', 'decay', 'follow'], () =>
      this.redraw(),
    );
    canvas.addEventListener('pointermove', (event) => this.point(event));
    canvas.addEventListener('pointerleave', () => this.hover(null));
    canvas.addEventListener('pointerdown', (event) => (this.pressed = [event.offsetX, event.offsetY]));
    for (const kind of ['pointerdown', 'wheel'])
      canvas.addEventListener(kind, () => (this.touched = true), { passive: true });
    canvas.addEventListener('pointerup', (event) => this.release(event));
    document.addEventListener('keydown', (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const key = event.key.toLowerCase();
    if (key === 'h') this.view.home();
    else if (key === 'f') this.fitSelection();
    else if (key === 'escape') this.store.set({ selected: null });
  }

  point(event) {
    if (event.buttons !== 0) return;
    this.pointer = [event.offsetX, event.offsetY];
    this.redraw();
  }

  release(event) {
    const [x, y] = this.pressed ?? [Infinity, Infinity];
    if (event.button !== 0 || Math.hypot(event.offsetX - x, event.offsetY - y) > kDrag) return;
    this.store.set({ selected: this.picker.at(event.offsetX, event.offsetY) });
  }

  hover(choice) {
    const [x, y] = this.pointer ?? [0, 0];
    this.tip.show(choice, x, y, this.canvas.clientWidth);
    this.canvas.style.cursor = choice ? 'pointer' : '';
    if (choice?.kind === this.hovered?.kind && choice?.name === this.hovered?.name) return;
    this.hovered = choice;
    this.markAll();
  }

  markAll() {
    const selected = this.store.get('selected');
    this.world.mark(selected, this.hovered);
    this.world.trails.follow(this.store.get('trails') ? this.trailNodes(selected) : []);
    this.redraw();
  }

  // Of the selection, or of bodies and given nodes where nothing is selected.
  trailNodes(selected) {
    const chosen = this.world.nodesOf(selected);
    if (chosen.length > 0) return selected.kind === 'beam' ? [chosen[0], chosen.at(-1)] : chosen;
    const given = this.scene.nodes.map((_, i) => i).filter((i) => i > 0 && !this.scene.nodes[i].inner);
    return [...new Set([...this.scene.bodies.map(({ node }) => node), ...given])].slice(0, kMostTrails);
  }

  fitSelection() {
    this.view.fit(this.world.boundsOfChoice(this.store.get('selected'), this.motion.pose) ?? this.world.bounds);
  }

  nodePosition(name) {
    const node = this.scene.nodes.findIndex((n) => n.name === name);
    return node < 0 ? null : this.motion.position(node);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    const first = this.view.height === undefined;
    this.view.resize(width, height);
    if (first) this.view.home();
    this.draw(performance.now());
  }

  redraw() {
    if (this.asked || !this.view?.height) return;
    this.asked = true;
    requestAnimationFrame((now) => {
      this.asked = false;
      this.draw(now);
    });
  }

  draw(now) {
    const { world, view, motion, store } = this;
    const waiting = motion.update(now);
    store.set({ waiting });
    world.update(motion.pose, motion.coordinates, motion.partScale);
    this.drawForces();
    if (world.makeRoom(motion.reach) && !this.touched) view.home();
    this.followMachine();
    this.drawField();
    this.drawTrails();
    world.showGhost(motion.showsMode && this.ghost ? motion.ghostPose : null, motion.ghostCoordinates);
    if (this.pointer) this.lookUnderPointer();
    view.updateDepth();
    world.symbols.resize((point) => view.pixel(point));
    world.lights.quaternion.copy(view.camera.quaternion);
    this.renderer.render(world.scene, view.camera);
    this.compass.update(view.camera);
    this.tellStatus(waiting);
    if (!waiting) this.canvas.dataset.ready = 'true';
    if (motion.showsMode && store.get('swinging')) this.redraw();
    else motion.last = null;
  }

  // What leaves the view is followed, unless the user has decided otherwise.
  followMachine() {
    const { world, view, motion, store } = this;
    if (store.get('follow') === null && world.isFar(motion.reach)) {
      world.makeRoomToTurn();
      if (!this.touched) view.home();
      store.set({ follow: true });
    }
    if (!store.get('follow')) return;
    // A mode swings about a state that stands still.
    const shift = world.driftOf(motion.showsMode ? motion.ghostPose : motion.pose);
    view.moveTo(shift);
    world.moveGrid(shift);
  }

  // Arrows have their full length as the machine starts, and in modes.
  drawForces() {
    const { motion, forces, store } = this;
    const isInTime = !motion.showsMode && motion.run !== null;
    const time = store.get('time');
    this.world.symbols.showForces((item) => (isInTime ? forces.partAt(item, time) : 1));
  }

  tellNow({ kind, name }) {
    if (kind === 'node') return tellPosition(this.motion.truePosition(this.scene.nodes.findIndex((n) => n.name === name)));
    if (this.motion.showsMode || (kind !== 'load' && kind !== 'actuator')) return '';
    const value = this.forces.valueAt({ kind, name }, this.store.get('time'));
    return value === null ? '' : kind === 'load' ? `now × ${formatNumber(value)}` : `now ${formatNumber(value)}`;
  }

  drawField() {
    const shown = this.motion.fieldNow();
    const range = shown ? rangeOf(shown.field.low, shown.field.high) : null;
    this.bar.show(shown?.field, range);
    // While values are on their way, the last ones stay.
    if (!shown || shown.values) this.world.colour(shown, range);
  }

  drawTrails() {
    const { motion, world, store } = this;
    const { run } = motion;
    world.trails.object.visible = !motion.showsMode && run?.time != null;
    if (!world.trails.object.visible || world.trails.lines.length === 0) return;
    world.trails.update(motion.pose, run.find(store.get('time')).record, (record, node) => run.nodeAt(record, node));
  }

  lookUnderPointer() {
    const [x, y] = this.pointer;
    this.hover(this.picker.at(x, y));
    this.pointer = null;
  }

  tellStatus(waiting) {
    const { motion, store } = this;
    const parts = [];
    if (motion.showsMode) parts.push(`Mode ${store.get('mode') + 1}`, motion.mode.name);
    else if (motion.run) parts.push(motion.run.result.name || motion.run.result.id);
    else parts.push('as it starts', store.get('results').find(({ id }) => id === store.get('result'))?.still);
    if (!motion.showsMode && store.get('scale') !== 1) parts.push(`displacement × ${store.get('scale')}`);
    if (waiting) parts.push('loading …');
    const text = parts.filter(Boolean).join(' · ');
    if (this.status.textContent !== text) this.status.textContent = text;
  }
}

// Keys belong to a field while it is being filled in.
function isTyping(target) {
  return target.closest?.('input:not([type=range], [type=checkbox]), textarea, select, [contenteditable]') != null;
}
