// Where boxes and wires stand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutDiagram } from '../src/diagram/layout.js';

const edges = (box) => [box.x - box.width / 2, box.x + box.width / 2, box.y - box.height / 2, box.y + box.height / 2];

function overlap(a, b) {
  const [al, ar, at, ab] = edges(a);
  const [bl, br, bt, bb] = edges(b);
  return al < br && bl < ar && at < bb && bt < ab;
}

function crosses([[ax, ay], [bx, by]], box) {
  const [left, right, top, bottom] = edges(box);
  const slack = 0.5;
  return Math.max(ax, bx) > left + slack && Math.min(ax, bx) < right - slack && Math.max(ay, by) > top + slack && Math.min(ay, by) < bottom - slack;
}

function check({ boxes, wires, trunks, machine, width, height }) {
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b), `${a.name} and ${b.name} overlap`)));
  for (const { points, signal = 'machine' } of [...wires, ...trunks]) {
    points.slice(1).forEach((end, i) => {
      assert.ok(Math.abs(points[i][0] - end[0]) < 1e-6 || Math.abs(points[i][1] - end[1]) < 1e-6, `${signal} has right angles`);
      for (const box of boxes) assert.ok(!crosses([points[i], end], box), `${signal} crosses ${box.name}`);
    });
  }
  for (const wire of wires) {
    assert.ok(Math.abs(wire.points[0][0] - edges(wire.from)[1]) < 1e-6, 'a wire leaves to the right');
    assert.ok(Math.abs(wire.points.at(-1)[0] - edges(wire.to)[0]) < 1e-6, 'a wire enters from the left');
  }
  for (const box of boxes) {
    const [left, right, top, bottom] = edges(box);
    assert.ok(left >= 0 && top >= 0 && right <= width && bottom <= (machine?.y ?? height), `${box.name} is inside`);
  }
}

const block = (name, kind = 'block', outputs = [name], type = 'gain') => ({ name, type, kind, outputs });
const wire = (from, to, sign = 1) => ({ from, to, sign });

test('a loop: sensors left, actuators right, the machine below', () => {
  const made = layoutDiagram({
    blocks: [block('x', 'sensor'), block('v', 'sensor'), block('ref'), block('e', 'block', ['e'], 'sum'), block('c'), block('motor', 'actuator', [])],
    wires: [wire('ref', 'e'), wire('x', 'e', -1), wire('e', 'c'), wire('c', 'motor')],
  });
  check(made);
  const find = (name) => made.boxes.find((box) => box.name === name);
  assert.equal(find('x').column, find('v').column);
  assert.ok(made.boxes.every((box) => box.column >= find('x').column && box.column <= find('motor').column));
  assert.equal(made.trunks.length, 3);
  assert.ok(made.machine.width > find('motor').x - find('x').x);
});

test('feedback between blocks runs above all boxes', () => {
  const made = layoutDiagram({
    blocks: [block('x', 'sensor'), block('a', 'block', ['a'], 'sum'), block('b'), block('c'), block('m', 'actuator', [])],
    wires: [wire('x', 'a'), wire('a', 'b'), wire('b', 'c'), wire('c', 'a', -1), wire('b', 'b'), wire('c', 'm')],
  });
  check(made);
  const back = made.wires.filter((each) => each.back);
  assert.equal(back.length, 2);
  const top = Math.min(...made.boxes.map((box) => edges(box)[2]));
  for (const { points } of back) assert.ok(Math.min(...points.map(([, y]) => y)) < top);
});

test('forty blocks at random do not overlap, and no wire runs through a box', () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 10; ++round) {
    const blocks = [
      ...Array.from({ length: 6 }, (_, i) => block(`s${i}`, 'sensor', i % 2 ? [`s${i}`] : [`s${i}.x`, `s${i}.y`, `s${i}.z`])),
      ...Array.from({ length: 30 }, (_, i) => block(`b${i}`, 'block', [`b${i}`], i % 4 ? 'transfer_function' : 'sum')),
      ...Array.from({ length: 4 }, (_, i) => block(`a${i}`, 'actuator', [])),
    ];
    const signals = blocks.flatMap((each) => each.outputs);
    const wires = blocks.slice(6).flatMap((each) => Array.from({ length: 1 + random(3) }, () => wire(signals[random(signals.length)], each.name)));
    check(layoutDiagram({ blocks, wires }));
  }
});

test('an empty diagram and wires from nowhere are drawn as well', () => {
  assert.equal(layoutDiagram({ blocks: [], wires: [] }).boxes.length, 0);
  const made = layoutDiagram({ blocks: [block('a')], wires: [wire('nobody', 'a'), wire('a', 'nobody')] });
  assert.equal(made.wires.length, 0);
  assert.equal(made.machine, null);
});
