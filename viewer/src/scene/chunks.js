// Chunks of a long array, fetched when needed and forgotten when memory is full.

const kMemory = 384 * 1024 * 1024;

export class Chunks {
  // `fetchChunk(c)` promises chunk c; `arrived` is called when one is there.
  constructor(fetchChunk, arrived) {
    this.fetchChunk = fetchChunk;
    this.arrived = arrived;
    this.held = new Map(); // the least recently used comes first
    this.coming = new Set();
    this.failed = new Set(); // asking again would fail again
    this.bytes = 0;
  }

  // The chunk if it is there, or undefined after asking for it.
  get(c) {
    const chunk = this.held.get(c);
    if (chunk === undefined) {
      this.want(c);
      return undefined;
    }
    this.held.delete(c);
    this.held.set(c, chunk);
    return chunk;
  }

  peek(c) {
    return this.held.get(c);
  }

  want(c) {
    if (this.held.has(c) || this.coming.has(c) || this.failed.has(c)) return;
    this.coming.add(c);
    this.fetchChunk(c)
      .then((chunk) => this.keep(c, chunk))
      .catch((error) => this.fail(c, error))
      .finally(() => this.coming.delete(c));
  }

  fail(c, error) {
    this.failed.add(c);
    this.arrived(c, error);
  }

  keep(c, chunk) {
    if (!this.coming.has(c)) return;
    this.held.set(c, chunk);
    this.bytes += chunk.byteLength;
    for (const [old, data] of this.held) {
      if (this.bytes <= kMemory || this.held.size <= 2) break;
      this.held.delete(old);
      this.bytes -= data.byteLength;
    }
    this.arrived(c, null);
  }

  // Also what is on its way is not kept: a run that goes on has made it longer.
  forget(c) {
    this.coming.delete(c);
    this.bytes -= this.held.get(c)?.byteLength ?? 0;
    this.held.delete(c);
  }
}
