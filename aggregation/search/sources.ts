/** Opens what a watch over all clusters reads. */
import { internal, timeout } from '../../apimachinery/errors/status.js';
import { unlessAborted } from '../../lib/unless-aborted.js';
import type { Cached } from './cached.js';
import type { Collection } from './caches.js';
import { CatchUp } from './catch-up.js';
import { type Cursor, isOlder } from './feed.js';
import type { HeldObjects } from './held-lists.js';
import { requestAll } from './member-reads.js';
import { memberQuery, type MirrorSelection } from './selection.js';
import type { Versions } from './versions.js';

/** What a watch reads of one cluster. */
export interface WatchSource {
  readonly collection: Collection;
  /** Where the changes come from. */
  changes: Cursor | CatchUp;
  /** The resourceVersion at which they begin. */
  readonly from: string;
  /** Existing objects to send first. Empty when they were sent: a watch may last for long, and the objects change meanwhile. */
  initial: readonly Cached[];
  /** The memory that the request holds for them until then. */
  readonly heldBytes: number;
}

/** What the sources of a watch are opened for. */
interface Opening {
  readonly versions: Versions;
  readonly selection: MirrorSelection;
  /** Whether the existing objects are asked for: whatever the version if true, not at all if false, without a version if undefined. */
  readonly sendInitialEvents: boolean | undefined;
  /** Counts what is read from members. */
  readonly held: HeldObjects;
  /** Called when a source that reads from its member has more. */
  readonly onChange: () => void;
}

const nothingFirst = { initial: [], heldBytes: 0 } as const;

/** Members that are read at a time. */
const maxReads = 16;
/** Seconds within which a member must have answered with its list. as kube-apiserver --request-timeout */
const memberSeconds = 60;

/** Returns the version of a state of a mirror: it may have an object whose change is not in the feed yet. */
export const versionOf = (position: string, objects: readonly Cached[]): string => {
  let version = position;
  for (const { metadata } of objects)
    if (isOlder(version, metadata.resourceVersion ?? '')) version = metadata.resourceVersion ?? '';
  return version;
};

/** Ends the reads of a source from its member, if it has any. */
export function stopSource({ changes }: WatchSource): void {
  if (changes instanceof CatchUp) changes.stop();
}

class SourceOpener {
  readonly #opening: Opening;
  readonly #failed = new AbortController();
  /** Aborts with the end of the watch, and with the first failure. */
  readonly #signal: AbortSignal;
  readonly #sources = new Map<Collection, WatchSource>();

  constructor(opening: Opening, signal: AbortSignal) {
    this.#opening = opening;
    this.#signal = AbortSignal.any([signal, this.#failed.signal]);
  }

  async open(collections: readonly Collection[]): Promise<WatchSource[]> {
    const left = collections.values();
    await Promise.all(Array.from({ length: maxReads }, () => this.#openEach(left)));
    const sources = collections.flatMap(each => this.#sources.get(each) ?? []);
    if (!this.#signal.aborted) return sources;
    for (const source of sources) stopSource(source);
    throw this.#signal.reason as Error;
  }

  async #openEach(left: Iterable<Collection>): Promise<void> {
    for (const collection of left) {
      if (this.#signal.aborted) return;
      try {
        this.#sources.set(collection, await this.#open(collection));
      } catch (error) {
        this.#failed.abort(error);
      }
    }
  }

  #open(collection: Collection): WatchSource | Promise<WatchSource> {
    const { versions, selection, sendInitialEvents, onChange } = this.#opening;
    const { feed, informer, cluster } = collection;
    const version = versions.get(cluster);
    const { position } = feed;
    if (position === undefined) throw internal(`the cache of cluster ${cluster} is not ready`);
    if (version === '' || version === '0' || sendInitialEvents === true) {
      if (collection.keptPaths && sendInitialEvents === false)
        return {
          collection,
          from: position,
          changes: new CatchUp(collection, position, selection, onChange),
          ...nothingFirst,
        };
      if (collection.keptPaths) return this.#openMember(collection);
      const initial = informer.list();
      const from = versionOf(position, initial);
      return { collection, from, changes: feed.cursor(from), initial, heldBytes: 0 };
    }
    const isInFeed = !collection.keptPaths && feed.has(version);
    const changes = isInFeed ? feed.cursor(version) : new CatchUp(collection, version, selection, onChange);
    return { collection, from: version, changes, ...nothingFirst };
  }

  /** Opens a source whose mirror keeps a part of the objects only: all comes from the member. */
  async #openMember(collection: Collection): Promise<WatchSource> {
    const { selection, held, onChange } = this.#opening;
    const timer = setTimeout(
      () => this.#failed.abort(timeout(`cluster ${collection.cluster} did not answer within ${memberSeconds} s`)),
      memberSeconds * 1000,
    );
    try {
      const list = requestAll(collection, memberQuery(selection), { held, signal: this.#signal });
      const { items, heldBytes, version: from } = await unlessAborted(list, this.#signal);
      const changes = new CatchUp(collection, from, selection, onChange);
      return { collection, from, changes, initial: items, heldBytes };
    } finally {
      clearTimeout(timer);
    }
  }
}

/**
 * Opens the sources of a watch, in the order of the collections. Those that read from their members do so at the same time. Rejects with the first
 * failure: a watch that went on without one member would keep its changes from the client. Rejects with the reason of the signal when that aborts.
 */
export const openSources = (
  collections: readonly Collection[],
  opening: Opening,
  signal: AbortSignal,
): Promise<WatchSource[]> => new SourceOpener(opening, signal).open(collections);
