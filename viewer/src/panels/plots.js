import { element } from '../element.js';

export function makePlotsPanel() {
  return element('section', { class: 'plots' });
}
