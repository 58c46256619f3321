// Moving and enlarging a drawing in SVG by wheel, drag and buttons.

const kReadable = 0.7; // letters of 12 px have at least 8
const kMost = 1.15;

// `svg` shows `size` {width, height} until it is moved: as a whole where that can be read, otherwise its left.
export function makePanZoom(svg, size) {
  let view = { x: 0, y: 0, width: size.width, height: size.height }; // of the drawing that is seen
  let moved = false; // by the user, who then keeps what he sees
  const box = () => svg.getBoundingClientRect();

  function show() {
    svg.setAttribute('viewBox', [view.x, view.y, view.width, view.height].map((v) => v.toFixed(2)).join(' '));
  }

  // Letters are no larger than those of the page.
  function fit(least = 0) {
    moved = false;
    const { width, height } = box();
    if (width === 0 || height === 0) return;
    const scale = Math.min(Math.max(Math.min(width / size.width, height / size.height), least), kMost);
    view = { width: width / scale, height: height / scale };
    view.x = Math.min((size.width - view.width) / 2, 0);
    view.y = Math.min((size.height - view.height) / 2, 0);
    show();
  }

  // About a point in pixels of the page; the middle without one.
  function zoom(factor, clientX = null, clientY = null) {
    moved = true;
    const { left, top, width, height } = box();
    const u = clientX === null ? 0.5 : (clientX - left) / width;
    const v = clientY === null ? 0.5 : (clientY - top) / height;
    const next = Math.min(Math.max(view.width * factor, size.width / 20), Math.max(size.width, width) * 4) / view.width;
    view = {
      x: view.x + u * view.width * (1 - next),
      y: view.y + v * view.height * (1 - next),
      width: view.width * next,
      height: view.height * next,
    };
    show();
  }

  function showAll() {
    view = { x: 0, y: 0, width: size.width, height: size.height };
    show();
  }

  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), event.clientX, event.clientY);
  }, { passive: false });

  let last = null;
  svg.addEventListener('pointerdown', (event) => (last = [event.clientX, event.clientY]));
  svg.addEventListener('pointermove', (event) => {
    if (!last || event.buttons === 0) return;
    moved = true;
    const scale = view.width / box().width;
    view.x -= (event.clientX - last[0]) * scale;
    view.y -= (event.clientY - last[1]) * scale;
    last = [event.clientX, event.clientY];
    show();
  });
  svg.addEventListener('pointerup', () => (last = null));
  window.addEventListener('beforeprint', showAll);
  window.addEventListener('afterprint', () => fit(kReadable));
  showAll();
  new ResizeObserver(() => moved || fit(kReadable)).observe(svg);
  return { fit: () => { fit(); moved = true; }, zoom };
}
