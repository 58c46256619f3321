// Where the boxes and wires of a block diagram stand. dagre orders the boxes in columns and rows; wires are
// then laid by right angles, so that they read as those of a textbook:
//
//   * Between two columns is a channel without boxes. A wire turns only there, every signal at its own place.
//   * A wire that passes a column does so in the row that dagre kept free for it.
//   * A wire that goes back leaves to the right, runs above all boxes and enters from the left.
//   * The machine lies below: actuators enter it at the right, sensors leave it at the left.
import dagre from '@dagrejs/dagre';

const kSlot = 9; // px between two wires in a channel
const kValue = 48; // px for the value of a signal beside its box
const kMargin = 18;
const kLetter = 7.1; // px, of the font of names
const kPort = 15; // px between two wires at one box
const kSumPort = 20; // where signs need room

export const idOf = (block) => `${block.kind} ${block.name}`;

// What a signal is called at its box: without the name of the box.
export const portName = (block, signal) => (signal.startsWith(`${block.name}.`) ? signal.slice(block.name.length + 1) : signal);

// Room for the names of several outputs.
export function portWidth(block) {
  if (block.outputs.length < 2) return 0;
  return Math.ceil(Math.max(...block.outputs.map((signal) => portName(block, signal).length)) * kLetter * 0.86) + 6;
}

function sizeOf(block, inputs) {
  const ports = Math.max(inputs, block.outputs.length, 1);
  if (block.symbol === 'sum') return { width: 40, height: Math.max(40, (ports - 1) * kSumPort + 28) };
  const letters = Math.max(block.name.length, block.type.length * 0.86);
  return { width: Math.max(64, Math.ceil(letters * kLetter) + 24) + portWidth(block), height: Math.max(42, ports * kPort + 12) };
}

// Wires whose two ends are known: [{from, to: boxes, output, input, signal, sign}].
function connect(diagram) {
  const boxes = diagram.blocks.map((block) => ({ ...block, id: idOf(block), inputs: 0 }));
  const wires = [];
  for (const { from: signal, to: name, sign } of diagram.wires) {
    const from = boxes.find((box) => box.outputs.includes(signal));
    const to = boxes.find((box) => box.name === name && box.kind !== 'sensor');
    if (!from || !to) continue;
    wires.push({ from, to, signal, sign, output: from.outputs.indexOf(signal), input: to.inputs++ });
  }
  return { boxes, wires };
}

// dagre's columns and rows. Two boxes that are not drawn hold sensors left and actuators right.
function order(boxes, wires) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 26, edgesep: 16, ranksep: 60 });
  for (const box of boxes) graph.setNode(box.id, sizeOf(box, box.inputs));
  for (const [id, kind] of [['in', 'sensor'], ['out', 'actuator']]) {
    const held = boxes.filter((box) => box.kind === kind);
    if (held.length > 0) graph.setNode(id, { width: 1, height: 1 });
    for (const box of held) {
      const [a, b] = kind === 'sensor' ? [id, box.id] : [box.id, id];
      graph.setEdge(a, b, { weight: 50 }, id);
    }
  }
  wires.forEach((wire, i) => {
    if (wire.from !== wire.to) graph.setEdge(wire.from.id, wire.to.id, { weight: 2 }, String(i));
  });
  // Sensors without a reader and actuators without a wire find their columns by this.
  if (graph.hasNode('in') && graph.hasNode('out')) graph.setEdge('in', 'out', { weight: 0, minlen: 2 }, 'span');
  dagre.layout(graph);
  return graph;
}

// Boxes get `column`, `x`, `y` (middle), `width`, `height`.
function placeRows(boxes, graph) {
  const middles = [...new Set(boxes.map((box) => Math.round(graph.node(box.id).x)))].sort((a, b) => a - b);
  for (const box of boxes) {
    const { x, y, width, height } = graph.node(box.id);
    Object.assign(box, { y, width, height, column: middles.indexOf(Math.round(x)) });
  }
  return middles;
}

// The height of a wire at a box, of `count` on this side.
export function portY(box, index, count) {
  const apart = box.symbol === 'sum' ? kSumPort : kPort;
  return box.y + (index - (count - 1) / 2) * apart;
}

// Each wire as rows: the height in which it leaves, passes columns, and arrives.
function findRows(wires, graph, middles, top) {
  const lanes = new Map(); // of signals that go back
  wires.forEach((wire, i) => {
    const { from, to } = wire;
    const start = portY(from, wire.output, from.outputs.length);
    const end = portY(to, wire.input, to.inputs);
    if (to.column <= from.column) {
      if (!lanes.has(wire.signal)) lanes.set(wire.signal, top - kMargin - lanes.size * 12);
      Object.assign(wire, { back: true, rows: [start, lanes.get(wire.signal), end], channels: [from.column, to.column - 1] });
      return;
    }
    const points = graph.edge({ v: from.id, w: to.id, name: String(i) }).points;
    const passed = middles.slice(from.column + 1, to.column).map((x) => {
      const nearest = points.reduce((best, p) => (Math.abs(p.x - x) < Math.abs(best.x - x) ? p : best));
      return nearest.y;
    });
    wire.rows = [start, ...passed, end];
    wire.channels = wire.rows.slice(1).map((row, k) => from.column + k);
  });
  return top - (lanes.size > 0 ? kMargin + (lanes.size - 1) * 12 : 0);
}

