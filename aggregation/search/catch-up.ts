/**
 * Reads the changes of a member after a resourceVersion that the feed does not have: an older one after a restart of this server, or a newer one if
 * another server's mirror is ahead. They come from the member itself, until its version is one of the feed's.
 */
import { StatusError } from '../../apimachinery/errors/status.js';
import type { WatchQuery } from '../../client/interface.js';
import { cache, type Cached } from './cached.js';
import type { Collection } from './caches.js';
import { memberQuery, type MirrorSelection } from './selection.js';

/** A change as the watcher's selector sees it. */
export interface SeenChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The member's resourceVersion after it. */
  readonly version: string;
  /** undefined for a bookmark. */
  readonly object: Cached | undefined;
}

/** Changes that are read before the watcher has taken them. */
const maxWaiting = 64;

export class CatchUp {
  readonly #collection: Collection;
  readonly #onChange: () => void;
  readonly #stop = new AbortController();
  readonly #waiting: SeenChange[] = [];
  #version: string;
  #isOver = false;
  #error: StatusError | undefined;
  /** Called when the watcher has taken everything. */
  #taken = (): void => undefined;

  /** `onChange` is called whenever `next` may return something, or the watch of the member has ended. */
  constructor(collection: Collection, version: string, selection: MirrorSelection, onChange: () => void) {
    this.#collection = collection;
    this.#version = version;
    this.#onChange = onChange;
    void this.#run({ ...memberQuery(selection), resourceVersion: version, allowWatchBookmarks: true });
  }

  /** The version of the last change that was returned. */
  get version(): string {
    return this.#version;
  }

  /** Whether the member has ended its watch, and everything has been returned. */
  get ended(): boolean {
    return this.#isOver && this.#waiting.length === 0;
  }

  /** Returns the next change; undefined if there is none yet. Throws what the member answered, such as 410. */
  next(): SeenChange | undefined {
    const change = this.#waiting.shift();
    if (change) this.#version = change.version;
    else if (this.#error) throw this.#error;
    if (this.#waiting.length === 0) this.#taken();
    return change;
  }

  stop(): void {
    this.#stop.abort();
    this.#taken();
  }

  async #run(query: WatchQuery): Promise<void> {
    const { member, resource, cluster, fields } = this.#collection;
    const { signal } = this.#stop;
    try {
      for await (const { type, object } of member.client.events(
        resource,
        query,
        AbortSignal.any([signal, member.signal]),
      )) {
        if (signal.aborted) break;
        const { resourceVersion: version = '' } = object.metadata;
        this.#waiting.push({ type, version, object: type === 'BOOKMARK' ? undefined : cache(object, cluster, fields) });
        this.#onChange();
        if (this.#waiting.length >= maxWaiting) await new Promise<void>(resolve => (this.#taken = resolve));
      }
    } catch (error) {
      // Without an answer of the member the watch just ends: the client resumes it where it was.
      if (error instanceof StatusError) this.#error = error;
    }
    this.#isOver = true;
    this.#onChange();
  }
}
