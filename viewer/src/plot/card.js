// The frame of a plot: its title, what can be done with it, its settings and its charts.
import { element } from '../element.js';
import { pngOf, save, writeCsv, writeSvg } from './files.js';

// content: {title, settings: [element], charts, status}
export function makeCard(content, { onremove }) {
  const { charts } = content;
  const fileName = () => content.title.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  const svg = () => writeSvg(charts.figures(), { views: charts.views(), title: content.title });
  const action = (text, title, onclick) =>
    element('button', { type: 'button', class: 'quiet', title, 'aria-label': `${title}: ${content.title}`, onclick }, [text]);
  const actions = element('div', { class: 'card-actions' }, [
    action('Reset', 'Show all (double click, key 0)', () => charts.resetZoom()),
    action('PNG', 'Save as PNG', async () => save(`${fileName()}.png`, await pngOf(svg()))),
    action('SVG', 'Save as SVG', () => save(`${fileName()}.svg`, new Blob([svg()], { type: 'image/svg+xml' }))),
    action('CSV', 'Save shown numbers as CSV', () =>
      save(`${fileName()}.csv`, new Blob([writeCsv(charts.figures(), charts.views())], { type: 'text/csv' })),
    ),
    action('✕', 'Remove plot', onremove),
  ]);
  const card = element('article', { class: 'card', 'aria-label': content.title }, [
    element('header', { class: 'card-head' }, [element('h3', {}, [content.title]), actions]),
    ...content.settings,
    content.status,
    charts.element,
  ]);
  return { element: card, content, svg };
}

// A line of text for what is awaited or went wrong.
export function makeStatus() {
  const status = element('p', { class: 'status', role: 'status', hidden: true });
  status.show = (text, bad = false) => {
    status.textContent = text;
    status.hidden = text === '';
    status.classList.toggle('bad', bad);
  };
  return status;
}