// Places in each channel, by signal; signals that only go straight need none.
function findSlots(wires) {
  const channels = new Map();
  for (const wire of wires) {
    wire.channels.forEach((channel, k) => {
      if (!channels.has(channel)) channels.set(channel, []);
      const slots = channels.get(channel);
      const turns = Math.abs(wire.rows[k] - wire.rows[k + 1]) > 0.5;
      if (turns && !slots.includes(wire.signal)) slots.push(wire.signal);
    });
  }
  return channels;
}

function placeColumns(boxes, channels, count) {
  const starts = new Map(); // x where a channel's places begin
  let x = kMargin + 26 + (channels.get(-1)?.length ?? 0) * kSlot;
  starts.set(-1, kMargin + 18);
  for (let c = 0; c < count; ++c) {
    const column = boxes.filter((box) => box.column === c);
    const width = Math.max(...column.map((box) => box.width));
    for (const box of column) box.x = x + width / 2;
    x += width;
    const valued = column.some((box) => box.outputs.length > 0);
    const before = valued ? kValue : 12;
    starts.set(c, x + before);
    x += before + (channels.get(c)?.length ?? 0) * kSlot + 16;
  }
  return { starts, right: x };
}

function route(wire, channels, starts) {
  const points = [[wire.from.x + wire.from.width / 2, wire.rows[0]]];
  wire.channels.forEach((channel, k) => {
    const slot = channels.get(channel).indexOf(wire.signal);
    if (slot < 0) return;
    const x = starts.get(channel) + slot * kSlot;
    if (Math.abs(wire.rows[k] - wire.rows[k + 1]) > 0.5) points.push([x, wire.rows[k]], [x, wire.rows[k + 1]]);
  });
  points.push([wire.to.x - wire.to.width / 2, wire.rows.at(-1)]);
  return points;
}

// Where a signal parts: a corner of one of its wires that lies on another.
function findKnots(wires) {
  const knots = [];
  const lies = ([x, y], [[ax, ay], [bx, by]]) =>
    (ax === bx && x === ax && y > Math.min(ay, by) && y < Math.max(ay, by)) ||
    (ay === by && y === ay && x > Math.min(ax, bx) && x < Math.max(ax, bx));
  for (const wire of wires) {
    const others = wires.filter((other) => other !== wire && other.signal === wire.signal);
    for (const point of wire.points.slice(1, -1)) {
      const parts = others.some(({ points }) => points.slice(1).some((end, i) => lies(point, [points[i], end])));
      if (parts && !knots.some(([x, y]) => x === point[0] && y === point[1])) knots.push(point);
    }
  }
  return knots;
}

// The machine as one wide box below, with the wires between it and sensors and actuators.
function addMachine(boxes, right, bottom) {
  const sensors = boxes.filter((box) => box.kind === 'sensor');
  const actuators = boxes.filter((box) => box.kind === 'actuator');
  if (sensors.length + actuators.length === 0) return { machine: null, trunks: [] };
  const machine = { x: kMargin, y: bottom + 34, width: right + kMargin, height: 46 };
  const left = machine.x + 8;
  const far = machine.x + machine.width - 8;
  return {
    machine,
    trunks: [
      ...sensors.map((box) => ({ id: box.id, points: [[left, machine.y], [left, box.y], [box.x - box.width / 2, box.y]] })),
      ...actuators.map((box) => ({ id: box.id, points: [[box.x + box.width / 2, box.y], [far, box.y], [far, machine.y]] })),
    ],
  };
}

// {boxes, wires, knots, machine, trunks, width, height}; boxes by their middle, wires as corners.
export function layoutDiagram(diagram) {
  const { boxes, wires } = connect(diagram);
  if (boxes.length === 0) return { boxes, wires, knots: [], machine: null, trunks: [], width: 0, height: 0 };
  const graph = order(boxes, wires);
  const middles = placeRows(boxes, graph);
  const boxTop = Math.min(...boxes.map((box) => box.y - box.height / 2));
  const top = findRows(wires, graph, middles, boxTop) - kMargin;
  const channels = findSlots(wires);
  const { starts, right } = placeColumns(boxes, channels, middles.length);
  for (const wire of wires) wire.points = route(wire, channels, starts);
  const lowest = Math.max(...boxes.map((box) => box.y + box.height / 2), ...wires.flatMap((wire) => wire.rows));
  const { machine, trunks } = addMachine(boxes, right, lowest);
  const bottom = machine ? machine.y + machine.height : lowest;
  const size = { width: right + 3 * kMargin, height: bottom + kMargin - top };
  return shifted({ boxes, wires, knots: findKnots(wires), machine, trunks, ...size }, -top);
}

function shifted(made, down) {
  for (const box of made.boxes) box.y += down;
  for (const part of [...made.wires, ...made.trunks]) part.points = part.points.map(([x, y]) => [x, y + down]);
  made.knots = made.knots.map(([x, y]) => [x, y + down]);
  if (made.machine) made.machine.y += down;
  return made;
}
