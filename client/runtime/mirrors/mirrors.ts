import { repeatedly } from '../../../lib/logging/failure-state.js';
import { yieldToEventLoop } from '../../../lib/time-slice.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { apiVersionOf } from '../../../apimachinery/meta/gvk.js';
import type { MappedResource } from '../../interface.js';
import type { ControllerContext, Indexers, Informer, ObjectChange } from '../interface.js';
import { customResourceDefinitions } from '../../../api/kubernetes/resources.js';

export interface Mirror {
  readonly resource: MappedResource;
  readonly informer: Informer;
}

/** Live mirrors of all served resources that are wanted; they follow the changes of CRDs, and of the kinds of other API servers. */
export interface Mirrors {
  /** Returns the mirror of a kind; undefined if it is not served (any more) or not wanted. */
  forKind(apiVersion: string, kind: string): Mirror | undefined;
  all(): Iterable<Mirror>;
  /** Calls the listener for every existing object, then for every change in any mirror. */
  onChange(listener: MirrorListener): void;
  /** Calls the listener for every change from now on in any mirror, and for every object of a mirror that is started later. */
  onLaterChange(listener: MirrorListener): void;
  /** Calls the listener whenever kinds, or other versions of them, are served that were not served before, wanted or not. */
  onServed(listener: () => void): void;
}

type MirrorListener = (change: ObjectChange, mirror: Mirror) => void;

interface MirrorsOptions {
  readonly wants: (resource: MappedResource) => boolean;
  readonly indexers?: Indexers;
}

/**
 * Starts an informer for the preferred version of every served resource that is wanted. Watches CRDs to start and stop the informers of
 * custom resources, and follows the discovery of other API servers. Resolves when all first lists of this server's own kinds are in.
 */
export async function mirrorResources(context: ControllerContext, options: MirrorsOptions): Promise<Mirrors> {
  const mirrors = new ResourceMirrors(context, options);
  await mirrors.start();
  return mirrors;
}

class ResourceMirrors implements Mirrors {
  readonly #context: ControllerContext;
  readonly #options: MirrorsOptions;
  readonly #mirrors = new Map<string, Mirror>();
  readonly #listeners: MirrorListener[] = [];
  readonly #servedListeners: (() => void)[] = [];
  /** The versions of kinds that the last scan has found, wanted or not. */
  #served: ReadonlySet<string> = new Set();
  readonly #reportFailure: (error: unknown) => void;
  /** Settles when the scans that were begun are done. */
  #scanning = Promise.resolve();
  /** A scan is scheduled and has not begun: it covers all changes of kinds until it begins. */
  #isDue = false;

  constructor(context: ControllerContext, options: MirrorsOptions) {
    this.#context = context;
    this.#options = options;
    this.#reportFailure = repeatedly(context.log, 'the kinds that the API serves cannot be listed', 0);
  }

  /** Resolves when all first lists are in. Called once. */
  async start(): Promise<void> {
    const { client, informers, signal } = this.#context;
    await this.#rescan();
    informers.informer(customResourceDefinitions).onChange(({ old, new: definition }) => {
      const isSame = old && definition && old.metadata.resourceVersion === definition.metadata.resourceVersion;
      if (!isSame) this.#rescanLater();
    });
    const unfollow = client.mapper.onChange?.(() => this.#rescanLater());
    if (unfollow) signal.addEventListener('abort', unfollow, { once: true });
    // Another server may never answer.
    const own = [...this.#mirrors.values()].filter(({ resource }) => !resource.isAggregated);
    await Promise.all(own.map(({ informer }) => informer.synced));
  }

  forKind(apiVersion: string, kind: string): Mirror | undefined {
    return this.#mirrors.get(idOf(apiVersion, kind));
  }

  all(): Iterable<Mirror> {
    return this.#mirrors.values();
  }

  onChange(listener: MirrorListener): void {
    this.#listeners.push(listener);
    for (const mirror of this.#mirrors.values()) subscribe(mirror, listener);
  }

  onLaterChange(listener: MirrorListener): void {
    this.#listeners.push(listener);
    for (const mirror of this.#mirrors.values()) mirror.informer.onLaterChange(change => listener(change, mirror));
  }

  onServed(listener: () => void): void {
    this.#servedListeners.push(listener);
  }

  #rescanLater(): void {
    if (this.#isDue || this.#context.signal.aborted) return;
    this.#isDue = true;
    this.#scanning = this.#scanning
      .then(() => {
        this.#isDue = false;
        return this.#context.client.mapper.refresh();
      })
      .then(() => this.#rescan())
      .catch(this.#reportFailure);
  }

  /** Starts the mirrors of resources that are served now, and stops those of others. */
  async #rescan(): Promise<void> {
    const { client, informers } = this.#context;
    const served = new Set<string>();
    const mirrored = new Set<string>();
    const seen = new Set<string>(); // the first version of a resource is the preferred one
    for (const resource of await client.mapper.resources()) {
      // A mirror of this server opens a watch cache, and there are some sixty.
      const pause = yieldToEventLoop();
      if (pause) await pause;
      const id = idOf(apiVersionOf(resource), resource.kind);
      served.add(id);
      const name = `${resource.group}/${resource.resource}`;
      if (seen.has(name) || !this.#options.wants(resource)) continue;
      seen.add(name);
      mirrored.add(id);
      const known = this.#mirrors.get(id);
      const isElsewhere = known && known.resource.isAggregated !== resource.isAggregated;
      // The kind has moved to another server, or from there.
      if (isElsewhere) informers.release(known.resource);
      if (!known || isElsewhere) this.#mirrors.set(id, this.#mirror(resource));
    }
    for (const [id, { resource }] of this.#mirrors) {
      if (mirrored.has(id)) continue;
      this.#mirrors.delete(id);
      informers.release(resource);
    }
    const before = this.#served;
    this.#served = served;
    const isNew = [...served].some(id => !before.has(id));
    if (isNew) for (const listener of this.#servedListeners) listener();
  }

  #mirror(resource: MappedResource): Mirror {
    const { group, version, resource: plural } = resource;
    const { indexers } = this.#options;
    const informer = this.#context.informers.informer({ group, version, resource: plural }, indexers && { indexers });
    const mirror = { resource, informer };
    for (const listener of this.#listeners) subscribe(mirror, listener);
    return mirror;
  }
}

const idOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`;

const subscribe = (mirror: Mirror, listener: MirrorListener): void =>
  void mirror.informer.onChange(change => listener(change, mirror));

/** Reports whether objects of the resource can be listed, watched and deleted. */
export const isDeletable = ({ verbs }: MappedResource): boolean =>
  ['list', 'watch', 'delete'].every(verb => verbs.includes(verb));

/** Returns the object of a reference from its mirror; undefined if there is none. */
export function findMirrored(mirrors: Mirrors, apiVersion: string, kind: string, key: string): KubeObject | undefined {
  return mirrors.forKind(apiVersion, kind)?.informer.get(key);
}
