// Runs that still go on: their entries are fetched again until they are complete.

const kPause = 1000; // ms

// Fresh entries in place of old ones with the same id. What the page itself made keeps its name.
export function mergeResults(old, fresh) {
  const found = new Map(fresh.map((result) => [result.id, result]));
  const known = new Set(old.map((result) => result.id));
  const kept = old.map((result) => (result.recomputed ? result : (found.get(result.id) ?? result)));
  return [...kept, ...fresh.filter((result) => !known.has(result.id) && result.growing)];
}

export function followRuns({ source, store }) {
  const isGrowing = () => source.canAsk && store.get('results').some((result) => result.growing);
  async function look() {
    try {
      store.set({ results: mergeResults(store.get('results'), await source.json('results.json')) });
    } catch (error) {
      store.set({ notice: error.message });
      return;
    }
    if (isGrowing()) setTimeout(look, kPause);
  }
  if (isGrowing()) setTimeout(look, kPause);
}
