import { repeatedly } from '../../lib/logging/trouble.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import type { MappedResource } from '../interface.js';
import type { ControllerContext, Indexers, Informer, ObjectChange } from './interface.js';
import { customResourceDefinitions } from '../../api/kubernetes/resources.js';

export interface Mirror {
  readonly resource: MappedResource;
  readonly informer: Informer;
}

/** Live mirrors of all served resources that are wanted; they follow the changes of CRDs. */
export interface Mirrors {
  /** Returns the mirror of a kind; undefined if it is not served (any more) or not wanted. */
  forKind(apiVersion: string, kind: string): Mirror | undefined;
  all(): Iterable<Mirror>;
  /** Calls the listener for every existing object, then for every change in any mirror. */
  onChange(listener: MirrorListener): void;
}

export type MirrorListener = (change: ObjectChange, mirror: Mirror) => void;

export interface MirrorsOptions {
  readonly wants: (resource: MappedResource) => boolean;
  readonly indexers?: Indexers;
}

/**
 * Starts an informer for the preferred version of every served resource that is wanted. Watches CRDs to start and stop the informers of
 * custom resources. Resolves when all first lists are in.
 */
export async function mirrorResources(context: ControllerContext, options: MirrorsOptions): Promise<Mirrors> {
  const { client, informers, signal, log } = context;
  const mirrors = new Map<string, Mirror>();
  const listeners: MirrorListener[] = [];
  const subscribe = (mirror: Mirror, listener: MirrorListener): void =>
    void mirror.informer.onChange(change => listener(change, mirror));
  const idOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`;

  function start(resource: MappedResource): Mirror {
    const { group, version, resource: plural } = resource;
    const indexers = options.indexers ? { indexers: options.indexers } : {};
    const informer = informers.informer({ group, version, resource: plural }, indexers);
    const mirror = { resource, informer };
    for (const listener of listeners) subscribe(mirror, listener);
    return mirror;
  }

  async function rescan(): Promise<void> {
    const served = new Set<string>();
    const seen = new Set<string>(); // the first version of a resource is the preferred one
    for (const resource of await client.mapper.resources()) {
      const name = `${resource.group}/${resource.resource}`;
      if (seen.has(name) || !options.wants(resource)) continue;
      seen.add(name);
      const id = idOf(apiVersionOf(resource), resource.kind);
      served.add(id);
      if (!mirrors.has(id)) mirrors.set(id, start(resource));
    }
    for (const [id, { resource }] of mirrors) {
      if (served.has(id)) continue;
      mirrors.delete(id);
      informers.release(resource);
    }
  }

  const reportFailure = repeatedly(log, 'the kinds that the API serves cannot be listed', 0);
  await rescan();
  let scanning = Promise.resolve();
  /** A scan is scheduled and has not begun: it covers all changes of CRDs until it begins. */
  let isDue = false;
  informers.informer(customResourceDefinitions).onChange(({ old, new: definition }) => {
    const isSame = old && definition && old.metadata.resourceVersion === definition.metadata.resourceVersion;
    if (signal.aborted || isSame || isDue) return;
    isDue = true;
    scanning = scanning
      .then(() => {
        isDue = false;
        return client.mapper.refresh();
      })
      .then(rescan)
      .catch(reportFailure);
  });
  await Promise.all([...mirrors.values()].map(({ informer }) => informer.synced));

  return {
    forKind: (apiVersion, kind) => mirrors.get(idOf(apiVersion, kind)),
    all: () => mirrors.values(),
    onChange(listener) {
      listeners.push(listener);
      for (const mirror of mirrors.values()) subscribe(mirror, listener);
    },
  };
}

/** Reports whether objects of the resource can be listed, watched and deleted. */
export const isDeletable = ({ verbs }: MappedResource): boolean =>
  ['list', 'watch', 'delete'].every(verb => verbs.includes(verb));

/** Returns the object of a reference from its mirror; undefined if there is none. */
export function findMirrored(mirrors: Mirrors, apiVersion: string, kind: string, key: string): KubeObject | undefined {
  return mirrors.forKind(apiVersion, kind)?.informer.get(key);
}
