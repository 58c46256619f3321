// The model as a tree: groups of things, a filter, one selection shared with the scene.
import './tree.css';
import { element } from '../element.js';
import { describe } from '../scene/describe.js';
import { kColours } from '../scene/palette.js';

const kOpenUpTo = 12; // things: longer groups start closed

export function makeTreePanel(page) {
  return new Tree(page).element;
}

function groupsOf(scene) {
  const blocks = (scene.diagram?.blocks ?? []).filter(({ kind }) => kind === 'block');
  return [
    ['node', 'Nodes', scene.nodes],
    ['body', 'Bodies', scene.bodies],
    ['beam', 'Beams', scene.beams],
    ['part', 'Parts', scene.parts],
    ['joint', 'Joints', scene.joints],
    ['spring', 'Springs', scene.springs],
    ['load', 'Loads', scene.loads],
    ['sensor', 'Sensors', scene.sensors],
    ['block', 'Blocks', blocks],
    ['actuator', 'Actuators', scene.actuators],
  ].filter(([, , things]) => things?.length > 0);
}

class Tree {
  constructor({ store, scene }) {
    Object.assign(this, { store, scene });
    this.inner = false;
    this.filter = element('input', {
      type: 'search',
      placeholder: 'Filter',
      'aria-label': 'filter the model',
      oninput: () => this.show(),
    });
    this.groups = groupsOf(scene).map((group) => this.makeGroup(...group));
    this.list = element(
      'ul',
      { role: 'tree', 'aria-label': 'model', onkeydown: (event) => this.press(event) },
      this.groups.map(({ row }) => row),
    );
    this.none = element('p', { class: 'none', hidden: true }, ['Nothing has that name.']);
    this.element = element('section', { class: 'tree' }, [
      element('div', { class: 'head' }, [this.filter, this.makeInnerBox()]),
      this.list,
      this.none,
    ]);
    this.show();
    store.on(['selected'], ({ selected }) => this.select(selected));
  }

  makeInnerBox() {
    if (!this.scene.nodes.some(({ inner }) => inner)) return '';
    const box = element('input', { type: 'checkbox' });
    box.onchange = () => this.show((this.inner = box.checked));
    return element('label', { title: 'nodes that beams made themselves' }, [box, 'inner nodes']);
  }

  makeGroup(kind, title, things) {
    const count = element('span', { class: 'count' });
    const head = element('div', { class: 'label', onclick: () => this.fold(group) }, [
      element('span', { class: 'fold', 'aria-hidden': 'true' }),
      element('span', { class: 'mark', style: `background: ${kColours[kind]}` }),
      title,
      count,
    ]);
    const body = element('ul', { role: 'group' });
    const row = element('li', { role: 'treeitem', tabindex: '-1' }, [head, body]);
    const group = {
      kind,
      things,
      row,
      body,
      count,
      open: things.length <= kOpenUpTo && kind !== 'node',
      items: new Map(),
    };
    return group;
  }

  fold(group, open = !group.open) {
    group.open = open;
    this.show();
    this.focus(group.row);
  }

  // Rows of things are made when they are first seen: a large model has thousands.
  show() {
    const wanted = this.filter.value.trim().toLowerCase();
    let found = 0;
    for (const group of this.groups) {
      const things = group.things.filter(
        (thing) => (this.inner || !thing.inner) && thing.name.toLowerCase().includes(wanted),
      );
      const open = wanted !== '' ? things.length > 0 : group.open;
      found += things.length;
      group.row.hidden = things.length === 0;
      group.row.setAttribute('aria-expanded', String(open));
      group.count.textContent = things.length;
      group.body.replaceChildren(...(open ? things.map((thing) => this.itemOf(group, thing)) : []));
    }
    this.none.hidden = found > 0;
    this.keepOneStop();
  }

  itemOf(group, thing) {
    if (!group.items.has(thing.name)) {
      const choice = { kind: group.kind, name: thing.name };
      const item = element(
        'li',
        { role: 'treeitem', tabindex: '-1', title: describe(this.scene, choice), onclick: () => this.choose(choice) },
        [element('div', { class: 'label' }, [element('span', { class: 'name' }, [thing.name])])],
      );
      group.items.set(thing.name, item);
    }
    const item = group.items.get(thing.name);
    item.setAttribute('aria-selected', String(this.isSelected(group.kind, thing.name)));
    return item;
  }

  isSelected(kind, name) {
    const selected = this.store.get('selected');
    return selected?.kind === kind && selected.name === name;
  }

  choose(choice) {
    this.store.set({ selected: choice });
  }

  select(selected) {
    for (const item of this.list.querySelectorAll('[aria-selected=true]')) item.setAttribute('aria-selected', 'false');
    const group = this.groups.find(({ kind }) => kind === selected?.kind);
    const thing = group?.things.find(({ name }) => name === selected.name);
    if (!thing || (thing.inner && !this.inner)) return;
    if (!group.open) {
      group.open = true;
      this.show();
    }
    const item = this.itemOf(group, thing);
    this.makeStop(item);
    item.scrollIntoView({ block: 'nearest' });
  }

  get rows() {
    return [...this.list.querySelectorAll('[role=treeitem]:not([hidden])')];
  }

  // One row can be reached with the tabulator; arrows lead from there.
  makeStop(row) {
    for (const other of this.list.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    row.tabIndex = 0;
  }

  keepOneStop() {
    const { rows } = this;
    if (rows.length > 0 && !rows.some((row) => row.tabIndex === 0)) this.makeStop(rows[0]);
  }

  focus(row) {
    if (!row) return;
    this.makeStop(row);
    row.focus();
  }

  press(event) {
    const row = event.target.closest('[role=treeitem]');
    const { rows } = this;
    const at = rows.indexOf(row);
    const group = this.groups.find((g) => g.row === row);
    const act = {
      ArrowDown: () => this.focus(rows[at + 1]),
      ArrowUp: () => this.focus(rows[at - 1]),
      Home: () => this.focus(rows[0]),
      End: () => this.focus(rows.at(-1)),
      ArrowRight: () => (group && !group.open ? this.fold(group, true) : group && this.focus(rows[at + 1])),
      ArrowLeft: () => (group ? this.fold(group, false) : this.focus(row.parentElement.closest('[role=treeitem]'))),
      Enter: () => (group ? this.fold(group) : row.click()),
      ' ': () => (group ? this.fold(group) : row.click()),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
