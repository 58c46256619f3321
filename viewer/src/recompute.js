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

const kUsualCount = 10; // of modes

// Modes at `values`, in the view of the present ones or in another. As many are asked for as before, however few there
// were in the view that is left: a machine with rigid bodies has fewer.
export async function askModes({ source, store }, values, view = {}) {
  const { loop, bodies, modes = [], count = modes.length } = store.get('modes') ?? {};
  const wanted = Math.max(count, kUsualCount);
  const answer = await source.ask('modes', { values, loop, bodies, ...view, count: wanted });
  return { ...answer, count: wanted };
}

// Shows the modes at `values` with that one chosen which is nearest to `eigenvalue`, or to the present one.
export async function showModesAt(page, values, eigenvalue = null, changes = {}) {
  const { store } = page;
  const near = eigenvalue ?? store.get('modes')?.modes[store.get('mode')]?.eigenvalue;
  const modes = await askModes(page, values);
  store.set({ values, modes, mode: near ? nearestMode(modes.modes, near) : 0, ...changes });
  return modes;
}
