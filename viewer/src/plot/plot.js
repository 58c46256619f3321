// One chart on the page. uPlot gives axes, cursor and the rectangle of a zoom; lines and marks are drawn from
// the figure by the same code that writes files, so that every line may have its own x.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './plot.css';
import { element } from '../element.js';
import { areaOf, optionsOf } from './axes.js';
import { nearestIndex } from './decimate.js';
import { drawFigure, equalized, fullX, fullY, pixelsOf, place, shownLines, valueAt } from './figure.js';
import { makeLegend } from './legend.js';
import { canvasPen } from './pens.js';

const kReach = 14; // pixels from a symbol within which it is meant

// Plots with one kind of x share cursor and zoom.
export function makeGroup() {
  const plots = new Set();
  return {
    add: (plot) => plots.add(plot),
    remove: (plot) => plots.delete(plot),
    others: (plot) => [...plots].filter((other) => other !== plot),
  };
}

// figure: see figure.js. group: of makeGroup. onclick(x): a click at x, and a drag along the axis of x.
// onpick(line, index): a click on a symbol. label: for those who hear the page.
export function makePlot({ figure, height = 220, group = makeGroup(), onclick, onpick, label = 'plot' }) {
  const canvas = element('div', { class: 'plot-canvas', tabindex: 0, role: 'img', 'aria-label': label });
  const legend = makeLegend({ onchange: () => plot.update() });
  const marker = element('div', { class: 'plot-marker', hidden: true });
  const readout = element('p', { class: 'plot-readout', hidden: true });
  const strip = element('div', { class: 'plot-strip', title: 'Drag to move through time' });
  const plot = {
    element: element('div', { class: 'plot' }, [legend.element, canvas]),
    figure,
    view: { x: null, y: null }, // null: all
    u: null,
    setFigure,
    setMarker,
    update,
    resetZoom: () => zoom({ x: null, y: null }),
    zoom,
    showCursor,
    destroy,
  };
  let markerAt = null;
  let shared = null; // x of the cursor, here or in another plot of the group

  function setFigure(next) {
    for (const line of next.lines) line.hidden ??= plot.figure.lines.find((old) => old.label === line.label)?.hidden ?? false;
    plot.figure = next;
    legend.setLines(next);
    update();
  }

  function ranges(width, height) {
    const x = plot.view.x ?? fullX(plot.figure);
    const y = plot.view.y ?? fullY(plot.figure, x);
    return plot.figure.equal ? equalized(x, y, width, height) : [x, y];
  }

  // Many changes in one frame are drawn once.
  let frame = 0;
  function update() {
    if (frame === 0) frame = requestAnimationFrame(redraw);
  }

  function redraw() {
    frame = 0;
    if (!plot.u) return;
    const { width, height } = areaOf(plot.u);
    const [x, y] = ranges(width, height);
    plot.range = { x, y };
    plot.u.batch(() => {
      plot.u.setScale('x', { min: x[0], max: x[1] });
      plot.u.setScale('y', { min: y[0], max: y[1] });
      plot.u.redraw(false, true);
    });
    placeMarker();
    showValues();
  }

  function zoom(view, fromGroup = false) {
    const { x } = plot.view;
    plot.view = { ...plot.view, ...view };
    update();
    if (fromGroup || plot.view.x === x) return;
    for (const other of group.others(plot)) other.zoom({ x: plot.view.x }, true);
  }

  function setMarker(value) {
    markerAt = value;
    if (plot.element.closest('[hidden]')) return; // it is drawn when it is seen again
    placeMarker();
    showValues();
  }

  function placeMarker() {
    if (!plot.u || !plot.range) return;
    const at = markerAt === null ? NaN : plot.u.valToPos(place(plot.figure.x, markerAt), 'x');
    marker.hidden = !(at >= -0.5 && at <= areaOf(plot.u).width + 0.5);
    if (!marker.hidden) marker.style.transform = `translateX(${at}px)`;
  }

  // Values at the cursor, or at the marker where nothing is pointed at.
  function showValues() {
    const x = shared ?? markerAt;
    legend.setValues(plot.figure, x === null ? null : (line) => line.y[nearestIndex(line.x, x)]);
  }

  function showCursor(value) {
    shared = value;
    if (plot.u) {
      const left = value === null ? -10 : plot.u.valToPos(place(plot.figure.x, value), 'x');
      plot.u.setCursor({ left, top: -30 }, false); // its level line lies out of sight
    }
    showValues();
  }

  function onCursor(u) {
    const value = u.cursor.left >= 0 ? valueAt(plot.figure.x, u.posToVal(u.cursor.left, 'x')) : null;
    const hit = onpick && value !== null ? pick(u.cursor.left, u.cursor.top) : null;
    canvas.classList.toggle('plot-points', Boolean(hit));
    showReadout(hit?.line.describe?.(hit.index) ?? '', u.cursor);
    if (value === shared) return;
    shared = value;
    showValues();
    for (const other of group.others(plot)) other.showCursor(value);
  }

  // Beside the pointer, on the side where there is room.
  function showReadout(text, { left, top }) {
    readout.hidden = text === '';
    readout.textContent = text;
    if (readout.hidden) return;
    const { width, height } = areaOf(plot.u);
    const isRight = left > width / 2;
    const isLow = top > height / 2;
    Object.assign(readout.style, {
      left: isRight ? '' : `${left + 12}px`,
      right: isRight ? `${width - left + 12}px` : '',
      top: isLow ? '' : `${top + 12}px`,
      bottom: isLow ? `${height - top + 12}px` : '',
    });
  }

  function onSelect(u) {
    const { left, top, width, height } = u.select;
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    if (width < 4 && height < 4) return;
    const view = {};
    const area = areaOf(u);
    if (width < area.width - 1 && width >= 4) view.x = [u.posToVal(left, 'x'), u.posToVal(left + width, 'x')];
    if (height < area.height - 1 && height >= 4) view.y = [u.posToVal(top + height, 'y'), u.posToVal(top, 'y')];
    if (view.x && !view.y && !plot.figure.equal) view.y = null;
    zoom(view);
  }

  function pick(left, top) {
    const area = { left: 0, top: 0, ...areaOf(plot.u), ...plot.range };
    let best = null;
    for (const line of shownLines(plot.figure)) {
      if (!line.symbol || line.pickable === false) continue;
      const [xs, ys] = pixelsOf(plot.figure, { ...line, joined: false }, area);
      xs.forEach((x, index) => {
        const distance = Math.hypot(x - left, ys[index] - top);
        if (distance < (best?.distance ?? kReach)) best = { line, index, distance };
      });
    }
    return best;
  }

  function onClick(left, top) {
    const hit = onpick && pick(left, top);
    if (hit) onpick(hit.line, hit.index);
    else onclick?.(valueAt(plot.figure.x, plot.u.posToVal(left, 'x')));
  }

  function scaleBy(factor, left, top, axes) {
    const u = plot.u;
    const about = ([low, high], middle) => [middle + (low - middle) * factor, middle + (high - middle) * factor];
    const view = {};
    if (axes.includes('x')) view.x = about(plot.range.x, u.posToVal(left, 'x'));
    if (axes.includes('y')) view.y = about(plot.range.y, u.posToVal(top, 'y'));
    zoom(view);
  }

  function onwheel(event) {
    event.preventDefault();
    const box = plot.u.over.getBoundingClientRect();
    const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY || event.deltaX)) * 0.004);
    const axes = plot.figure.equal ? 'xy' : event.shiftKey ? 'y' : event.ctrlKey ? 'xy' : 'x';
    scaleBy(factor, event.clientX - box.left, event.clientY - box.top, axes);
  }

  function onkeydown(event) {
    const { width, height } = areaOf(plot.u);
    const keys = {
      '+': () => scaleBy(0.7, width / 2, height / 2, plot.figure.equal ? 'xy' : 'x'),
      '-': () => scaleBy(1 / 0.7, width / 2, height / 2, plot.figure.equal ? 'xy' : 'x'),
      0: () => plot.resetZoom(),
      ArrowLeft: () => zoom({ x: plot.range.x.map((v) => v - (plot.range.x[1] - plot.range.x[0]) * 0.1) }),
      ArrowRight: () => zoom({ x: plot.range.x.map((v) => v + (plot.range.x[1] - plot.range.x[0]) * 0.1) }),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  function scrub(event) {
    const box = strip.getBoundingClientRect();
    const left = Math.min(Math.max(event.clientX - box.left, 0), box.width);
    onclick(valueAt(plot.figure.x, plot.u.posToVal(left, 'x')));
  }

  function create(width) {
    const hooks = { draw: [draw], setCursor: [onCursor], setSelect: [onSelect] };
    plot.u = new uPlot(optionsOf(plot, { width, height, hooks }), [[0, 1], [0, 1]], canvas);
    const { over } = plot.u;
    over.append(marker, readout);
    if (onclick) over.after(strip);
    let pressed = null;
    over.addEventListener('mousedown', (event) => (pressed = [event.clientX, event.clientY]));
    over.addEventListener('click', (event) => {
      if (!pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 3) return;
      const box = over.getBoundingClientRect();
      onClick(event.clientX - box.left, event.clientY - box.top);
    });
    over.addEventListener('dblclick', () => plot.resetZoom());
    over.addEventListener('wheel', onwheel, { passive: false });
    strip.addEventListener('pointerdown', (event) => {
      strip.setPointerCapture(event.pointerId);
      scrub(event);
      strip.onpointermove = scrub;
    });
    strip.addEventListener('pointerup', () => (strip.onpointermove = null));
    placeStrip();
  }

  function placeStrip() {
    const { over } = plot.u;
    Object.assign(strip.style, { left: over.style.left, width: over.style.width, top: `${over.offsetTop + over.offsetHeight}px` });
  }

  function draw(u) {
    if (!plot.range) return;
    const ratio = uPlot.pxRatio;
    const { left, top, width, height } = u.bbox;
    u.ctx.save();
    u.ctx.beginPath();
    u.ctx.rect(left, top, width, height);
    u.ctx.clip();
    const area = { left: left / ratio, top: top / ratio, width: width / ratio, height: height / ratio };
    drawFigure(canvasPen(u.ctx, ratio), plot.figure, { ...area, ...plot.range });
    u.ctx.restore();
  }

  const watch = new ResizeObserver(() => {
    const width = Math.floor(canvas.clientWidth);
    if (width < 80) return;
    if (!plot.u) create(width);
    else if (plot.u.width !== width) plot.u.setSize({ width, height });
    placeStrip();
    redraw();
  });
  function destroy() {
    cancelAnimationFrame(frame);
    watch.disconnect();
    group.remove(plot);
    plot.u?.destroy();
  }
  canvas.addEventListener('keydown', onkeydown);
  group.add(plot);
  legend.setLines(figure);
  watch.observe(canvas);
  return plot;
}
