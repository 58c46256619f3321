// One piece of a beam from the outlines of its cross-section. Every vertex names the end of the piece that it belongs to
// (x = 0 or 1) and its place in the section (y, z); the shader puts it where the ring is.
import { BufferAttribute, BufferGeometry, ShapeUtils, Vector2 } from 'three';

// Corners that turn by less than this are drawn as round.
const kSharp = (35 * Math.PI) / 180;

export function makeOutlines(section, size) {
  const outlines = (section?.outlines ?? []).filter((outline) => outline.length > 2);
  if (outlines.length === 0) return [circleOf(0.003 * size)];
  return outlines.map((outline, i) => {
    const open = withoutClosingPoint(outline);
    const counterClockwise = ShapeUtils.area(open.map(([y, z]) => new Vector2(y, z))) > 0;
    return counterClockwise === (i === 0) ? open : [...open].reverse();
  });
}

function withoutClosingPoint(outline) {
  const [first, last] = [outline[0], outline[outline.length - 1]];
  return first[0] === last[0] && first[1] === last[1] ? outline.slice(0, -1) : outline;
}

// Fewer corners for a round outline: every other one, until there are not more than `most`.
export function thinOut(outline, most) {
  const isRound = cornersOf(outline).every((corner) => !corner.sharp);
  return isRound && outline.length > most
    ? thinOut(
        outline.filter((_, i) => i % 2 === 0),
        most,
      )
    : outline;
}

// A section that is known by its stiffness only is drawn as a thin rod.
function circleOf(radius) {
  return Array.from({ length: 16 }, (_, i) => {
    const angle = (i * Math.PI) / 8;
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

// Outward of the material: outer outlines run counter-clockwise, holes clockwise.
function normalsOf(outline) {
  return outline.map(([y, z], i) => {
    const [nextY, nextZ] = outline[(i + 1) % outline.length];
    const length = Math.hypot(nextY - y, nextZ - z) || 1;
    return [(nextZ - z) / length, (y - nextY) / length];
  });
}

function cornersOf(outline) {
  const normals = normalsOf(outline);
  return outline.map((point, i) => {
    const before = normals[(i + outline.length - 1) % outline.length];
    const after = normals[i];
    const sharp = Math.acos(Math.min(1, Math.max(-1, before[0] * after[0] + before[1] * after[1]))) > kSharp;
    const length = Math.hypot(before[0] + after[0], before[1] + after[1]) || 1;
    const mean = [(before[0] + after[0]) / length, (before[1] + after[1]) / length];
    return { point, sharp, before: sharp ? before : mean, after: sharp ? after : mean };
  });
}

// Vertices at round corners are shared, at sharp ones there is one for each side. `outsideOnly` leaves out the walls of
// holes, which are seen through the ends only.
export function makeHull(outlines, outsideOnly) {
  const positions = [];
  const normals = [];
  const indices = [];
  const add = ({ point }, normal) => {
    for (const end of [0, 1]) {
      positions.push(end, ...point);
      normals.push(0, ...normal);
    }
    return positions.length / 3 - 2;
  };
  for (const outline of outsideOnly ? outlines.slice(0, 1) : outlines) {
    const corners = cornersOf(outline);
    const leaving = corners.map((corner) => add(corner, corner.after));
    const arriving = corners.map((corner, i) => (corner.sharp ? add(corner, corner.before) : leaving[i]));
    corners.forEach((_, i) => {
      const a = leaving[i];
      const b = arriving[(i + 1) % corners.length];
      indices.push(a, b, a + 1, b, b + 1, a + 1);
    });
  }
  return { positions, normals, indices };
}

export function makeCap(outlines) {
  const [contour, ...holes] = outlines.map((outline) => outline.map(([y, z]) => new Vector2(y, z)));
  const positions = outlines.flat().flatMap(([y, z]) => [0, y, z]);
  const normals = outlines.flat().flatMap(() => [1, 0, 0]);
  return { positions, normals, indices: ShapeUtils.triangulateShape(contour, holes).flat() };
}

// Along the sharp corners of a piece.
export function makeEdges(outlines) {
  const positions = outlines.flatMap((outline) =>
    cornersOf(outline)
      .filter((corner) => corner.sharp)
      .flatMap(({ point }) => [0, ...point, 1, ...point]),
  );
  return { positions };
}

// Around an end of a beam.
export function makeRims(outlines) {
  const positions = outlines.flatMap((outline) =>
    outline.flatMap((point, i) => [0, ...point, 0, ...outline[(i + 1) % outline.length]]),
  );
  return { positions };
}

export function makeAxis() {
  return { positions: [0, 0, 0, 1, 0, 0] };
}

// All pieces in one geometry: `parts` holds [piece, [[ring, beam], …]]. One draw call for thousands of small pieces is
// what graphics cards do best; instances of so few vertices are slower.
export function spread(parts) {
  const vertices = parts.reduce((sum, [piece, places]) => sum + (piece.positions.length / 3) * places.length, 0);
  const corners = parts.reduce((sum, [piece, places]) => sum + (piece.indices?.length ?? 0) * places.length, 0);
  const position = new Float32Array(3 * vertices);
  const normal = corners > 0 ? new Float32Array(3 * vertices) : null;
  const ring = new Float32Array(vertices);
  const beam = new Float32Array(vertices);
  const index = new Uint32Array(corners);
  let v = 0;
  let c = 0;
  for (const [piece, places] of parts) {
    const count = piece.positions.length / 3;
    for (const [ringOf, beamOf] of places) {
      position.set(piece.positions, 3 * v);
      normal?.set(piece.normals, 3 * v);
      ring.fill(ringOf, v, v + count);
      beam.fill(beamOf, v, v + count);
      for (const i of piece.indices ?? []) index[c++] = v + i;
      v += count;
    }
  }
  const geometry = new BufferGeometry();
  const attributes = { position: [position, 3], normal: [normal, 3], ring: [ring, 1], beam: [beam, 1] };
  for (const [name, [array, size]] of Object.entries(attributes)) {
    if (array) geometry.setAttribute(name, new BufferAttribute(array, size));
  }
  if (corners > 0) geometry.setIndex(new BufferAttribute(index, 1));
  return geometry;
}
