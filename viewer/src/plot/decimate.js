// Fewer points that look the same: of every column of pixels the first, lowest, highest and last one.

// The first index whose value is not below `value`; `sorted` rises.
export function lowerBound(sorted, value) {
  let low = 0;
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

// {x, y} of at most 5 points a column. A column with a gap (a number that is none) keeps it. `warp` turns x
// into what is even on the axis.
export function decimate(x, y, from, to, columns, warp = (value) => value) {
  const [first, end] = windowOf(x, from, to);
  if (end - first <= 4 * columns) return { x: x.slice(first, end), y: y.slice(first, end) };
  const outX = [];
  const outY = [];
  const scale = columns / (warp(to) - warp(from));
  const columnOf = (i) => Math.floor((warp(x[i]) - warp(from)) * scale);
  for (let i = first; i < end; ) {
    const column = columnOf(i);
    const start = i;
    let low = i;
    let high = i;
    let gap = -1;
    for (; i < end && columnOf(i) === column; ++i) {
      if (y[i] < y[low] || Number.isNaN(y[low])) low = i;
      if (y[i] > y[high] || Number.isNaN(y[high])) high = i;
      if (Number.isNaN(y[i])) gap = i;
    }
    const kept = [start, low, high, gap, i - 1].filter((k) => k >= 0).sort((a, b) => a - b);
    kept.forEach((k, n) => {
      if (n > 0 && k === kept[n - 1]) return;
      outX.push(x[k]);
      outY.push(y[k]);
    });
  }
  return { x: outX, y: outY };
}

// [lowest, highest] of the finite numbers of y[first … end); null if there is none.
export function extent(y, first = 0, end = y.length) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = first; i < end; ++i) {
    const value = y[i];
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : null;
}
