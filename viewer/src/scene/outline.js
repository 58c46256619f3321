// Geometry of one piece of a beam from the outlines of its cross-section. Every vertex names the end of the piece
// that it belongs to (x = 0 or 1) and its place in the section (y, z); the shader puts it where the ring is.
import { InstancedBufferGeometry, Float32BufferAttribute, ShapeUtils, Vector2 } from 'three';

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

export function makeHull(outlines) {
  const positions = [], normals = [], indices = [];
  for (const outline of outlines) {
    const corners = cornersOf(outline);
    corners.forEach((corner, i) => {
      const next = corners[(i + 1) % corners.length];
      const first = positions.length / 3;
      for (const end of [0, 1]) {
        positions.push(end, ...corner.point, end, ...next.point);
        normals.push(0, ...corner.after, 0, ...next.before);
      }
      indices.push(first, first + 1, first + 2, first + 1, first + 3, first + 2);
    });
  }
  return makeGeometry(positions, normals, indices);
}

export function makeCap(outlines) {
  const [contour, ...holes] = outlines.map((outline) => outline.map(([y, z]) => new Vector2(y, z)));
  const positions = outlines.flat().flatMap(([y, z]) => [0, y, z]);
  const normals = outlines.flat().flatMap(() => [1, 0, 0]);
  return makeGeometry(positions, normals, ShapeUtils.triangulateShape(contour, holes).flat());
}

// Along the sharp corners of a piece.
export function makeEdges(outlines) {
  const positions = outlines.flatMap((outline) =>
    cornersOf(outline)
      .filter((corner) => corner.sharp)
      .flatMap(({ point }) => [0, ...point, 1, ...point]),
  );
  return makeGeometry(positions);
}

// Around an end of a beam.
export function makeRims(outlines) {
  const positions = outlines.flatMap((outline) =>
    outline.flatMap((point, i) => [0, ...point, 0, ...outline[(i + 1) % outline.length]]),
  );
  return makeGeometry(positions);
}

export function makeAxis() {
  return makeGeometry([0, 0, 0, 1, 0, 0]);
}

function makeGeometry(positions, normals, indices) {
  const geometry = new InstancedBufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(positions, 3));
  if (normals) geometry.setAttribute('normal', new Float32BufferAttribute(normals, 3));
  if (indices) geometry.setIndex(indices);
  return geometry;
}
