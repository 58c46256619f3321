// element('button', {class: 'x', onclick: f}, ['text', otherElement]): one DOM element.
export function element(tag, attributes = {}, children = []) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made[name] = value;
    else if (value === true) made.setAttribute(name, '');
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// The last part of a path: where a file lies on a disk is no one else's matter.
export const nameOf = (path) => path.split(/[\\/]/).at(-1);
