// Which channels of which results are shown.
import { element } from '../element.js';
import { writeUnit } from './numbers.js';

const kMost = 300; // entries; more are found by the filter

// `state`: {channels: Set of names, hidden: Set of ids of results}; onchange after every choice.
export function makeChooser({ state, results, holds, onchange }) {
  const filter = element('input', { type: 'search', placeholder: 'Filter channels', 'aria-label': 'Filter channels', oninput: fill });
  const list = element('ul', { class: 'choices' });
  const runs = element('div', { class: 'runs' });
  const summary = element('summary');
  const toggle = (set, key, on) => (on ? set.add(key) : set.delete(key));

  function choice(label, checked, onpick) {
    const box = element('input', { type: 'checkbox', checked, onchange: () => onpick(box.checked) });
    return element('label', {}, [box, ...label]);
  }

  function names() {
    const found = new Map();
    for (const result of results()) {
      result.channels.forEach(({ name, unit }, i) => {
        if (!found.has(name) && holds(result, i)) found.set(name, unit);
      });
    }
    return [...found];
  }

  function fill() {
    const wanted = filter.value.toLowerCase();
    const all = names().filter(([name]) => name.toLowerCase().includes(wanted));
    list.replaceChildren(
      ...all.slice(0, kMost).map(([name, unit]) =>
        element('li', {}, [
          choice([element('span', {}, [name]), element('small', {}, [writeUnit(unit)])], state.channels.has(name), (on) => {
            toggle(state.channels, name, on);
            label();
            onchange();
          }),
        ]),
      ),
    );
    if (all.length === 0) list.append(element('li', { class: 'hint' }, ['No channel has this in its name.']));
    if (all.length > kMost) list.append(element('li', { class: 'hint' }, [`… and ${all.length - kMost} more: type to find them.`]));
  }

  function label() {
    summary.textContent = state.channels.size === 1 ? '1 channel' : `${state.channels.size} channels`;
  }

  // Only where something else can be chosen: whoever is at the list shall not lose his place.
  let last = '';
  function update() {
    const present = results();
    const now = JSON.stringify(present.map(({ id, name, channels }) => [id, name, channels.length]));
    if (now === last) return;
    last = now;
    runs.hidden = present.length < 2;
    runs.replaceChildren(
      ...present.map((result) =>
        choice([result.name], !state.hidden.has(result.id), (on) => {
          toggle(state.hidden, result.id, !on);
          onchange();
        }),
      ),
    );
    fill();
    label();
  }
  update();
  return {
    element: element('details', { class: 'chooser' }, [summary, runs, filter, list]),
    update,
  };
}
