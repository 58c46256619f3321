import { element } from '../element.js';

export function makeStage() {
  return element('div', { class: 'canvas' });
}
