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
import { type ApiServiceBackend, availabilityOf, local, unavailableBecause, withAvailability } from './availability.js';
import { createKeyedRunner, type KeyedRunner } from './keyed-runner.js';
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

/** Follows the APIServices, and for each with a Service that Service and its EndpointSlices. */
class ApiServiceFollower implements FollowedApiServices {
  readonly synced: Promise<void>;
  readonly done: Promise<void>;
  readonly #options: ApiServicesOptions;
  /** By the name of the APIService. */
  readonly #followed = new Map<string, Followed>();
  /** The watches of Services and EndpointSlices that have not ended. */
  readonly #watching = new Set<Promise<void>>();
  readonly #updates: KeyedRunner;

  constructor(options: ApiServicesOptions) {
    const { client, signal, onError } = options;
    this.#options = options;
    this.#updates = createKeyedRunner(name => this.#updateStatus(name), { onError, signal });
    const { synced, done } = follow(apiServices, {
      ...{ client, signal },
      onError: error => onError(error, apiServices.resource),
      onChange: (name, _, current) => this.#changed(name, current && current.object),
    });
    this.synced = synced;
    this.done = done.then(async () => void (await Promise.all([...this.#watching, this.#updates.idle()])));
  }

  #changed(name: string, api: APIService | undefined): void {
    const { observe } = this.#options;
    if (!api) {
      observe?.deleted(name);
      return this.#forget(name);
    }
    observe?.updated(name, unavailableBecause(api));
    this.#followService(name, api);
    // A local APIService needs an update only if its status is not Available yet.
    if (api.spec?.service || withAvailability(api, local, '')) this.#updates.run(name);
  }

  #followService(name: string, { spec = {} }: APIService): void {
    const { name: serviceName = '', namespace = '' } = spec.service ?? {};
    const service = spec.service ? `${namespace}/${serviceName}` : '';
    if (this.#followed.get(name)?.service === service) return;
    this.#forget(name);
    if (service === '') return;
    const stop = new AbortController();
    this.#followed.set(name, { service, stop });
    const signal = AbortSignal.any([stop.signal, this.#options.signal]);
    const byName = { namespace, fieldSelector: `metadata.name=${serviceName}` };
    const onChange = (): void => this.#updates.run(name);
    this.#watch(services, { selection: byName, signal, onChange });
    this.#watch(endpointSlices, { selection: slicesOf(namespace, serviceName), signal, onChange });
  }

  #watch(resource: GroupVersionResource, selected: Pick<FollowOptions, 'selection' | 'signal' | 'onChange'>): void {
    const { client, onError } = this.#options;
    const { done } = follow(resource, { client, ...selected, onError: error => onError(error, resource.resource) });
    const ended = done.finally(() => this.#watching.delete(ended));
    this.#watching.add(ended);
  }

  #forget(name: string): void {
    this.#followed.get(name)?.stop.abort();
    this.#followed.delete(name);
  }

  async #updateStatus(name: string): Promise<void> {
    const { client, now } = this.#options;
    const api = (await find(client, apiServices, { name })) as APIService | undefined;
    if (!api) return;
    const availability = availabilityOf(api, await this.#backendOf(api));
    const status = withAvailability(api, availability, formatTime(now()));
    if (!status) return;
    try {
      await client.update(apiServices, { ...api, status }, { subresource: 'status' });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  async #backendOf({ spec = {} }: APIService): Promise<ApiServiceBackend> {
    const { catalogue, client } = this.#options;
    const { group = '', version = '', service: reference } = spec;
    const isServedHere = catalogue.groups().some(entry => entry.name === group && entry.versions.includes(version));
    if (!reference) return { service: undefined, slices: [], isServedHere };
    const { name = '', namespace = '' } = reference;
    const [service, slices] = await Promise.all([
      find(client, services, { namespace, name }) as Promise<Service | undefined>,
      client.list(endpointSlices, slicesOf(namespace, name)),
    ]);
    return { service, slices: slices.items, isServedHere };
  }
}

/** Starts the updates of the status of APIServices, which the signal ends. Does nothing if the catalogue has no APIServices. */
export function followApiServices(options: ApiServicesOptions): FollowedApiServices {
  if (!options.catalogue.byPlural(apiServices.group, apiServices.resource))
    return { synced: Promise.resolve(), done: Promise.resolve() };
  return new ApiServiceFollower(options);
}
