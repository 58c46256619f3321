import { element } from '../element.js';

export function makeTreePanel() {
  return element('section', { class: 'tree' });
}
