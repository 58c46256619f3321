// Panels of which one is seen, with the keys that screen readers and keyboards expect.
import { element } from './element.js';

export function makeTabs(panels) {
  const tabs = panels.map(([title, panel], i) => {
    panel.id ||= `panel-${title.toLowerCase()}`;
    panel.setAttribute('role', 'tabpanel');
    return element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${title.toLowerCase()}`, 'aria-controls': panel.id, onclick: () => show(i) },
      [title],
    );
  });
  function show(chosen) {
    tabs.forEach((tab, i) => {
      tab.setAttribute('aria-selected', String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      panels[i][1].hidden = i !== chosen;
    });
    panels[chosen][1].dispatchEvent(new Event('shown'));
  }
  function onkeydown(event) {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    const next = (tabs.indexOf(document.activeElement) + move + tabs.length) % tabs.length;
    show(next);
    tabs[next].focus();
  }
  show(0);
  return element('aside', { class: 'tabs' }, [
    element('div', { role: 'tablist', onkeydown }, tabs),
    ...panels.map(([, panel]) => panel),
  ]);
}
