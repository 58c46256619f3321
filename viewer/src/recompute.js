// Questions to the running program when numbers change, and what the page does with the answers.

// Calls `work` one at a time. Of calls that come meanwhile only the newest is kept: a slider never waits
// for values that it has already left.
export function newestOnly(work) {
  let running = false;
  let next = null;
  return async function call(...question) {
    next = question;
    if (running) return;
    running = true;
    try {
      while (next) {
        const now = next;
        next = null;
        await work(...now);
      }
    } finally {
      running = false;
    }
  };
}

// The index of the mode whose eigenvalue is nearest; 0 if there is none.
export function nearestMode(modes, [re, im]) {
  const distance = (mode) => Math.hypot(mode.eigenvalue[0] - re, mode.eigenvalue[1] - Math.abs(im));
  let best = 0;
  modes.forEach((mode, i) => {
    if (distance(mode) < distance(modes[best])) best = i;
  });
  return best;
}

// Modes at `values`, as the present ones were asked for.
export function askModes({ source, store }, values) {
  const { loop, bodies, modes = [] } = store.get('modes') ?? {};
  return source.ask('modes', { values, loop, bodies, count: Math.max(modes.length, 10) });
}

// Shows the modes at `values` with that one chosen which is nearest to `eigenvalue`, or to the present one.
export async function showModesAt(page, values, eigenvalue = null, changes = {}) {
  const { store } = page;
  const near = eigenvalue ?? store.get('modes')?.modes[store.get('mode')]?.eigenvalue;
  const modes = await askModes(page, values);
  store.set({ values, modes, mode: near ? nearestMode(modes.modes, near) : 0, ...changes });
  return modes;
}
