// One number of the model: slider, field, unit, way back, and the range of the slider.
import { element } from '../element.js';
import { writeUnit } from '../plot/numbers.js';

const kSteps = 1000;

// The range that a slider starts with: to twice the value, or two decades about it on a scale of logarithms.
export function rangeFor(value, log) {
  if (log && value !== 0) return value > 0 ? [value / 10, value * 10] : [value * 10, value / 10];
  if (value === 0) return [-1, 1];
  return value > 0 ? [0, 2 * value] : [2 * value, 0];
}

// Steps of the slider ↔ value. Logarithms need a range on one side of zero.
export function valueOfStep(step, [low, high], log) {
  const share = step / kSteps;
  if (log && low * high > 0) return low * (high / low) ** share;
  return low + (high - low) * share;
}

export function stepOfValue(value, [low, high], log) {
  const share = log && low * high > 0 && value * low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.round(Math.min(Math.max(share, 0), 1) * kSteps);
}

// Short enough for the field, and exact: 6.57e10 instead of 65700000000, whose end would not be seen.
export function writeNumber(value) {
  const text = String(value);
  const powers = value.toExponential().replace('e+', 'e');
  return text.length > 8 && powers.length < text.length ? powers : text;
}

// oninput(value) at every move; value undefined: as in the model.
export function makeSliderRow(parameter, oninput) {
  const { path, label, value: start, unit } = parameter;
  let range = rangeFor(start, false);
  let now = start;
  const name = path.includes('.') ? path.split('.').slice(1).join('.') : label || path;
  const written = writeUnit(unit);
  const numberField = (label, onchange) => element('input', { type: 'number', step: 'any', 'aria-label': label, onchange });
  const quiet = (text, title, label, onclick) =>
    element('button', { type: 'button', class: 'quiet', title, 'aria-label': label, onclick }, [text]);
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: kSteps,
    step: 1,
    'aria-label': `${path}, slider`,
    oninput: () => change(short(valueOfStep(slider.value, range, log.checked))),
  });
  const field = numberField(`${path}${unit ? ` in ${written}` : ''}`, () => field.value !== '' && change(Number(field.value)));
  const back = quiet('↺', `Back to ${start}`, `Reset ${path}`, () => change(start));
  const more = quiet('⋯', 'Range of the slider', `Range of ${path}`, toggle);
  more.setAttribute('aria-expanded', 'false');
  const [low, high] = ['Lowest', 'Highest'].map((end) => numberField(`${end} ${path}`, setRange));
  const log = element('input', { type: 'checkbox', onchange: () => useRange(rangeFor(now, log.checked)) });
  const limits = element('div', { class: 'limits', hidden: true }, [low, 'to', high, element('label', {}, [log, 'log'])]);
  const row = element('div', { class: 'slider-row' }, [
    element('span', { class: 'slider-name', title: path }, [name]),
    slider,
    field,
    element('span', { class: 'slider-unit', title: written }, [written]),
    back,
    more,
    limits,
  ]);

  // A slider has no more digits than pixels.
  const short = (value) => Number(value.toPrecision(4));

  function change(value) {
    set(value);
    oninput(value === start ? undefined : value);
  }

  function set(value) {
    now = value;
    slider.value = stepOfValue(value, range, log.checked);
    slider.setAttribute('aria-valuetext', `${value} ${written}`);
    if (document.activeElement !== field || Number(field.value) !== value) field.value = writeNumber(value);
    const changed = value !== start;
    row.classList.toggle('changed', changed);
    back.disabled = !changed;
  }

  function useRange(next) {
    range = next;
    [low.value, high.value] = range.map(short).map(writeNumber);
    set(now);
  }

  function setRange() {
    const next = [Number(low.value), Number(high.value)];
    if (next[1] > next[0]) useRange(next);
    else useRange(range);
  }

  function toggle() {
    limits.hidden = !limits.hidden;
    more.setAttribute('aria-expanded', String(!limits.hidden));
  }

  useRange(range);
  return { element: row, parameter, set: (value) => set(value ?? start) };
}
