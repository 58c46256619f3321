import { element } from '../element.js';

export function makeDiagramPanel() {
  return element('section', { class: 'diagram' });
}
