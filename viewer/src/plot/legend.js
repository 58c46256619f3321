// The lines of a plot with their values: buttons that hide and show, a swatch with colour, dash and symbol.
import { element } from '../element.js';
import { formatQuantity } from './numbers.js';
import { svgPen } from './pens.js';

function swatch(line) {
  const parts = [];
  const pen = svgPen(parts);
  const style = { colour: line.colour, dash: line.dash, width: Math.max(line.width ?? 2, 2), filled: line.filled };
  if (line.joined !== false) pen.line([0, 26], [6, 6], style);
  if (line.symbol) pen.symbol(line.symbol, 13, 6, 4, { ...style, dash: [], width: 1.6 });
  const made = element('span', { class: 'plot-swatch', 'aria-hidden': 'true' });
  made.innerHTML = `<svg width="26" height="12" viewBox="0 0 26 12">${parts.join('')}</svg>`;
  return made;
}

export function makeLegend({ onchange }) {
  const list = element('ul', { class: 'plot-legend', 'aria-label': 'lines' });
  const readout = element('p', { class: 'plot-readout', hidden: true });
  let values = [];

  function entry(line) {
    const value = element('output', { class: 'plot-value' });
    const strengthen = (strong) => {
      line.strong = strong;
      onchange();
    };
    const button = element(
      'button',
      {
        type: 'button',
        'aria-pressed': String(!line.hidden),
        title: 'Hide or show this line',
        onclick: () => {
          line.hidden = !line.hidden;
          button.setAttribute('aria-pressed', String(!line.hidden));
          onchange();
        },
        onmouseenter: () => strengthen(true),
        onmouseleave: () => strengthen(false),
      },
      [swatch(line), element('span', {}, [line.label]), value],
    );
    values.push({ line, value });
    return element('li', {}, [button]);
  }

  return {
    element: element('div', { class: 'plot-head' }, [list, readout]),

    setLines(figure) {
      values = [];
      list.replaceChildren(...figure.lines.filter((line) => !line.mute).map(entry));
    },

    // valueOf(line): what stands beside a line; nothing: only its name.
    setValues(figure, valueOf) {
      for (const { line, value } of values) {
        const plain = line.joined === false || figure.equal || line.symbol || !valueOf;
        value.textContent = plain ? '' : formatQuantity(valueOf(line), line.unit ?? figure.y.unit);
      }
    },

    setReadout(text) {
      if (readout.textContent === text) return;
      readout.textContent = text;
      readout.hidden = text === '';
    },
  };
}
