// Two pens with the same strokes: one draws on a canvas, one writes SVG. What is drawn with a pen looks
// the same on the page and in a file.

const n = (value) => String(Math.round(value * 100) / 100);
export const escapeXml = (text) =>
  String(text).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[c]);

// Corners of the symbols about 0, for a size of 1; a cross is two strokes.
const kCorners = {
  triangle: [[0, -1.15], [1, 0.75], [-1, 0.75]],
  square: [[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
  diamond: [[0, -1.2], [1.2, 0], [0, 1.2], [-1.2, 0]],
};
const kCross = [[[-1, -1], [1, 1]], [[-1, 1], [1, -1]]];

// Calls move(x, y) or line(x, y) for every point; numbers that are none make gaps.
function trace(xs, ys, move, line) {
  let down = false;
  for (let i = 0; i < xs.length; ++i) {
    const drawn = Number.isFinite(xs[i]) && Number.isFinite(ys[i]);
    if (drawn) (down ? line : move)(xs[i], ys[i]);
    down = drawn;
  }
}

export function canvasPen(context, ratio) {
  const stroke = ({ colour, width = 1.5, dash = [] }) => {
    context.strokeStyle = colour;
    context.lineWidth = width * ratio;
    context.lineJoin = 'round';
    context.setLineDash(dash.map((d) => d * ratio));
    context.stroke();
  };
  const shape = (corners, x, y, size) => {
    corners.forEach(([a, b], i) => context[i ? 'lineTo' : 'moveTo']((x + a * size) * ratio, (y + b * size) * ratio));
  };
  return {
    line(xs, ys, style) {
      context.beginPath();
      trace(xs, ys, (x, y) => context.moveTo(x * ratio, y * ratio), (x, y) => context.lineTo(x * ratio, y * ratio));
      stroke(style);
    },
    rectangle(x, y, width, height, fill) {
      context.fillStyle = fill;
      context.fillRect(x * ratio, y * ratio, width * ratio, height * ratio);
    },
    ellipse(x, y, a, b, style) {
      context.beginPath();
      context.ellipse(x * ratio, y * ratio, a * ratio, b * ratio, 0, 0, 2 * Math.PI);
      stroke(style);
    },
    symbol(kind, x, y, size, style) {
      context.beginPath();
      if (kind === 'cross') kCross.forEach((corners) => shape(corners, x, y, size));
      else if (kind === 'circle') context.arc(x * ratio, y * ratio, size * ratio, 0, 2 * Math.PI);
      else shape(kCorners[kind], x, y, size), context.closePath();
      if (style.filled && kind !== 'cross') {
        context.fillStyle = style.colour;
        context.fill();
      }
      stroke(style);
    },
    text(x, y, text, { colour, anchor = 'start', size = 11 }) {
      context.fillStyle = colour;
      context.font = `${size * ratio}px system-ui, sans-serif`;
      context.textAlign = { start: 'left', middle: 'center', end: 'right' }[anchor];
      context.fillText(text, x * ratio, y * ratio);
    },
  };
}

export function svgPen(parts) {
  const strokeText = ({ colour, width = 1.5, dash = [] }) =>
    `stroke="${colour}" stroke-width="${width}"${dash.length ? ` stroke-dasharray="${dash.join(' ')}"` : ''}`;
  const corners = (list, x, y, size) => list.map(([a, b], i) => `${i ? 'L' : 'M'}${n(x + a * size)} ${n(y + b * size)}`).join('');
  return {
    line(xs, ys, style) {
      let path = '';
      trace(xs, ys, (x, y) => (path += `M${n(x)} ${n(y)}`), (x, y) => (path += `L${n(x)} ${n(y)}`));
      if (path) parts.push(`<path d="${path}" fill="none" stroke-linejoin="round" ${strokeText(style)}/>`);
    },
    rectangle(x, y, width, height, fill) {
      parts.push(`<rect x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}" fill="${fill}"/>`);
    },
    ellipse(x, y, a, b, style) {
      parts.push(`<ellipse cx="${n(x)}" cy="${n(y)}" rx="${n(a)}" ry="${n(b)}" fill="none" ${strokeText(style)}/>`);
    },
    symbol(kind, x, y, size, style) {
      const fill = style.filled ? style.colour : 'none';
      if (kind === 'circle') {
        parts.push(`<circle cx="${n(x)}" cy="${n(y)}" r="${n(size)}" fill="${fill}" ${strokeText(style)}/>`);
        return;
      }
      const path = kind === 'cross' ? kCross.map((c) => corners(c, x, y, size)).join('') : `${corners(kCorners[kind], x, y, size)}Z`;
      parts.push(`<path d="${path}" fill="${kind === 'cross' ? 'none' : fill}" ${strokeText(style)}/>`);
    },
    text(x, y, text, { colour, anchor = 'start', size = 11, turned = false, bold = false }) {
      const turn = turned ? ` transform="rotate(-90 ${n(x)} ${n(y)})"` : '';
      const weight = bold ? ' font-weight="600"' : '';
      parts.push(
        `<text x="${n(x)}" y="${n(y)}" fill="${colour}" font-size="${size}" text-anchor="${anchor}"${weight}${turn}>${escapeXml(text)}</text>`,
      );
    },
  };
}
