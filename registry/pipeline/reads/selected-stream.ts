import type { Change, Item } from '../../../storage/interface.js';
import { type Sharing, WatchStream } from '../../../storage/watch-stream.js';
import type { ObjectEvent } from '../interface.js';
import type { StoredVersion } from '../stored/stored-version.js';
import type { Bookmarks } from './bookmarks.js';
import type { ReadSelection } from './selection.js';

interface SelectedStreamOptions {
  readonly changes: WatchStream<Change<StoredVersion>>;
  readonly selection: ReadSelection;
  readonly bookmarks: Bookmarks | undefined;
  /** Called for each change. */
  readonly onChange: (change: Change<StoredVersion>) => void;
  /** Called when the stream ends for any reason, possibly more than once. */
  readonly onEnd: () => void;
  /** Returns the error of the watch for an error of the changes. */
  readonly errorOf: (error: unknown) => unknown;
}

const noop = (): void => undefined;

/** The stream of events of one selection, from the changes of all objects below a prefix. */
export class SelectedStream extends WatchStream<ObjectEvent> {
  readonly #options: SelectedStreamOptions;
  #sharing: Sharing<ObjectEvent> | undefined;

  constructor(options: SelectedStreamOptions) {
    super();
    this.#options = options;
  }

  take(): IteratorResult<ObjectEvent, undefined> | undefined {
    try {
      const result = this.#next();
      if (result?.done === true) this.#options.onEnd();
      return result;
    } catch (error) {
      this.#options.onEnd();
      throw this.#options.errorOf(error);
    }
  }

  override onReady(listener: () => void): void {
    this.#options.changes.onReady(listener);
  }

  close(): void {
    this.#options.onEnd();
    this.#options.changes.close();
  }

  /** Streams that select everything get the same events. */
  override sharing(): Sharing<ObjectEvent> | undefined {
    if (!this.#options.selection.empty || this.#sharing) return this.#sharing;
    const sharing = this.#options.changes.sharing();
    return (this.#sharing = sharing && this.#sharingOf(sharing));
  }

  /** hot: once per event and watcher. */
  #next(): IteratorResult<ObjectEvent, undefined> | undefined {
    const { changes, selection, bookmarks, onChange } = this.#options;
    for (;;) {
      const result = changes.take();
      if (result === undefined || result.done === true) return result;
      const change = result.value;
      const event = change.type === 'progress' ? bookmarks?.at(change.revision) : eventOf(change, selection);
      onChange(change);
      if (event) return { value: event, done: false };
    }
  }

  #sharingOf(sharing: Sharing<Change<StoredVersion>>): Sharing<ObjectEvent> {
    const { selection } = this.#options;
    const others = { bookmarks: undefined, onChange: noop, onEnd: noop, errorOf: (error: unknown) => error };
    return { ...sharing, fork: () => new SelectedStream({ changes: sharing.fork(), selection, ...others }) };
  }
}

/** Returns the event of an object that exists when a watch begins. */
export const added = ({ value, revision }: Item<StoredVersion>): ObjectEvent => ({
  type: 'ADDED',
  stored: value,
  revision,
});

type KeyChange = Exclude<Change<StoredVersion>, { type: 'progress' }>;

/** Returns the event of a change for a selection; undefined if the selection contains the object neither before nor after it. */
function eventOf(change: KeyChange, selection: ReadSelection): ObjectEvent | undefined {
  const { previous, revision } = change;
  const stored = change.type === 'put' ? change.item.value : undefined;
  if (selection.empty && stored) return { type: previous ? 'MODIFIED' : 'ADDED', stored, revision };
  const was = previous !== undefined && selection.matches(previous.value);
  if (stored && selection.matches(stored)) return { type: was ? 'MODIFIED' : 'ADDED', stored, revision };
  return was ? { type: 'DELETED', stored: lastOf(change, previous.value), revision } : undefined;
}

/** The last states of removed objects by their last changes, shared by all watchers. */
const lasts = new WeakMap<KeyChange, StoredVersion>();

/** Returns the last state before the change, with the revision of the change. */
function lastOf(change: KeyChange, previous: StoredVersion): StoredVersion {
  const known = lasts.get(change);
  if (known) return known;
  const last = previous.at(change.revision);
  lasts.set(change, last);
  return last;
}
