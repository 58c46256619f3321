// A block diagram as SVG: every kind of box has its own shape.
import { portName, portWidth, portY } from './layout.js';

const kSpace = 'http://www.w3.org/2000/svg';

export function svgElement(tag, attributes = {}, children = []) {
  const made = document.createElementNS(kSpace, tag);
  for (const [name, value] of Object.entries(attributes)) if (value != null) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const text = (x, y, content, kind, anchor = 'middle') => svgElement('text', { x, y, class: kind, 'text-anchor': anchor }, [content]);

// Corners of a wire, rounded.
function pathOf(points) {
  const round = 5;
  let path = `M${points[0].join(' ')}`;
  for (let i = 1; i < points.length - 1; ++i) {
    const [x, y] = points[i];
    const toward = ([ax, ay]) => {
      const length = Math.hypot(ax - x, ay - y);
      const part = Math.min(round, length / 2) / (length || 1);
      return `${x + (ax - x) * part} ${y + (ay - y) * part}`;
    };
    path += `L${toward(points[i - 1])}Q${x} ${y} ${toward(points[i + 1])}`;
  }
  return `${path}L${points.at(-1).join(' ')}`;
}

function outline({ kind, symbol, x, y, width, height }) {
  const left = x - width / 2;
  const right = x + width / 2;
  const top = y - height / 2;
  const bottom = y + height / 2;
  if (symbol === 'sum') return svgElement('rect', { x: left, y: top, width, height, rx: width / 2 });
  if (kind === 'sensor') return svgElement('rect', { x: left, y: top, width, height, rx: Math.min(21, height / 2) });
  if (kind === 'actuator') return svgElement('path', { d: `M${left} ${top}H${right - 13}L${right} ${y}L${right - 13} ${bottom}H${left}Z` });
  return svgElement('rect', { x: left, y: top, width, height, rx: 2 });
}

function drawBox(box) {
  const isSum = box.symbol === 'sum';
  const shift = (box.kind === 'actuator' ? -4 : 0) - portWidth(box) / 2;
  const words = isSum
    ? [text(box.x, box.y + 6, 'Σ', 'sigma'), text(box.x, box.y + box.height / 2 + 13, box.name, 'name')]
    : [text(box.x + shift, box.y - 2, box.name, 'name'), text(box.x + shift, box.y + 13, box.type.replaceAll('_', ' '), 'type')];
  return svgElement(
    'g',
    { class: `box ${box.kind}`, tabindex: 0, role: 'button', 'data-id': box.id, 'aria-label': `${box.kind} ${box.name}, ${box.type}` },
    [outline(box), ...words],
  );
}

const isMinus = (sign) => sign === '-' || sign === '−' || Number(sign) < 0;

function drawWire(wire) {
  const [x, y] = wire.points.at(-1);
  const parts = [svgElement('path', { d: pathOf(wire.points), 'marker-end': 'url(#arrow)' })];
  if (isMinus(wire.sign)) parts.push(text(x - 9, y - 5, '−', 'sign'));
  else if (wire.to.symbol === 'sum') parts.push(text(x - 9, y - 5, '+', 'sign'));
  return svgElement('g', { class: 'wire', 'data-from': wire.from.id, 'data-to': wire.to.id, 'data-signal': wire.signal }, parts);
}

function arrow() {
  return svgElement('defs', {}, [
    svgElement(
      'marker',
      { id: 'arrow', viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, markerUnits: 'userSpaceOnUse', orient: 'auto' },
      [svgElement('path', { d: 'M0 0.8L10 5L0 9.2z', fill: 'context-stroke' })],
    ),
  ]);
}

// {svg, values: Map of signal to its text}
export function drawDiagram(layout, title) {
  const values = new Map();
  const labels = layout.boxes.flatMap((box) =>
    box.outputs.map((signal, k) => {
      const y = portY(box, k, box.outputs.length);
      const value = text(box.x + box.width / 2 + 5, y - 4, '', 'value', 'start');
      values.set(signal, value);
      const name = box.outputs.length > 1 ? [text(box.x + box.width / 2 - 5, y + 3, portName(box, signal), 'port', 'end')] : [];
      return svgElement('g', {}, [value, ...name]);
    }),
  );
  const { machine } = layout;
  const below = machine
    ? [
        svgElement('rect', { ...machine, rx: 4, class: 'machine' }),
        text(machine.x + machine.width / 2, machine.y + 20, 'machine', 'name'),
        text(machine.x + machine.width / 2, machine.y + 35, title, 'type'),
      ]
    : [];
  const trunks = layout.trunks.map(({ id, points }) =>
    svgElement('g', { class: 'wire trunk', 'data-from': id, 'data-to': id }, [
      svgElement('path', { d: pathOf(points), 'marker-end': 'url(#arrow)' }),
    ]),
  );
  const svg = svgElement('svg', { class: 'drawing', role: 'group', 'aria-label': 'block diagram' }, [
    arrow(),
    ...below,
    ...trunks,
    ...layout.wires.map(drawWire),
    ...layout.knots.map(([cx, cy]) => svgElement('circle', { cx, cy, r: 2.6, class: 'knot' })),
    ...layout.boxes.map(drawBox),
    ...labels,
  ]);
  return { svg, values };
}
