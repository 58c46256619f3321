// One line about a thing of the model, for the tooltip and the tree.

const kGroups = {
  node: 'nodes',
  body: 'bodies',
  beam: 'beams',
  part: 'parts',
  joint: 'joints',
  spring: 'springs',
  load: 'loads',
  sensor: 'sensors',
  actuator: 'actuators',
};

export function findThing(scene, { kind, name }) {
  if (kind === 'block') return scene.diagram?.blocks.find((block) => block.kind === 'block' && block.name === name);
  return scene[kGroups[kind]]?.find((thing) => thing.name === name);
}

const words = (text) => String(text ?? '').replaceAll('_', ' ');
const vector = (numbers) => numbers.map((x) => formatNumber(x)).join(', ');

export function formatNumber(x, digits = 4) {
  if (x === 0 || !Number.isFinite(x)) return String(x).replace('-', '−');
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(digits - 2) : String(Number(x.toPrecision(digits)));
  return text
    .replace(/\.?0+e/, 'e')
    .replace(/e\+?(-?)0*(\d+)/, (_, sign, power) => `·10${raise(sign + power)}`)
    .replace('-', '−');
}

function raise(text) {
  return [...text].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join('');
}

export const tellPosition = (position) => `at ${vector(position)} m`;

const kDetails = {
  node: (node) => tellPosition(node.position),
  body: (body) => `${formatNumber(body.mass)} kg${body.given ? '' : ', drawn as a box of equal inertia'}`,
  beam: (beam) =>
    [
      beam.section?.name || words(beam.section?.type),
      beam.material,
      `${formatNumber(beam.length)} m`,
      `${beam.nodes.length - 1} elements`,
    ]
      .filter(Boolean)
      .join(', '),
  part: (part) => `${formatNumber(part.mass)} kg, ${part.nodes.length} interfaces, ${part.modes} modes`,
  joint: (joint) => words(joint.type),
  spring: (spring) => words(spring.type),
  load: (load) =>
    [
      isThere(load.force) && `force ${vector(load.force)} N`,
      isThere(load.torque) && `torque ${vector(load.torque)} N·m`,
      load.frame === 'body' && 'in body axes',
      load.signal && `times ${load.signal}`,
    ]
      .filter(Boolean)
      .join(', '),
  sensor: (sensor) => `${words(sensor.measure)}${sensor.joint ? ` of ${sensor.joint}` : ''}`,
  actuator: (actuator) =>
    [words(actuator.type), actuator.joint && `on ${actuator.joint}`, actuator.input && `from ${actuator.input}`]
      .filter(Boolean)
      .join(' '),
  block: (block) => words(block.type),
};

const isThere = (numbers) => numbers && numbers.some((x) => x !== 0);

export function describe(scene, choice) {
  const thing = findThing(scene, choice);
  return thing ? kDetails[choice.kind](thing) : '';
}
