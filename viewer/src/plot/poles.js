// Eigenvalues in the s plane.
import { makeStatus } from './card.js';
import { makeCharts } from './charts.js';
import { poleFigure } from './root_figures.js';

export function makePolePlot({ store }) {
  const status = makeStatus();
  const charts = makeCharts({ onpick: (line, k) => line.indices && store.set({ mode: line.indices[k], moves: 'mode' }) });
  const stop = store.on(['modes', 'mode'], ({ modes, mode }) => {
    charts.setFigures(modes ? [poleFigure(modes.modes, mode)] : []);
    status.show(modes ? '' : 'No modes are known.');
  });
  return { title: 'Pole map', settings: [], charts, status, destroy: stop };
}
