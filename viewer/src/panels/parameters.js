import { element } from '../element.js';

export function makeParametersPanel() {
  return element('section', { class: 'parameters' });
}
