// Symbols of joints: parts that move with the first node, and parts that move with the second.
import { arrow, ball, box, cone, gear, gem, hoop, rack, rod, socket, thread } from './glyphs.js';

const twoHeads = (at, radius) => [
  cone(radius, 0.7).translate(0, 0, at),
  cone(radius, 0.7).rotateX(Math.PI).translate(0, 0, -at),
];
const plate = () => box(2.8, 2.8, 0.12);
const hinge = () => ({
  first: [rod(0.5, 2.2)],
  second: [rod(0.72, 0.35).translate(0, 0, 0.85), rod(0.72, 0.35).translate(0, 0, -0.85)],
});
const line = () => ({ first: [rod(0.14, 5)], second: [ball(0.5)] });

const kSymbols = {
  hinge,
  slider: () => ({ first: [box(0.5, 0.22, 4.2), ...twoHeads(2.4, 0.4)], second: [box(0.95, 0.6, 1.1)] }),
  cylindrical: () => ({ first: [rod(0.3, 3.4), ...twoHeads(2, 0.5)], second: [rod(0.65, 1.1)] }),
  universal: () => ({
    first: [rod(0.24, 2), ball(0.42)],
    second: [rod(0.24, 2)], // along its own axis
  }),
  spherical: () => ({ first: [socket(0.82)], second: [ball(0.65)] }),
  planar: () => ({ first: [plate(), ...arrow(1.6, 0.1)], second: [box(0.9, 0.9, 0.4).translate(0, 0, 0.25)] }),
  weld: () => ({ first: [box(0.75, 0.75, 0.75)], second: [] }),
  screw: () => ({ first: [rod(0.3, 3), thread(0.38, 2.8, 5, 0.1)], second: [rod(0.65, 0.8)] }),
  point_on_line: line,
  slide_on_beam: () => ({ first: [hoop(0.9, 0.2)], second: [ball(0.5)] }),
  point_on_plane: () => ({ first: [plate(), ...arrow(1.6, 0.1)], second: [ball(0.5)] }),
  gear: () => ({ first: [gear(1.4, 14, 0.5)], second: [rod(0.3, 1)] }),
  rack: () => ({ first: [gear(0.9, 10, 0.5).translate(0, 1, 0)], second: [rack(3.4, 7, 0.5)] }),
};
const other = () => ({ first: [gem(0.8)], second: [] });

export function makeJointParts(symbol) {
  return (kSymbols[symbol] ?? other)();
}
