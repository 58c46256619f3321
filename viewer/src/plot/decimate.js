// Fewer points that look the same: of every column of pixels the first, lowest, highest and last one. Lines
// of a million points are searched by blocks whose lowest and highest are known, so that a zoom is smooth.

const kBlock = 256;
const blocksOf = new WeakMap(); // of each array of values

// The first index whose value is not below `value`, from `low` on; `sorted` rises.
export function lowerBound(sorted, value, low = 0) {
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Indices of samples from `from` to `to`, and one beyond each end so that lines run to the border.
export function windowOf(x, from, to) {
  return [Math.max(lowerBound(x, from) - 1, 0), Math.min(lowerBound(x, to) + 1, x.length)];
}

export function nearestIndex(x, value) {
  const after = lowerBound(x, value);
  if (after === 0) return x.length > 0 ? 0 : -1;
  if (after === x.length) return x.length - 1;
  return value - x[after - 1] <= x[after] - value ? after - 1 : after;
}

// Adds y[first … end) to `found`: {low, high, gap}; numbers that are not finite are gaps.
function scan(y, first, end, found) {
  for (let i = first; i < end; ++i) {
    const value = y[i];
    if (!Number.isFinite(value)) found.gap = true;
    else {
      if (value < found.low) found.low = value;
      if (value > found.high) found.high = value;
    }
  }
  return found;
}

const nothing = () => ({ low: Infinity, high: -Infinity, gap: false });

function blocks(y) {
  if (!blocksOf.has(y)) {
    const all = [];
    for (let i = 0; i < y.length; i += kBlock) all.push(scan(y, i, Math.min(i + kBlock, y.length), nothing()));
    blocksOf.set(y, all);
  }
  return blocksOf.get(y);
}

function survey(y, first, end) {
  if (end - first < 3 * kBlock) return scan(y, first, end, nothing());
  const all = blocks(y);
  const start = Math.ceil(first / kBlock);
  const stop = Math.floor(end / kBlock);
  const found = scan(y, first, start * kBlock, nothing());
  for (let b = start; b < stop; ++b) {
    const block = all[b];
    if (block.low < found.low) found.low = block.low;
    if (block.high > found.high) found.high = block.high;
    if (block.gap) found.gap = true;
  }
  return scan(y, stop * kBlock, end, found);
}

// [lowest, highest] of the finite numbers of y[first … end); null if there is none.
export function extent(y, first = 0, end = y.length) {
  const { low, high } = survey(y, first, end);
  return low <= high ? [low, high] : null;
}

// {x, y} of at most 5 points a column. A column with a gap (a number that is none) keeps one.
export function decimate(x, y, from, to, columns) {
  const [first, end] = windowOf(x, from, to);
  if (end - first <= 4 * columns) return { x: x.slice(first, end), y: y.slice(first, end) };
  const out = { x: [], y: [] };
  const push = (atX, atY) => {
    out.x.push(atX);
    out.y.push(atY);
  };
  let start = first;
  for (let c = 1; c <= columns && start < end; ++c) {
    const stop = c === columns ? end : Math.min(lowerBound(x, from + ((to - from) * c) / columns, start), end);
    if (stop === start) continue;
    push(x[start], y[start]);
    if (stop - start > 2) {
      const { low, high, gap } = survey(y, start, stop);
      const middle = x[(start + stop) >> 1];
      if (low <= high) {
        push(middle, low);
        if (high > low) push(middle, high);
      }
      if (gap) push(middle, NaN);
    }
    if (stop - start > 1) push(x[stop - 1], y[stop - 1]);
    start = stop;
  }
  return out;
}
