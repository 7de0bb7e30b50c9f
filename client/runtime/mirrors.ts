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

/** Live mirrors of many resources, growing and shrinking with what is served. */
export interface Mirrors {
  /** undefined: not served (any more), or not wanted. */
  forKind(apiVersion: string, kind: string): Mirror | undefined;
  all(): Iterable<Mirror>;
  /** Called for what is there already, then for every change of any of them. */
  onChange(listener: MirrorListener): void;
}

export type MirrorListener = (change: ObjectChange, mirror: Mirror) => void;

export interface MirrorsOptions {
  readonly wants: (resource: MappedResource) => boolean;
  readonly indexers?: Indexers;
}

/**
 * Starts an informer for every served resource that is wanted, one version of each: the preferred one. Definitions of custom resources
 * are watched, so that theirs come and go in step. Resolves when all first lists are in.
 */
export async function mirrorResources(context: ControllerContext, options: MirrorsOptions): Promise<Mirrors> {
  const { client, informers, signal, log } = context;
  const mirrors = new Map<string, Mirror>();
  const listeners: MirrorListener[] = [];
  const tell = (mirror: Mirror, listener: MirrorListener): void =>
    void mirror.informer.onChange(change => listener(change, mirror));
  const idOf = (apiVersion: string, kind: string): string => `${apiVersion}|${kind}`;

  function start(resource: MappedResource): Mirror {
    const { group, version, resource: plural } = resource;
    const indexers = options.indexers ? { indexers: options.indexers } : {};
    const informer = informers.informer({ group, version, resource: plural }, indexers);
    const mirror = { resource, informer };
    for (const listener of listeners) tell(mirror, listener);
    return mirror;
  }

  async function rescan(): Promise<void> {
    const served = new Set<string>();
    const places = new Set<string>(); // of several versions of a resource, the first is the preferred one
    for (const resource of await client.mapper.resources()) {
      const place = `${resource.group}/${resource.resource}`;
      if (places.has(place) || !options.wants(resource)) continue;
      places.add(place);
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

  const undiscovered = repeatedly(log, 'the kinds that the API serves cannot be listed', 0);
  await rescan();
  let scanning = Promise.resolve();
  /** One is about to begin: definitions that come side by side are looked at together. */
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
      .catch(undiscovered);
  });
  await Promise.all([...mirrors.values()].map(({ informer }) => informer.synced));

  return {
    forKind: (apiVersion, kind) => mirrors.get(idOf(apiVersion, kind)),
    all: () => mirrors.values(),
    onChange(listener) {
      listeners.push(listener);
      for (const mirror of mirrors.values()) tell(mirror, listener);
    },
  };
}

/** Can objects of the resource be listed, watched and deleted? */
export const isDeletable = ({ verbs }: MappedResource): boolean =>
  ['list', 'watch', 'delete'].every(verb => verbs.includes(verb));

/** The mirror's object for a reference by type and name. */
export function findMirrored(mirrors: Mirrors, apiVersion: string, kind: string, key: string): KubeObject | undefined {
  return mirrors.forKind(apiVersion, kind)?.informer.get(key);
}
