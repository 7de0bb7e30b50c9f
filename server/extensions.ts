import { qualified } from '../apimachinery/errors/status.js';
import type { PublishedResource, RemoteGroupVersion } from '../openapi/publish/interface.js';
import type { ResourceDefinition } from '../registry/interface.js';
import { podConnects } from '../apiserver/connects/pods.js';
import { proxyConnects } from '../apiserver/connects/proxies.js';
import type { ConnectHandler, Delegate } from '../apiserver/interface.js';
import type { ServerConfig } from './config.js';
import type { Core } from './core.js';
import type { RunningPart, ServedGroupVersions } from './parts.js';

/** Handlers besides the server's own, which parts add while they start. */
export interface Extensions {
  readonly delegates: readonly Delegate[];
  /** Returns the handler of a connect subresource. */
  readonly connectFor: (definition: ResourceDefinition, subresource: string) => ConnectHandler | undefined;
  /** The group versions of the parts, for discovery. */
  readonly groupVersions: PartGroupVersions;
  add(part: RunningPart): void;
}

/** The group versions of all parts, without those that other servers serve in their place. */
class PartGroupVersions {
  readonly #parts: ServedGroupVersions[] = [];
  readonly #isElsewhere: (group: string, version: string) => boolean;

  constructor(isElsewhere: (group: string, version: string) => boolean) {
    this.#isElsewhere = isElsewhere;
  }

  /** Grows with every part that has some. */
  get generation(): number {
    return this.#parts.length;
  }

  resources(): PublishedResource[] {
    return this.#parts.flatMap(({ resources }) => resources);
  }

  versions(): RemoteGroupVersion[] {
    return this.#parts
      .flatMap(({ dynamic }) => dynamic)
      .filter(({ group, version }) => !this.#isElsewhere(group, version));
  }

  add(served: ServedGroupVersions): void {
    this.#parts.push(served);
  }
}

/** Returns what the server itself and its configuration serve besides resources. Parts add theirs when they start. */
export function extensionsOf(config: ServerConfig, { client, aggregator, kubelets: backends }: Core): Extensions {
  const delegates = [aggregator.delegate, ...(config.delegates ?? [])];
  const { addressTypes, timeoutMs } = config.kubelets ?? {};
  const access = { client, backends, addressTypes, timeoutMs };
  const connects = new Map(Object.entries({ ...podConnects(access), ...proxyConnects(access), ...config.connects }));
  const groupVersions = new PartGroupVersions((group, version) => aggregator.serves(group, version));
  return {
    ...{ delegates, groupVersions },
    connectFor: ({ plural, group }, subresource) => connects.get(`${qualified(plural, group)}/${subresource}`),
    add(part) {
      delegates.push(...(part.delegates ?? []));
      if (part.groupVersions) groupVersions.add(part.groupVersions);
      for (const [name, connect] of Object.entries(part.connects ?? {})) connects.set(name, connect);
    },
  };
}
