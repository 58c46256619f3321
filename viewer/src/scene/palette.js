// Colours of the kinds of things, in the scene and as marks in the tree, and colour maps of fields.
import { DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace } from 'three';

export const kColours = {
  node: '#4a5560',
  body: '#8b98a5',
  beam: '#6f9cc4',
  part: '#7d9aae',
  joint: '#3d4a5c',
  spring: '#2f7d4f',
  load: '#b3261e',
  sensor: '#0b7a75',
  block: '#57606a',
  actuator: '#7a3fc0',
  selected: '#f0a000',
  hovered: '#ffd466',
  trail: '#c2185b',
};

// Stops of maps that are even to the eye: viridis for sizes, blue to red through grey for signed fields; grey, not
// white, because beams must be seen on a light ground.
const kSequential = [
  '#440154',
  '#482878',
  '#3e4989',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6ece58',
  '#b5de2b',
  '#fde725',
];
const kDiverging = ['#1b5aa6', '#4585c4', '#86b1d8', '#b6c6d4', '#c6c6c6', '#d9b9ac', '#e08f76', '#cc5546', '#a3182b'];

export function stopsOf(signed) {
  return signed ? kDiverging : kSequential;
}

// Between the stops, as the browser mixes the gradient of the colour bar: in sRGB.
export function sampleMap(signed, value) {
  const stops = stopsOf(signed);
  const at = Math.min(1, Math.max(0, value)) * (stops.length - 1);
  const i = Math.min(stops.length - 2, Math.floor(at));
  const t = at - i;
  return [1, 3, 5].map((c) => {
    const [a, b] = [stops[i], stops[i + 1]].map((stop) => parseInt(stop.slice(c, c + 2), 16));
    return Math.round(a + (b - a) * t);
  });
}

export function makeMapTexture(signed) {
  const data = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; ++i) data.set([...sampleMap(signed, i / 255), 255], 4 * i);
  const texture = new DataTexture(data, 256, 1, RGBAFormat);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

// The range that a map spans: signed fields around zero, others as they are.
export function rangeOf(low, high) {
  if (!(low <= high)) return { low: 0, high: 1, signed: false };
  const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
  if (low < -1e-6 * size && high > 0) return { low: -size, high: size, signed: true };
  if (low === high) return { low: low - 0.5 * size, high: high + 0.5 * size, signed: false };
  // What is almost nothing is meant as zero.
  return { low: low > 0 && low < 1e-3 * high ? 0 : low, high, signed: false };
}
