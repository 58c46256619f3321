import { element } from '../element.js';

export function makePlaybackPanel() {
  return element('section', { class: 'playback' });
}
