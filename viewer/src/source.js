// Where data comes from: the running program below its token, or the text of a report. The names are
// in README.md.

const kNothing = new Uint8Array(0);

export function openSource(document, location) {
  const inside = document.querySelectorAll('script[data-name]');
  return inside.length > 0 ? new ReportSource(inside) : new LiveSource(location);
}

class Source {
  async json(name) {
    return JSON.parse(new TextDecoder().decode(await this.bytes(name)));
  }

  async f32(name) {
    return new Float32Array((await this.bytes(name)).buffer);
  }

  async f64(name) {
    return new Float64Array((await this.bytes(name)).buffer);
  }
}

class LiveSource extends Source {
  constructor(location) {
    super();
    this.base = location.href.replace(/[^/]*$/, '');
  }

  get canAsk() {
    return true;
  }

  async bytes(name) {
    const answer = await fetch(`${this.base}data/${name}`);
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
    return new Uint8Array(await answer.arrayBuffer());
  }

  async ask(what, question) {
    const answer = await fetch(`${this.base}ask/${what}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(question),
    });
    const content = await answer.json();
    if (!answer.ok) throw new Error(content.error);
    return content;
  }
}

class ReportSource extends Source {
  constructor(elements) {
    super();
    this.texts = new Map([...elements].map((e) => [e.dataset.name, e.textContent]));
  }

  get canAsk() {
    return false;
  }

  has(name) {
    return this.texts.has(name);
  }

  async bytes(name) {
    if (!this.texts.has(name)) return Promise.reject(new Error(`The report does not hold ${name}.`));
    const packed = Uint8Array.from(atob(this.texts.get(name).trim()), (c) => c.charCodeAt(0));
    if (packed.length === 0) return kNothing;
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  async ask() {
    throw new Error('A report cannot compute. Open the model with: flexloop view MODEL');
  }
}
