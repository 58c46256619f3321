// What is chosen on the page. Panels never talk to each other: they set values here and listen.

export function makeStore(values) {
  const listeners = [];
  return {
    get: (key) => values[key],

    // Tells everyone who listens to a value that has changed, once for all of them.
    set(changes) {
      const changed = Object.keys(changes).filter((key) => values[key] !== changes[key]);
      if (changed.length === 0) return;
      Object.assign(values, changes);
      for (const { keys, listener } of [...listeners]) {
        if (keys.some((key) => changed.includes(key))) listener(values);
      }
    },

    // Calls the listener at once too. Returns a function that ends it.
    on(keys, listener) {
      const entry = { keys, listener };
      listeners.push(entry);
      listener(values);
      return () => listeners.splice(listeners.indexOf(entry), 1);
    },
  };
}
