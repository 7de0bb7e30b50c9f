/** Updates the status of APIServices whenever one of them, its Service or the EndpointSlices of that change. */
import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import { formatTime } from '../../lib/go/time.js';
import type { LiveCatalogue } from '../catalogue/catalogue.js';
import { type FollowOptions, follow } from '../../client/watch/follow.js';
import { find } from '../../client/find.js';
import type { Client, ListQuery } from '../../client/interface.js';
import type { APIService } from '../../api/kubernetes/apiregistration.js';
import type { Service } from '../../api/kubernetes/core.js';
import type { EndpointSlice } from '../../api/kubernetes/discovery.js';
import { availabilityOf, local, unavailableBecause, withAvailability } from './availability.js';
import { createKeyedRunner } from './keyed-runner.js';
import { endpointSlices, services } from '../../api/kubernetes/resources.js';
import { serviceNameLabel } from '../../api/kubernetes/well-known.js';

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const;

interface ApiServicesOptions {
  readonly catalogue: LiveCatalogue;
  /** Writes the status, as kube-apiserver. */
  readonly client: Client;
  readonly now: () => number;
  readonly onError: (error: unknown, name: string) => void;
  readonly observe?: ObserveApiServices;
  readonly signal: AbortSignal;
}

/** Observes the availability of APIServices, for metrics. */
export interface ObserveApiServices {
  /** Called with the reason why an APIService is unavailable; undefined if it is available. */
  updated(name: string, reason: string | undefined): void;
  deleted(name: string): void;
}

/** An APIService with a Service, whose watches `stop` ends. */
interface Followed {
  /** NAMESPACE/NAME of the Service. */
  readonly service: string;
  readonly stop: AbortController;
}

interface FollowedApiServices {
  /** Resolves when all existing APIServices have been listed; rejects if the signal aborts first. */
  readonly synced: Promise<void>;
  /** Resolves when the signal has aborted and nothing is running any more. */
  readonly done: Promise<void>;
}

/** Selects the EndpointSlices of a Service. */
const slicesOf = (namespace: string, service: string): ListQuery => ({
  namespace,
  labelSelector: `${serviceNameLabel}=${service}`,
});

export function followApiServices(options: ApiServicesOptions): FollowedApiServices {
  const { catalogue, client, now, onError, observe, signal } = options;
  if (!catalogue.byPlural(apiServices.group, apiServices.resource))
    return { synced: Promise.resolve(), done: Promise.resolve() };
  const followed = new Map<string, Followed>();
  const watching = new Set<Promise<void>>();
  const runs = createKeyedRunner(updateStatus, { onError, signal });

  function watch(
    resource: GroupVersionResource,
    selected: Pick<FollowOptions, 'selection' | 'signal' | 'onChange'>,
  ): void {
    const { done } = follow(resource, { client, ...selected, onError: error => onError(error, resource.resource) });
    const ended = done.finally(() => watching.delete(ended));
    watching.add(ended);
  }

  async function updateStatus(name: string): Promise<void> {
    const api = (await find(client, apiServices, { name })) as APIService | undefined;
    if (!api) return;
    const status = withAvailability(api, availabilityOf(api, await backingOf(api)), formatTime(now()));
    if (!status) return;
    try {
      await client.update(apiServices, { ...api, status }, { subresource: 'status' });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async function backingOf({ spec = {} }: APIService) {
    const { group = '', version = '', service: named } = spec;
    const isServedHere = catalogue.groups().some(entry => entry.name === group && entry.versions.includes(version));
    if (!named) return { service: undefined, slices: [], isServedHere };
    const { name = '', namespace = '' } = named;
    const [service, slices] = await Promise.all([
      find(client, services, { namespace, name }) as Promise<Service | undefined>,
      client.list(endpointSlices, slicesOf(namespace, name)),
    ]);
    return { service, slices: slices.items as EndpointSlice[], isServedHere };
  }

  function followService(name: string, { spec = {} }: APIService): void {
    const { name: serviceName = '', namespace = '' } = spec.service ?? {};
    const service = spec.service ? `${namespace}/${serviceName}` : '';
    const old = followed.get(name);
    if (old?.service === service) return;
    forget(name);
    if (service === '') return;
    const stop = new AbortController();
    followed.set(name, { service, stop });
    const both = AbortSignal.any([stop.signal, signal]);
    const byName = { namespace, fieldSelector: `metadata.name=${serviceName}` };
    const onChange = (): void => runs.run(name);
    watch(services, { selection: byName, signal: both, onChange });
    watch(endpointSlices, { selection: slicesOf(namespace, serviceName), signal: both, onChange });
  }

  function forget(name: string): void {
    followed.get(name)?.stop.abort();
    followed.delete(name);
  }

  const { synced, done } = follow(apiServices, {
    ...{ client, signal },
    onError: error => onError(error, apiServices.resource),
    onChange(name, _, current) {
      if (!current) {
        observe?.deleted(name);
        return forget(name);
      }
      const api = current.object as APIService;
      observe?.updated(name, unavailableBecause(api));
      followService(name, api);
      // A local APIService needs an update only if its status is not Available yet.
      if (api.spec?.service || withAvailability(api, local, '')) runs.run(name);
    },
  });
  return { synced, done: done.then(async () => void (await Promise.all([...watching, runs.idle()]))) };
}
