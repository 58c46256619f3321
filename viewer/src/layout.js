// Where the parts of the page stand: the tree, the machine, and the panels beside it, below it or alone.
import './layout.css';
import { element } from './element.js';

const kDocks = [
  ['right', 'Panels beside the machine', 'M1 1h14v12H1zM10 1v12'],
  ['below', 'Panels below the machine', 'M1 1h14v12H1zM1 8h14'],
  ['full', 'Panels alone', 'M1 1h14v12H1zM1 4h14'],
];
const kLeast = { right: 300, below: 140 }; // px of the panels
const kStage = { right: 230, below: 150 }; // px that the machine keeps

function icon(path) {
  const made = element('span', { 'aria-hidden': 'true' });
  const line = `<path d="${path}" fill="none" stroke="currentColor" stroke-width="1.5"/>`;
  made.innerHTML = `<svg width="16" height="14" viewBox="0 0 16 14">${line}</svg>`;
  return made;
}

export function makeLayout({ tree, stage, side }) {
  const divider = element('div', { class: 'divider', role: 'separator', tabindex: 0, 'aria-label': 'Size of the panels' });
  const main = element('main', {}, [tree, stage, divider, side]);
  const buttons = kDocks.map(([dock, title, path]) =>
    element('button', { type: 'button', class: 'quiet', title, 'aria-label': title, onclick: () => show(dock) }, [icon(path)]),
  );
  const treeButton = element(
    'button',
    { type: 'button', class: 'quiet', title: 'Tree of the model', 'aria-label': 'Tree of the model', onclick: () => showTree(tree.hidden) },
    [icon('M1 1h14v12H1zM6 1v12')],
  );

  function show(dock) {
    main.dataset.dock = dock;
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(kDocks[i][0] === dock)));
    divider.setAttribute('aria-orientation', dock === 'below' ? 'horizontal' : 'vertical');
    resize(size());
  }

  function showTree(shown) {
    tree.hidden = !shown;
    main.classList.toggle('no-tree', !shown);
    treeButton.setAttribute('aria-pressed', String(shown));
  }

  const isBelow = () => main.dataset.dock === 'below';
  const size = () => (isBelow() ? side.offsetHeight : side.offsetWidth);

  function resize(wanted) {
    const dock = main.dataset.dock;
    if (dock === 'full') return;
    const all = isBelow() ? main.clientHeight : main.clientWidth - (tree.hidden ? 0 : tree.offsetWidth);
    const most = all - kStage[dock];
    if (most <= 0) return; // not on the page yet
    const pixels = Math.round(Math.min(Math.max(wanted, kLeast[dock]), Math.max(most, kLeast[dock])));
    main.style.setProperty(isBelow() ? '--below' : '--side', `${pixels}px`);
    divider.setAttribute('aria-valuenow', String(Math.round((100 * pixels) / all)));
  }

  function drag(event) {
    const box = main.getBoundingClientRect();
    resize(isBelow() ? box.bottom - event.clientY : box.right - event.clientX);
  }
  divider.addEventListener('pointerdown', (event) => {
    divider.setPointerCapture(event.pointerId);
    divider.onpointermove = drag;
    event.preventDefault();
  });
  divider.addEventListener('pointerup', () => (divider.onpointermove = null));
  divider.addEventListener('keydown', (event) => {
    const move = { ArrowLeft: 24, ArrowUp: 24, ArrowRight: -24, ArrowDown: -24 }[event.key];
    if (!move) return;
    event.preventDefault();
    resize(size() + move);
  });
  divider.addEventListener('dblclick', () => main.removeAttribute('style'));
  window.addEventListener('resize', () => main.style.length > 0 && resize(size()));

  show('right');
  showTree(true);
  return {
    main,
    controls: element('div', { class: 'docks', role: 'group', 'aria-label': 'Arrangement of the page' }, [treeButton, ...buttons]),
  };
}
