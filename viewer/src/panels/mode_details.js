// What one mode is made of: energies, shares of bodies and loops, where its damping comes from.
import { element } from '../element.js';
import { formatNumber } from '../scene/describe.js';

const kEnergies = [
  ['kinetic', 'kinetic', '#4b7db3'],
  ['strain', 'strain', '#2f7d4f'],
  ['control', 'control', '#7a3fc0'],
];
const kMostBars = 8;
const kNoDamping = 1e-10; // of the critical one; the program calls what grows by less stable

export function formatPercent(ratio) {
  const percent = 100 * ratio;
  return Math.abs(percent) < 0.0005 ? '0' : percent.toFixed(Math.abs(percent) < 1 ? 3 : 2).replace('-', '−');
}

export function makeDetails(mode) {
  const { energy = {}, participation = {} } = mode;
  const isFree = mode.eigenvalue.every((part) => part === 0);
  return [
    element('p', { class: 'title' }, [mode.name || '']),
    element('h3', {}, ['Energy']),
    // The little that rounding strains says nothing.
    isFree ? element('p', { class: 'hint' }, ['Nothing is strained, and nothing drives the motion.']) : makeEnergy(energy),
    ...makeShares('Moving', participation.kinetic, '#4b7db3'),
    ...(isFree ? [] : makeShares('Straining', participation.strain, '#2f7d4f')),
    ...makeShares('Loops', participation.loops, '#7a3fc0'),
    ...makeShares('Freedoms', participation.freedoms, '#57606a'),
    ...makeDamping(mode.damping_by_origin),
    makeNumbers(mode),
  ];
}

function makeEnergy(energy) {
  // A load that pushes further what has moved gives a negative part: it is drawn with stripes.
  const parts = kEnergies.map(([key, label, colour]) => ({ label, colour, share: energy[key] ?? 0 }));
  const sum = parts.reduce((total, { share }) => total + Math.abs(share), 0) || 1;
  return element('div', { class: 'energy' }, [
    element(
      'div',
      { class: 'stack', 'aria-hidden': 'true' },
      parts.map(({ share, colour }) =>
        element('span', {
          class: share < 0 ? 'negative' : null,
          style: `width: ${(100 * Math.abs(share)) / sum}%; background-color: ${colour}`,
        }),
      ),
    ),
    element(
      'div',
      { class: 'legend' },
      parts.map(({ label, share, colour }) =>
        element('span', {}, [
          element('i', { style: `background: ${colour}` }),
          `${label} ${String(Math.round(100 * share)).replace('-', '−')} %`,
        ]),
      ),
    ),
  ]);
}

// The largest first; small ones are left to the command line.
function largest(shares) {
  return Object.entries(shares ?? {})
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, kMostBars);
}

function makeShares(title, shares, colour) {
  const list = largest(shares);
  if (list.length === 0) return [];
  return [
    element('h3', {}, [title]),
    element(
      'dl',
      { class: 'bars' },
      list.flatMap(([name, value]) => makeBar(name, Math.abs(value), `${formatNumber(100 * value, 3)} %`, colour)),
    ),
  ];
}

function makeBar(name, share, text, colour) {
  const width = `${Math.min(100, 100 * share)}%`;
  return [
    element('dt', { title: name }, [name.replace(/^motion of /, '')]),
    element('dd', {}, [
      element('span', { class: 'track' }, [element('span', { style: `width: ${width}; background: ${colour}` })]),
      element('span', { class: 'value' }, [text]),
    ]),
  ];
}

// Parts of the damping ratio, without those that are rounding.
export function dampingParts(origins) {
  return largest(origins).filter(([, value]) => Math.abs(value) > kNoDamping);
}

// What drives the motion is negative and red.
function makeDamping(origins) {
  const list = dampingParts(origins);
  if (list.length === 0) return [];
  const most = Math.max(...list.map(([, value]) => Math.abs(value)));
  return [
    element('h3', {}, ['Damping by origin']),
    element(
      'dl',
      { class: 'bars' },
      list.flatMap(([name, value]) =>
        makeBar(name, Math.abs(value) / most, `${formatPercent(value)} %`, value < 0 ? 'var(--bad)' : '#8a6d00'),
      ),
    ),
  ];
}

function makeNumbers({ eigenvalue: [re, im], residual }) {
  const sign = im < 0 ? '−' : '+';
  const root =
    im === 0 ? `${formatNumber(re, 5)} 1/s` : `${formatNumber(re, 5)} ${sign} ${formatNumber(Math.abs(im), 5)} i 1/s`;
  return element('dl', { class: 'numbers' }, [
    element('dt', {}, ['Eigenvalue']),
    element('dd', {}, [root]),
    element('dt', {}, ['Residual']),
    element('dd', {}, [residual == null ? '—' : formatNumber(residual, 3)]),
  ]);
}
