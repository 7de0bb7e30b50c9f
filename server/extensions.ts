import { qualified } from '../apimachinery/errors/status.js';
import type { ResourceDefinition } from '../registry/interface.js';
import { podConnects } from '../apiserver/connects/pods.js';
import { proxyConnects } from '../apiserver/connects/proxies.js';
import type { ConnectHandler, Delegate } from '../apiserver/interface.js';
import type { ServerConfig } from './config.js';
import type { Core } from './core.js';
import type { RunningPart } from './parts.js';

/** Handlers besides the server's own, which parts add while they start. */
export interface Extensions {
  readonly delegates: readonly Delegate[];
  /** Returns the handler of a connect subresource. */
  readonly connectFor: (definition: ResourceDefinition, subresource: string) => ConnectHandler | undefined;
  add(part: RunningPart): void;
}

export function extensionsOf(config: ServerConfig, { client, aggregator, kubelets: backends }: Core): Extensions {
  const delegates = [aggregator.delegate, ...(config.delegates ?? [])];
  const { addressTypes, timeoutMs } = config.kubelets ?? {};
  const access = { client, backends, addressTypes, timeoutMs };
  const connects = new Map(Object.entries({ ...podConnects(access), ...proxyConnects(access), ...config.connects }));
  return {
    delegates,
    connectFor: ({ plural, group }, subresource) => connects.get(`${qualified(plural, group)}/${subresource}`),
    add(part) {
      delegates.push(...(part.delegates ?? []));
      for (const [name, connect] of Object.entries(part.connects ?? {})) connects.set(name, connect);
    },
  };
}
