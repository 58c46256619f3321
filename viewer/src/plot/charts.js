// Charts below each other in one card: as many as there are figures, each kept while its figure changes.
import { element } from '../element.js';
import { makePlot } from './plot.js';

export function makeCharts(options) {
  const box = element('div', { class: 'charts' });
  let plots = [];
  let marker = null;
  return {
    element: box,
    figures: () => plots.map((plot) => plot.figure),
    views: () => plots.map((plot) => plot.range),
    resetZoom: () => plots.forEach((plot) => plot.resetZoom()),
    destroy: () => plots.forEach((plot) => plot.destroy()),

    setMarker(value) {
      marker = value;
      plots.forEach((plot) => plot.setMarker(value));
    },

    setFigures(figures) {
      plots.splice(figures.length).forEach((plot) => {
        plot.destroy();
        plot.element.remove();
      });
      figures.forEach((figure, i) => {
        if (plots[i]) {
          plots[i].setFigure(figure);
          return;
        }
        const label = `${figure.y.label} over ${figure.x.label}`;
        const plot = makePlot({ ...options, figure, height: figure.height ?? options.height, label });
        if (marker !== null) plot.setMarker(marker);
        plots.push(plot);
        box.append(plot.element);
      });
    },
  };
}
