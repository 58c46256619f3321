// Between which signals there are frequency responses.

// What `flexloop frf` takes: to cut, signals; as an input also loads that follow none, as an output also sensors that nothing
// reads. `firstCut` is what an actuator reads and something feeds, if there is such a loop.
export function signalsOf({ diagram, loads, sensors }, [result]) {
  const cuts = diagram.blocks.flatMap((block) => block.outputs);
  const actuators = new Set(diagram.blocks.filter((block) => block.kind === 'actuator').map((block) => block.name));
  const free = loads.filter(({ follows = [] }) => follows.every(({ signal }) => !signal)).map(({ name }) => name);
  const channels = (result?.channels ?? []).map(({ name }) => name);
  const read = sensors.flatMap(({ name }) => {
    const parts = channels.filter((channel) => channel === name || channel.startsWith(`${name}.`));
    return parts.length > 0 ? parts : [name];
  });
  return {
    cuts,
    inputs: [...free, ...cuts],
    outputs: [...new Set([...cuts, ...read])],
    firstCut: diagram.wires.find((wire) => actuators.has(wire.to) && isFed(diagram, wire.from))?.from,
  };
}

const isFed = ({ blocks, wires }, signal) =>
  blocks.some(({ name, kind, outputs }) => outputs.includes(signal) && (kind === 'sensor' || wires.some(({ to }) => to === name)));
