import { ChurnMap } from '../../lib/collections/churn-map.js';
import type { Stored } from '../../registry/pipeline/interface.js';

type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

const heads: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const end = Buffer.from('}\n');

/** Returns one watch event as JSON on a line of its own. */
export function eventFrame(type: EventType, object: readonly Buffer[]): Buffer {
  return Buffer.concat([heads[type], ...object, end]);
}

/** hot: returns the frame of an object as it is stored. Its bytes are copied once. */
export function storedFrame(type: EventType, stored: Stored): Buffer {
  return stored.between?.(heads[type], end) ?? eventFrame(type, [stored.json]);
}

const maxObjects = 1024;
const maxBytes = 8 * 1024 * 1024;
/** Milliseconds between two removals of old frames. A frame is kept for one to two such intervals. */
const defaultIntervalMs = 1000;

interface ObjectFrames {
  /** Frames by their form. */
  readonly frames: Map<string, Buffer>;
  /** The number of the interval in which the first of them was made. */
  readonly interval: number;
}

/**
 * Caches new frames for the other watches of the same event, which need them within moments. When there are too many, the oldest ones are dropped. A
 * frame that is older than two intervals is always dropped: on an idle server it would keep the memory around it from being returned to the system.
 */
export class FrameCache {
  readonly #objects = new ChurnMap<Stored, ObjectFrames>();
  /** The number of watches of a resource, by its definition. */
  readonly #watches = new Map<object, number>();
  readonly #intervalMs: number;
  #bytes = 0;
  #interval = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(intervalMs = defaultIntervalMs) {
    this.#intervalMs = intervalMs;
  }

  /** Bytes of all frames. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a watch of the resource, which is identified by its definition. Returns a function to be called once, at the end of the watch. */
  watchBegins(resource: object): () => void {
    this.#watches.set(resource, this.#watchesOf(resource) + 1);
    return () => {
      const left = this.#watchesOf(resource) - 1;
      if (left > 0) this.#watches.set(resource, left);
      else this.#watches.delete(resource);
    };
  }

  #watchesOf(resource: object): number {
    return this.#watches.get(resource) ?? 0;
  }

  /** hot: reports whether another watch of the resource may need the same frames. */
  isShared(resource: object): boolean {
    return this.#watchesOf(resource) > 1;
  }

  /** hot: called once per event and watch. `form`: what the frame depends on besides the object (type of event, representation, version). */
  get(stored: Stored, form: string): Buffer | undefined {
    return this.#objects.get(stored)?.frames.get(form);
  }

  /** Caches a frame, and returns it. */
  put(stored: Stored, form: string, made: Buffer): Buffer {
    const known = this.#objects.get(stored);
    this.#bytes += made.length - (known?.frames.get(form)?.length ?? 0);
    if (known) known.frames.set(form, made);
    else this.#objects.set(stored, { frames: new Map([[form, made]]), interval: this.#interval });
    if (this.#objects.size > maxObjects || this.#bytes > maxBytes) this.#evict();
    this.#timer ??= setTimeout(() => this.#expire(), this.#intervalMs).unref();
    return made;
  }

  #expire(): void {
    this.#interval++;
    for (const [stored, object] of this.#objects.entries()) {
      if (object.interval >= this.#interval - 1) break; // The following ones are newer.
      this.#drop(stored, object);
    }
    this.#timer = this.#objects.size === 0 ? undefined : setTimeout(() => this.#expire(), this.#intervalMs).unref();
  }

  #drop(stored: Stored, { frames }: ObjectFrames): void {
    this.#objects.delete(stored);
    for (const frame of frames.values()) this.#bytes -= frame.length;
  }

  #evict(): void {
    for (const [stored, object] of this.#objects.entries()) {
      if (this.#objects.size <= maxObjects && this.#bytes <= maxBytes) return;
      this.#drop(stored, object);
    }
  }
}
