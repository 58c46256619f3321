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
  let values = [];

  // text: the line's name, or nothing where it stands elsewhere.
  function buttonOf(line, text) {
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
        'aria-label': line.label,
        title: `${line.label}: hide or show`,
        onclick: () => {
          line.hidden = !line.hidden;
          button.setAttribute('aria-pressed', String(!line.hidden));
          onchange();
        },
        onmouseenter: () => strengthen(true),
        onmouseleave: () => strengthen(false),
      },
      [swatch(line), element('span', {}, [text]), value],
    );
    values.push({ line, value });
    return button;
  }

  const plain = (lines) => lines.filter((line) => !line.unnamed).map((line) => element('li', {}, [buttonOf(line, line.label)]));

  // Of several results: which dash is which, then a row for each channel.
  function grouped(lines) {
    const runs = [...new Map(lines.map((line) => [line.run, line])).values()];
    const channels = [...new Set(lines.map((line) => line.channel))];
    return [
      element('li', { class: 'plot-runs' }, runs.map((line) => element('span', {}, [swatch({ ...line, colour: '#57606a' }), line.run]))),
      ...channels.map((channel) =>
        element('li', { class: 'plot-row' }, [
          element('span', { class: 'plot-channel' }, [channel]),
          element('span', { class: 'plot-line' }, lines.filter((line) => line.channel === channel).map((line) => buttonOf(line, ''))),
        ]),
      ),
    ];
  }

  return {
    element: list,

    setLines(figure) {
      values = [];
      list.replaceChildren(...(figure.lines.some((line) => line.run) ? grouped : plain)(figure.lines));
    },

    // valueOf(line): what stands beside a line; nothing: only its name.
    setValues(figure, valueOf) {
      for (const { line, value } of values) {
        const plain = line.joined === false || figure.equal || line.symbol || !valueOf;
        value.textContent = plain ? '' : formatQuantity(valueOf(line), line.unit ?? figure.y.unit);
      }
    },
  };
}
