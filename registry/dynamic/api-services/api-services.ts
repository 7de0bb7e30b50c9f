/**
 * Updates the status of APIServices whenever one of them, its Service or the EndpointSlices of that change, and when its server begins or ceases to
 * answer.
 */
import type { GroupVersionResource } from '../../../apimachinery/interface.js';
import { isConflict, isNotFound } from '../../../apimachinery/errors/status.js';
import { formatTime } from '../../../lib/go/time.js';
import type { LiveCatalogue } from '../../catalogue/catalogue.js';
import { type FollowOptions, follow } from '../../../client/watch/follow.js';
import { find } from '../../../client/find.js';
import type { Client, ListQuery } from '../../../client/interface.js';
import type { APIService } from '../../../api/kubernetes/apiregistration.js';
import type { Service } from '../../../api/kubernetes/core.js';
import {
  type ApiServiceBackend,
  availabilityOf,
  checkedAvailability,
  localAvailability,
  unavailableBecause,
  withAvailability,
} from './availability.js';
import type { ApiServers } from './api-servers.js';
import { servesBuiltIn } from './built-in.js';
import { createKeyedRunner, type KeyedRunner } from '../keyed-runner.js';
import { endpointSlices, services } from '../../../api/kubernetes/resources.js';
import { serviceNameLabel } from '../../../api/kubernetes/well-known.js';

const apiServices = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices' } as const;

interface ApiServicesOptions {
  readonly catalogue: LiveCatalogue;
  /** Writes the status, as kube-apiserver. */
  readonly client: Client;
  readonly now: () => number;
  readonly servers: ApiServers;
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

/** Milliseconds after which a server that has answered is asked again. as kube-aggregator/pkg/controllers/status/remote New */
const recheckMs = 30_000;
/** Milliseconds after which a server that has not answered is asked again, doubled with every failure up to `recheckMs`. */
const firstRetryMs = 100;

/** An APIService with a Service, whose watches `stop` ends. */
interface Followed {
  /** NAMESPACE/NAME of the Service. */
  readonly service: string;
  readonly stop: AbortController;
  /** The failures of its server since the last answer. */
  failures: number;
  /** Starts the next check. */
  timer: NodeJS.Timeout | undefined;
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
    this.done = done.then(async () => {
      for (const name of this.#followed.keys()) this.#forget(name);
      await Promise.all([...this.#watching, this.#updates.idle()]);
    });
  }

  #changed(name: string, api: APIService | undefined): void {
    const { observe, servers } = this.#options;
    servers.changed(name, api);
    if (!api) {
      observe?.deleted(name);
      return this.#forget(name);
    }
    observe?.updated(name, unavailableBecause(api));
    this.#followService(name, api);
    // A local APIService needs an update only if its status is not Available yet.
    if (api.spec?.service || withAvailability(api, localAvailability, '')) this.#updates.run(name);
  }

  #followService(name: string, { spec = {} }: APIService): void {
    const { name: serviceName = '', namespace = '' } = spec.service ?? {};
    const service = spec.service ? `${namespace}/${serviceName}` : '';
    if (this.#followed.get(name)?.service === service) return;
    this.#forget(name);
    if (service === '') return;
    const stop = new AbortController();
    this.#followed.set(name, { service, stop, failures: 0, timer: undefined });
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
    const followed = this.#followed.get(name);
    clearTimeout(followed?.timer);
    followed?.stop.abort();
    this.#followed.delete(name);
  }

  async #updateStatus(name: string): Promise<void> {
    const { client, now, signal } = this.#options;
    const api = (await find(client, apiServices, { name })) as APIService | undefined;
    if (!api) return;
    const availability = availabilityOf(api, await this.#backendOf(api)) ?? (await this.#check(name, api));
    if (signal.aborted) return;
    const status = withAvailability(api, availability, formatTime(now()));
    if (!status) return;
    try {
      await client.update(apiServices, { ...api, status }, { subresource: 'status' });
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }

  /** Asks the server, and plans the next check. What this server serves itself is always available. */
  async #check(name: string, api: APIService): Promise<ReturnType<typeof checkedAvailability>> {
    const { catalogue, servers, signal } = this.#options;
    const { group = '', version = '' } = api.spec ?? {};
    if (servesBuiltIn(catalogue, group, version)) return checkedAvailability(undefined);
    const failure = await servers.check(api, signal);
    const followed = this.#followed.get(name);
    if (followed && !signal.aborted) {
      const waitMs = failure === undefined ? recheckMs : Math.min(firstRetryMs * 2 ** followed.failures, recheckMs);
      followed.failures = failure === undefined ? 0 : followed.failures + 1;
      clearTimeout(followed.timer);
      followed.timer = setTimeout(() => this.#updates.run(name), waitMs).unref();
    }
    return checkedAvailability(failure);
  }

  async #backendOf({ spec = {} }: APIService): Promise<ApiServiceBackend> {
    const { client } = this.#options;
    if (!spec.service) return { service: undefined, slices: [] };
    const { name = '', namespace = '' } = spec.service;
    const [service, slices] = await Promise.all([
      find(client, services, { namespace, name }) as Promise<Service | undefined>,
      client.list(endpointSlices, slicesOf(namespace, name)),
    ]);
    return { service, slices: slices.items };
  }
}

/** Starts the updates of the status of APIServices, which the signal ends. Does nothing if the catalogue has no APIServices. */
export function followApiServices(options: ApiServicesOptions): FollowedApiServices {
  if (!options.catalogue.byPlural(apiServices.group, apiServices.resource))
    return { synced: Promise.resolve(), done: Promise.resolve() };
  return new ApiServiceFollower(options);
}
