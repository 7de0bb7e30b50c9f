/** Keeps the status of APIServices: looks again whenever one of them, its service or the endpoints of that change. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import { type FollowOptions, follow } from '../../client/watch/follow.js';
import { found } from '../../client/found.js';
import type { Client } from '../../client/interface.js';
import type { APIService } from '../../api/kubernetes/apiregistration.js';
import type { Service } from '../../api/kubernetes/core.js';
import type { EndpointSlice } from '../../api/kubernetes/discovery.js';
import { local, unavailableBecause, verdictOf, withVerdict } from './availability.js';
import { createKeyedRunner } from './keyed-runner.js';
import { endpointSlices, services } from '../../api/kubernetes/resources.js';

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const;

export interface ApiServicesOptions {
  readonly catalogue: LiveCatalogue;
  /** Writes as kube-apiserver. */
  readonly client: Client;
  readonly now: () => number;
  readonly onError: (error: unknown, name: string) => void;
  readonly observe?: ObserveApiServices;
  readonly signal: AbortSignal;
}

/** What stands in the status of an APIService. */
export interface ObserveApiServices {
  /** `reason`: why it is not available; undefined: it is. */
  stands(name: string, reason: string | undefined): void;
  gone(name: string): void;
}

/** One that other servers stand behind, and what ends looking at its service. */
interface Followed {
  readonly where: string;
  readonly stop: AbortController;
}

export interface FollowedApiServices {
  /** All that stand at the start are looked after; rejects when the signal comes first. */
  readonly synced: Promise<void>;
  /** The signal has aborted and nothing is under way any more. */
  readonly done: Promise<void>;
}

export function followApiServices(options: ApiServicesOptions): FollowedApiServices {
  const { catalogue, client, now, onError, observe, signal } = options;
  if (!catalogue.byPlural(apiServices.group, apiServices.resource))
    return { synced: Promise.resolve(), done: Promise.resolve() };
  const followed = new Map<string, Followed>();
  const watching = new Set<Promise<void>>();
  const runs = createKeyedRunner(settle, { onError, signal });

  function watch(resource: GroupVersionResource, what: Pick<FollowOptions, 'selection' | 'signal' | 'onChange'>): void {
    const { done } = follow(resource, { client, ...what, onError: error => onError(error, resource.resource) });
    const ended = done.finally(() => watching.delete(ended));
    watching.add(ended);
  }

  async function settle(name: string): Promise<void> {
    const api = (await found(client.get(apiServices, { name }))) as APIService | undefined;
    if (!api) return;
    const status = withVerdict(api, verdictOf(api, await backingOf(api)), formatTime(now()));
    if (!status) return;
    try {
      await client.update(apiServices, { ...api, status }, { subresource: 'status' });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async function backingOf({ spec = {} }: APIService) {
    const { group = '', version = '', service: named } = spec;
    const own = catalogue.groups().some(entry => entry.name === group && entry.versions.includes(version));
    if (!named) return { service: undefined, slices: [], own };
    const { name = '', namespace = '' } = named;
    const [service, slices] = await Promise.all([
      found(client.get(services, { namespace, name })) as Promise<Service | undefined>,
      client.list(endpointSlices, { namespace, labelSelector: `kubernetes.io/service-name=${name}` }),
    ]);
    return { service, slices: slices.items as unknown as EndpointSlice[], own };
  }

  function lookAfter(name: string, { spec = {} }: APIService): void {
    const { name: service = '', namespace = '' } = spec.service ?? {};
    const where = spec.service ? `${namespace}/${service}` : '';
    const old = followed.get(name);
    if (old?.where === where) return;
    forget(name);
    if (where === '') return;
    const stop = new AbortController();
    followed.set(name, { where, stop });
    const both = AbortSignal.any([stop.signal, signal]);
    const one = { namespace, fieldSelector: `metadata.name=${service}` };
    const all = { namespace, labelSelector: `kubernetes.io/service-name=${service}` };
    const onChange = (): void => runs.run(name);
    watch(services, { selection: one, signal: both, onChange });
    watch(endpointSlices, { selection: all, signal: both, onChange });
  }

  function forget(name: string): void {
    followed.get(name)?.stop.abort();
    followed.delete(name);
  }

  const { synced, done } = follow(apiServices, {
    ...{ client, signal },
    onError: error => onError(error, apiServices.resource),
    onChange(name, _, is) {
      if (!is) {
        observe?.gone(name);
        return forget(name);
      }
      const api = is.object as APIService;
      observe?.stands(name, unavailableBecause(api));
      lookAfter(name, api);
      // Those of this server itself say so from the start.
      if (api.spec?.service || withVerdict(api, local, '')) runs.run(name);
    },
  });
  return { synced, done: done.then(async () => void (await Promise.all([...watching, runs.idle()]))) };
}
