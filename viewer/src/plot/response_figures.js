// Figures of frequency responses, from what `frf` answers.
import { formatNumber, formatQuantity } from './numbers.js';
import { colour, kUnstable } from './palette.js';

const kFar = 6; // |L| beyond which a Nyquist plot ends
const kTurns = [1, 2, 5, 10, 15, 30, 45, 90, 180, 360];

// Degrees without jumps, from [−270°, 90°) on: integrators and delays turn backwards.
export function unwrapped(re, im) {
  let turns = 0;
  let last = null;
  return re.map((x, i) => {
    const phase = (Math.atan2(im[i], x) * 180) / Math.PI;
    if (last === null && phase >= 90) turns = -1;
    if (last !== null && Math.abs(phase - last) > 180) turns -= Math.sign(phase - last);
    last = phase;
    return phase + 360 * turns;
  });
}

// L of a loop that is cut is what comes back with the sign of negative feedback turned.
function responseOf(answer) {
  const { re, im, input, output } = answer.responses[0];
  const sign = answer.margins ? -1 : 1;
  return {
    hz: answer.frequency_hz,
    re: re.map((x) => sign * x),
    im: im.map((x) => sign * x),
    label: answer.margins ? `L, cut at ${answer.cut}` : `${output} / ${input}`,
  };
}

export function bodeFigures(answer) {
  const { hz, re, im, label } = responseOf(answer);
  const { gain_margins: gains = [], phase_margins: phases = [], gain_margin: gain, phase_margin: least } = answer.margins ?? {};
  const line = { label, x: hz, colour: colour(0) };
  const x = { label: 'frequency', unit: 'Hz', log: true };
  // Only the smallest margin is named.
  const mark = (margin, smallest, text) => ({
    type: 'x',
    at: Math.log10(margin.frequency_hz),
    text: margin.frequency_hz === smallest?.frequency_hz ? text : '',
    colour: '#6e7781',
  });
  const phase = unwrapped(re, im);
  const limits = phase.some((p) => p < -90) || answer.margins ? [{ type: 'y', at: -180, text: '−180°' }] : [];
  return [
    {
      x,
      y: { label: 'gain', unit: 'dB' },
      lines: [{ ...line, unit: 'dB', y: re.map((v, i) => 20 * Math.log10(Math.hypot(v, im[i]))) }],
      marks: [{ type: 'y', at: 0 }, ...gains.map((m) => mark(m, gain, `gain margin ${formatNumber(m.db, 3)} dB`))],
    },
    {
      x,
      y: { label: 'phase', unit: '°', steps: kTurns },
      lines: [{ ...line, unit: '°', y: phase }],
      marks: [...limits, ...phases.map((m) => mark(m, least, `phase margin ${formatNumber(m.degrees, 3)}°`))],
    },
  ];
}

export function nyquistFigure(answer) {
  const { hz, re, im, label } = responseOf(answer);
  const describe = (i) => `${formatQuantity(hz[i], 'Hz')}: ${formatNumber(re[i])} ${im[i] < 0 ? '−' : '+'} ${formatNumber(Math.abs(im[i]))} i`;
  const loop = Boolean(answer.margins);
  // An integrator goes to infinity: what matters lies about −1.
  const far = re.map((x, i) => loop && Math.hypot(x, im[i]) > kFar);
  const part = (list) => list.map((v, i) => (far[i] ? NaN : v));
  return {
    equal: true,
    height: 380,
    x: { label: 'real part', unit: '', least: loop ? [-1.4, 0.4] : undefined },
    y: { label: 'imaginary part', unit: '' },
    lines: [
      { label, x: part(re), y: part(im), colour: colour(0), describe, symbol: 'circle', size: 1.5, filled: true },
      { label: 'negative frequencies', x: part(re), y: part(im).map((v) => -v), colour: colour(0), dash: [4, 3], width: 1 },
    ],
    marks: loop
      ? [
          { type: 'ellipse', x: 0, y: 0, a: 1, b: 1, under: true },
          { type: 'point', x: -1, y: 0, symbol: 'cross', size: 6, width: 2.2, colour: kUnstable, text: '−1', textColour: kUnstable },
        ]
      : [],
  };
}

export function marginText(margins) {
  if (!margins) return '';
  const { gain_margin: gain, phase_margin: phase, delay_margin: delay, stable } = margins;
  return [
    gain ? `gain margin ${formatNumber(gain.db, 3)} dB at ${formatQuantity(gain.frequency_hz, 'Hz', 3)}` : 'no gain margin',
    phase ? `phase margin ${formatNumber(phase.degrees, 3)}° at ${formatQuantity(phase.frequency_hz, 'Hz', 3)}` : 'no phase margin',
    ...(delay != null ? [`delay margin ${formatQuantity(delay, 's', 3)}`] : []),
    ...(stable == null ? [] : [stable ? 'closed loop stable' : 'closed loop unstable']),
  ].join(' · ');
}
