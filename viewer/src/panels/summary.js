// What the model is and what is known of it, as tables: on the page, and on paper.
import './summary.css';
import { element, nameOf } from '../element.js';
import { formatNumber, formatQuantity, writeUnit } from '../plot/numbers.js';

// columns: [[title, isNumber]]; rows: [[cell]].
function table(columns, rows) {
  const cell = (tag, content, k) =>
    element(tag, { class: columns[k][1] ? 'number' : null, scope: tag === 'th' ? 'col' : null }, [content]);
  return element('div', { class: 'table' }, [
    element('table', {}, [
      element('thead', {}, [element('tr', {}, columns.map(([title], k) => cell('th', title, k)))]),
      element('tbody', {}, rows.map((row) => element('tr', {}, row.map((content, k) => cell('td', content, k))))),
    ]),
  ]);
}

const section = (title, ...content) => element('section', {}, [element('h3', {}, [title]), ...content]);

export function makeSummaryPanel({ store, scene }) {
  const results = element('div');
  const modes = element('div');
  const parameters = element('div');
  store.on(['results'], (values) => results.replaceChildren(...resultsPart(values.results)));
  store.on(['modes'], (values) => modes.replaceChildren(...modesPart(values.modes)));
  store.on(['values'], ({ values }) => parameters.replaceChildren(...parametersPart(scene.parameters, values)));
  return element('section', { class: 'summary' }, [
    element('h2', {}, [scene.title || nameOf(scene.file)]),
    element('p', { class: 'hint' }, [`${nameOf(scene.file)}${scene.version ? ` · Flexloop ${scene.version}` : ''}`]),
    ...(scene.counts.length > 0 ? [section('Model', countsPart(scene))] : []),
    ...massPart(scene.bodies),
    parameters,
    results,
    modes,
    ...textPart(scene),
  ]);
}

function countsPart({ counts, gravity }) {
  const pairs = counts.map(({ name, value }) => [name, typeof value === 'number' ? formatNumber(value, 6) : String(value)]);
  if (gravity) pairs.push(['gravity [m/s²]', gravity.map((g) => formatNumber(g)).join(', ')]);
  const entry = ([name, value]) => element('div', {}, [element('dt', {}, [name]), element('dd', {}, [value])]);
  return element('dl', { class: 'counts' }, pairs.map(entry));
}

function massPart(bodies) {
  const heavy = bodies.filter((body) => body.mass > 0);
  if (heavy.length === 0) return [];
  const total = heavy.reduce((sum, body) => sum + body.mass, 0);
  const rows = heavy.map(({ name, mass }) => [name, formatNumber(mass, 5)]);
  if (heavy.length > 1) rows.push(['all bodies', formatNumber(total, 5)]);
  return [section('Bodies', table([['body'], ['mass [kg]', true]], rows))];
}

function parametersPart(parameters, values) {
  if (parameters.length === 0) return [];
  const isChanged = ({ path, value }) => path in values && values[path] !== value;
  const rows = parameters.map((parameter) => {
    const { path, value, unit } = parameter;
    return [path, formatNumber(values[path] ?? value, 6), writeUnit(unit), isChanged(parameter) ? formatNumber(value, 6) : ''];
  });
  // The last column only where it says something.
  const columns = [['name'], ['value', true], ['unit'], ['in the model', true]].slice(0, parameters.some(isChanged) ? 4 : 3);
  return [section('Parameters', table(columns, rows.map((row) => row.slice(0, columns.length))))];
}

function resultsPart(results) {
  if (results.length === 0) return [section('Results', element('p', { class: 'hint' }, ['The model has not run.']))];
  const state = ({ complete, growing }) => (growing ? 'running' : complete ? 'complete' : 'interrupted');
  const rows = results.map((result) => [result.name, String(result.records), String(result.channels.length), state(result)]);
  return [section('Results', table([['name'], ['records', true], ['channels', true], ['state']], rows), ...results.flatMap(trustPart))];
}

// Why a run is not to be trusted, or how it failed; what is known of its accuracy is folded away.
function trustPart({ name, verdict, message, health }) {
  const warnings = [verdict, message].filter(Boolean).map((text) => element('p', { class: 'status bad' }, [`${name}: ${text}`]));
  if (!health) return warnings;
  const lines = health.split('\n').map((line) => element('li', {}, [line]));
  return [...warnings, element('details', {}, [element('summary', {}, [`Accuracy of ${name}`]), element('ul', {}, lines)])];
}

function modesPart(found) {
  if (!found) return [];
  const rows = found.modes.map(({ eigenvalue: [re, im], frequency_hz: hz, damping_ratio: damping, stable, name }, i) => [
    String(i + 1),
    formatQuantity(hz, 'Hz', 5),
    `${formatNumber(100 * damping, 3)} %`,
    im === 0 ? formatNumber(re) : `${formatNumber(re)} ± ${formatNumber(im)} i`,
    stable ? 'stable' : 'unstable',
    name ?? '',
  ]);
  const warnings = (found.warnings ?? []).map((text) => element('p', { class: 'hint' }, [text]));
  const columns = [['no.', true], ['frequency', true], ['damping', true], ['eigenvalue [rad/s]', true], ['stability'], ['motion']];
  return [section(`Modes, ${found.loop} loop`, table(columns, rows), ...warnings)];
}

function textPart({ text, file }) {
  if (!text) return [];
  const lines = text.replace(/\n$/, '').split('\n').map((line) => element('li', {}, [element('code', {}, [line || ' '])]));
  return [
    element('details', { class: 'model-text' }, [
      element('summary', {}, [`Model file ${nameOf(file)} (${lines.length} lines)`]),
      element('ol', { tabindex: 0, 'aria-label': 'model file' }, lines),
    ]),
  ];
}
