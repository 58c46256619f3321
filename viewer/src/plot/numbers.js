// Numbers as engineers read them: few digits, SI prefixes, ticks at round values.

const kPrefixes = { '-12': 'p', '-9': 'n', '-6': 'µ', '-3': 'm', 0: '', 3: 'k', 6: 'M', 9: 'G' };
// Units that take a prefix. Nobody reads kiloseconds or millihertz.
const kTakesPrefix = /^(m|N|Pa|W|J|A|V)(?![²³^\d])\b/;
const kTakesLargePrefix = /^Hz\b/;
const kTakesSmallPrefix = /^(s|rad)(?![²³^\d])\b/;

const kRaised = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

const raised = (exponent) => [...String(exponent)].map((c) => kRaised[c]).join('');

const withMinus = (text) => text.replaceAll('-', '−');

// At most `digits` significant digits, without trailing zeros: 0.1235, 12 340, 1.2e−7.
export function formatNumber(value, digits = 4) {
  if (value == null || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    const short = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
    return withMinus(`${short}e${Number(exponent)}`);
  }
  return withMinus(String(Number(value.toPrecision(digits))));
}

// A unit as it is written by hand: N*m/s^2 → N·m/s².
export function writeUnit(unit) {
  return (unit ?? '').replace(/\^(-?\d+)/g, (all, power) => raised(power)).replaceAll('*', '·');
}

// The power of ten and the unit with which a quantity of this size is written: 0.012 m → {exponent: −3, unit: 'mm'}.
export function unitFor(size, unit) {
  const plain = { exponent: 0, unit: writeUnit(unit) };
  if (!(size > 0) || !Number.isFinite(size)) return plain;
  const third = Math.floor(Math.log10(size * 1.0000001) / 3) * 3;
  const small = kTakesSmallPrefix.test(unit);
  const large = kTakesLargePrefix.test(unit);
  if (!small && !large && !kTakesPrefix.test(unit)) return plain;
  const exponent = Math.min(Math.max(third, large ? 0 : -12), small ? 0 : 9);
  return { exponent, unit: kPrefixes[exponent] + plain.unit };
}

export function formatQuantity(value, unit = '', digits = 4) {
  if (value == null || !Number.isFinite(value)) return formatNumber(value);
  const written = unitFor(Math.abs(value), unit);
  return `${formatNumber(value / 10 ** written.exponent, digits)}${written.unit ? ` ${written.unit}` : ''}`;
}

// Round values in [from, to], about `count` of them; `steps` replaces 1, 2, 5 · 10ⁿ (angles).
export function niceTicks(from, to, count, steps = null) {
  if (!(to > from) || !Number.isFinite(to - from)) return [];
  const rough = (to - from) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = steps?.find((s) => s >= rough) ?? [1, 2, 5, 10].find((s) => s * power >= rough * 0.999) * power;
  const ticks = [];
  for (let k = Math.ceil(from / step - 1e-9); k * step <= to + step * 1e-9; ++k) ticks.push(k * step + 0); // + 0: no −0
  return ticks;
}

// Values between 10^from and 10^to for an axis of logarithms: decades, with 2 and 5 between few of them.
export function logTicks(from, to, count) {
  const decades = to - from;
  if (decades < 0.7) return niceTicks(10 ** from, 10 ** to, count).filter((value) => value > 0);
  const each = Math.max(1, Math.ceil(decades / Math.max(count, 1)));
  const inside = decades <= count / 3 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let n = Math.floor(from); n <= Math.ceil(to); ++n) {
    if (n % each !== 0) continue;
    for (const m of inside) ticks.push(m * 10 ** n);
  }
  return ticks.filter((value) => Math.log10(value) >= from - 1e-9 && Math.log10(value) <= to + 1e-9);
}

// How an axis from `from` to `to` (logarithms if `log`) is labelled: values of ticks, their texts, and the
// unit with the power of ten that the texts leave out.
export function labelAxis({ from, to, count, unit = '', log = false, steps = null }) {
  if (log) {
    const values = logTicks(from, to, count);
    const wide = Math.max(...values.map((v) => Math.abs(Math.log10(v)))) > 3.01;
    return { values, texts: values.map((v) => (wide ? powerText(v) : formatNumber(v, 3))), unit: writeUnit(unit) };
  }
  const values = niceTicks(from, to, count, steps);
  const size = Math.max(Math.abs(from), Math.abs(to));
  let { exponent, unit: written } = unitFor(size, unit);
  if (exponent === 0 && (size >= 1e5 || (size > 0 && size < 1e-2))) {
    exponent = Math.floor(Math.log10(size) / 3) * 3;
    written = `10${raised(exponent)}${unit ? ` ${writeUnit(unit)}` : ''}`;
  }
  const step = values.length > 1 ? (values[1] - values[0]) / 10 ** exponent : 1;
  const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), 9);
  const texts = values.map((v) => withMinus((v / 10 ** exponent + 0).toFixed(decimals)).replace(/^−(0(\.0*)?)$/, '$1'));
  return { values, texts, unit: written };
}

function powerText(value) {
  const n = Math.floor(Math.log10(value) + 1e-9);
  const m = Math.round(value / 10 ** n);
  return m === 1 ? `10${raised(n)}` : `${m}·10${raised(n)}`;
}
