// Channels and spectra of results, each fetched once.

const known = new WeakMap();

// All panels share what was fetched.
export function dataOf(source) {
  if (!known.has(source)) known.set(source, makeData(source));
  return known.get(source);
}

function makeData(source) {
  const pending = new Map();
  function once(name, version) {
    const key = `${name}@${version}`;
    if (!pending.has(key)) {
      const made = source.f64(name);
      made.catch(() => pending.delete(key));
      pending.set(key, made);
    }
    return pending.get(key);
  }
  const has = (name) => source.canAsk || source.has(name);
  return {
    holds: (result, index, what) => has(`result/${result.id}/${what}/${index}`),

    async channel(result, index) {
      const [x, y] = await Promise.all([
        once(`result/${result.id}/time`, result.records),
        once(`result/${result.id}/channel/${index}`, result.records),
      ]);
      return { x, y };
    },

    async spectrum(result, index) {
      const both = await once(`result/${result.id}/spectrum/${index}`, result.records);
      const half = both.length / 2;
      // Whoever thins lines out remembers them by their arrays: the same arrays every time.
      both.parts ??= { x: both.slice(0, half), y: both.slice(half) };
      return both.parts;
    },
  };
}
