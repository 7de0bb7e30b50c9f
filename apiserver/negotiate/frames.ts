import { ChurnMap } from '../../lib/collections/churn-map.js';
import type { Stored } from '../../registry/pipeline/interface.js';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const heads: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const end = Buffer.from('}\n');

/** Returns one watch event as JSON on a line of its own. */
export function frame(type: EventType, object: readonly Buffer[]): Buffer {
  return Buffer.concat([heads[type], ...object, end]);
}

const maxObjects = 1024;
const maxBytes = 8 * 1024 * 1024;

/**
 * Frames that were just made, for the other watchers of the same event: they all come by within moments. Bounded, the oldest go first,
 * so that no object is held twice for long.
 */
export class FrameCache {
  readonly #frames = new ChurnMap<Stored, Map<string, Buffer>>();
  #bytes = 0;

  /** hot: once per event and watcher. `form`: what the frame depends on besides the object (type of event, representation, version). */
  get(stored: Stored, form: string): Buffer | undefined {
    return this.#frames.get(stored)?.get(form);
  }

  put(stored: Stored, form: string, made: Buffer): Buffer {
    const forms = this.#frames.get(stored);
    if (forms) forms.set(form, made);
    else this.#frames.set(stored, new Map([[form, made]]));
    this.#bytes += made.length;
    if (this.#frames.size > maxObjects || this.#bytes > maxBytes) this.#evict();
    return made;
  }

  #evict(): void {
    for (const [stored, forms] of this.#frames.entries()) {
      if (this.#frames.size <= maxObjects && this.#bytes <= maxBytes) return;
      this.#frames.delete(stored);
      for (const frame of forms.values()) this.#bytes -= frame.length;
    }
  }
}
