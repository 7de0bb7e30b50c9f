/** Sets up priority and fairness, or plain limits, from the configuration. */
import { repeatedly } from '../lib/logging/failure-state.js';
import { performance } from 'node:perf_hooks';
import type { Registry } from 'prom-client';
import { ensureFairness } from '../authn/bootstrap/fairness.js';
import { systemClock } from '../lib/clock.js';
import { createInformerFactory } from '../client/runtime/mirrors/informer.js';
import type { Client } from '../client/interface.js';
import type { FlowSchema, PriorityLevelConfiguration } from '../api/kubernetes/flowcontrol.js';
import { fairness } from '../apiserver/flow/fairness.js';
import { FlowControl } from '../apiserver/flow/flow-control.js';
import { flowMetrics } from '../apiserver/flow/flow-metrics.js';
import { flowSchemas, maintainFlowObjects, priorityLevels } from '../apiserver/flow/maintain-flow-objects.js';
import { maxInFlight } from '../apiserver/flow/max-in-flight.js';
import type { RequestFilter } from '../apiserver/http/filters.js';
import type { RequestLimits } from './config.js';
import type { AdjustableLogger } from './logger.js';

/** Defaults as in apiserver/pkg/server/config.go. */
const defaults = { reading: 400, writing: 200 };

export interface RequestLimiter {
  readonly filter: RequestFilter;
  /** Undefined: plain limits. */
  readonly control: FlowControl | undefined;
  /** Watches the configuration objects, once they exist. Resolves when they are in effect. */
  follow(client: Client, log: AdjustableLogger, signal: AbortSignal): Promise<void>;
}

/** Returns the limiter: priority and fairness, or plain limits if `priorityAndFairness` is false. Absent limits are those of kube-apiserver. */
export function requestLimiter(limits: RequestLimits | undefined, registry: Registry): RequestLimiter {
  const { reading, writing } = { ...defaults, ...limits };
  if (limits?.priorityAndFairness === false)
    return { filter: maxInFlight({ reading, writing }), control: undefined, follow: () => Promise.resolve() };
  const clock = (): number => performance.now();
  const control = new FlowControl(reading + writing, clock);
  return {
    filter: fairness({ control, metrics: flowMetrics(registry, control), clock }),
    control,
    follow: (client, log, signal) => {
      const { informer } = createInformerFactory({ client, clock: systemClock, log, signal });
      return maintainFlowObjects({
        ...{ control, client, signal },
        schemas: informer<FlowSchema>(flowSchemas),
        levels: informer<PriorityLevelConfiguration>(priorityLevels),
        restore: () => ensureFairness(client),
        onError: repeatedly(log, 'the objects of API Priority and Fairness cannot be kept'),
        ...(limits?.restoreEveryMs !== undefined && { restoreEveryMs: limits.restoreEveryMs }),
      });
    },
  };
}
