import { element } from '../element.js';

export function makeModesPanel() {
  return element('section', { class: 'modes' });
}
