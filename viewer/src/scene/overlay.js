// What lies over the machine: buttons for the view, the axes, the tooltip, the colour bar, and what is shown.
import { Quaternion, Vector3 } from 'three';
import { element } from '../element.js';
import { describe, formatNumber } from './describe.js';
import { stopsOf } from './palette.js';
import { kAxes } from './surroundings.js';

const kSvg = 'http://www.w3.org/2000/svg';
const kArm = 30; // pixels, of the axes in the corner

export function makeToolbar(actions, layers) {
  const button = (text, title, onclick) =>
    element('button', { type: 'button', title, 'aria-label': title, onclick }, [text]);
  const parallel = button('Parallel', 'Parallel projection instead of perspective', () => {
    parallel.setAttribute('aria-pressed', String(actions.toggleParallel()));
  });
  parallel.setAttribute('aria-pressed', 'false');
  const follow = button('Follow', 'The camera moves with the machine', () => actions.toggleFollow());
  actions.onFollow((follows) => follow.setAttribute('aria-pressed', String(follows)));
  const sides = kAxes.flatMap(({ name, direction }) =>
    [1, -1].map((sign) =>
      button(`${sign > 0 ? '+' : '−'}${name}`, `View from ${sign > 0 ? '+' : '−'}${name}`, () =>
        actions.lookAlong(direction.map((x) => sign * x)),
      ),
    ),
  );
  return element('div', { class: 'view-tools', role: 'toolbar', 'aria-label': 'view' }, [
    element('div', {}, [
      button('Home', 'Home view (H)', actions.home),
      button('Fit', 'Fit the selection (F)', actions.fit),
      parallel,
      follow,
    ]),
    element('div', {}, sides),
    makeLayers(layers),
  ]);
}

function makeLayers(layers) {
  const boxes = layers.map(({ label, shown, set }) =>
    element('label', {}, [
      element('input', { type: 'checkbox', checked: shown, onchange: (event) => set(event.target.checked) }),
      label,
    ]),
  );
  return element('details', {}, [element('summary', {}, ['Show']), element('div', { class: 'layers' }, boxes)]);
}

// The axes of ground, and gravity, as the camera sees them.
export function makeCompass(scene, lookAlong) {
  const picture = document.createElementNS(kSvg, 'svg');
  picture.setAttribute('viewBox', '-44 -44 88 88');
  picture.setAttribute('class', 'compass');
  picture.setAttribute('role', 'img');
  picture.setAttribute('aria-label', 'axes of ground and gravity');
  const gravity = new Vector3(...(scene.gravity ?? [0, 0, 0]));
  const arms = kAxes.map(({ name, direction, colour }) => makeArm(name, new Vector3(...direction), colour));
  arms.forEach((arm, i) => arm.group.addEventListener('click', () => lookAlong(kAxes[i].direction)));
  if (gravity.lengthSq() > 0) arms.push(makeArm('g', gravity.normalize(), '#57606a', 0.62));
  picture.append(...arms.map(({ group }) => group));
  const drawn = new Quaternion(0, 0, 0, 0);
  const update = (camera) => {
    if (drawn.equals(camera.quaternion)) return; // elements are dear
    drawn.copy(camera.quaternion);
    turn_.copy(camera.quaternion).invert();
    for (const arm of arms) placeArm(arm);
    // The arms that point to the eye are drawn last.
    [...arms].sort((a, b) => a.depth - b.depth).forEach(({ group }) => picture.append(group));
  };
  return { picture, update };
}

const turn_ = new Quaternion();
const seen_ = new Vector3();

function makeArm(name, direction, colour, length = 1) {
  const make = (tag, attributes) => {
    const made = document.createElementNS(kSvg, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const group = make('g', { class: name === 'g' ? 'gravity' : 'axis' });
  const line = make('line', {
    stroke: colour,
    'stroke-width': name === 'g' ? 1.5 : 2.5,
    'stroke-linecap': 'round',
    'stroke-dasharray': name === 'g' ? '3 3' : 'none',
  });
  const label = make('text', { fill: colour, 'text-anchor': 'middle', 'dominant-baseline': 'central' });
  label.textContent = name;
  group.append(line, label);
  return { group, line, label, direction, length, depth: 0 };
}

function placeArm(arm) {
  seen_
    .copy(arm.direction)
    .applyQuaternion(turn_)
    .multiplyScalar(kArm * arm.length);
  arm.depth = seen_.z;
  arm.line.setAttribute('x2', seen_.x.toFixed(1));
  arm.line.setAttribute('y2', (-seen_.y).toFixed(1));
  const out = 1 + 9 / Math.max(9, Math.hypot(seen_.x, seen_.y));
  arm.label.setAttribute('x', (seen_.x * out).toFixed(1));
  arm.label.setAttribute('y', (-seen_.y * out).toFixed(1));
}

// `tellNow(choice)`: what is known of it at this time.
export function makeTooltip(scene, tellNow) {
  const name = element('strong');
  const kind = element('span');
  const detail = element('div', { class: 'detail' });
  const tooltip = element('div', { class: 'scene-tip', role: 'tooltip', hidden: true }, [
    element('div', {}, [name, ' ', kind]),
    detail,
  ]);
  const show = (choice, x, y, width) => {
    tooltip.hidden = choice === null;
    if (!choice) return;
    name.textContent = choice.name;
    kind.textContent = choice.kind;
    // A node is where it is now; where it starts is told by the tree.
    const given = choice.kind === 'node' ? '' : describe(scene, choice);
    detail.textContent = [given, tellNow(choice)].filter(Boolean).join(', ');
    tooltip.style.left = x > width / 2 ? '' : `${x + 14}px`;
    tooltip.style.right = x > width / 2 ? `${width - x + 10}px` : '';
    tooltip.style.top = `${y + 12}px`;
  };
  return { tooltip, show };
}

export function makeColourBar() {
  const title = element('div', { class: 'title' });
  const ramp = element('div', { class: 'ramp' });
  const marks = [0, 1, 2].map(() => element('span'));
  const bar = element('div', { class: 'colour-bar', hidden: true }, [
    title,
    ramp,
    element('div', { class: 'marks' }, marks),
  ]);
  let drawn = '';
  const show = (field, range) => {
    bar.hidden = !field;
    if (!field) return;
    const key = `${field.name} ${range.low} ${range.high}`;
    if (key === drawn) return;
    drawn = key;
    title.textContent = field.unit
      ? `${field.label || field.name} [${field.unit.replaceAll('*', '·')}]`
      : field.label || field.name;
    ramp.style.background = `linear-gradient(to right, ${stopsOf(range.signed).join(', ')})`;
    [range.low, (range.low + range.high) / 2, range.high].forEach(
      (value, i) => (marks[i].textContent = formatNumber(value, 3)),
    );
  };
  return { bar, show };
}
