import { element } from '../element.js';

export function makeSummaryPanel() {
  return element('section', { class: 'summary' });
}
