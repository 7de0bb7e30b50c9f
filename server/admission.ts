/** Assembles the admission of a server: built-in plugins, Karmada's, and the webhooks and policies that users configure. */
import { repeatedly } from '../lib/logging/failure-state.js';
import type { Registry } from 'prom-client';
import type { Authn } from '../authn/authn.js';
import { webhookCaller } from '../aggregation/webhooks/caller.js';
import type { ResolveService } from '../aggregation/webhooks/resolve-service.js';
import { builtInPlugins } from '../admission/plugins/built-in.js';
import { chain, timed } from '../admission/chain.js';
import { inertFeatureWarnings } from '../admission/karmada/inert-features.js';
import type { AdmissionPlugin, AdmissionRequest } from '../registry/admission-plugin.js';
import { karmadaAdmission } from '../admission/karmada/karmada.js';
import { isKarmadaWebhook } from '../admission/karmada/karmada-webhooks.js';
import { runningPlugins } from '../admission/plugin-selection.js';
import { admissionPolicies } from '../admission/policy/plugins.js';
import { reinvoking } from '../admission/reinvocation.js';
import { tenantBoundaries } from '../admission/karmada/tenants/tenant-boundaries.js';
import { admissionWebhooks } from '../admission/webhook/webhooks.js';
import type { LiveCatalogue } from '../registry/catalogue/catalogue.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import type { WebhookCaller } from '../registry/webhook-caller.js';
import type { FeatureGates } from '../kinds/karmada/feature-gates.js';
import {
  admissionMetrics,
  conditionMetrics,
  policyMetrics,
  webhookMetrics,
} from '../apiserver/metrics/admission-metrics.js';
import type { Offload } from '../lib/offload/interface.js';
import type { ServerConfig } from './config.js';

interface AdmissionDeps {
  /** The server's own client: plugins read the API that they guard. */
  readonly client: Client;
  readonly catalogue: LiveCatalogue;
  readonly authn: Authn;
  readonly gates: FeatureGates;
  readonly offload: Offload;
  readonly resolve: ResolveService;
  readonly metrics: Registry;
  /** Ends the watches of the configuration. */
  readonly signal: AbortSignal;
}

interface Admission {
  /** All plugins in order. */
  readonly plugins: AdmissionPlugin;
  /** Calls webhooks, also for conversion and for parts. */
  readonly callWebhook: WebhookCaller;
  /** Resolves when the webhooks and policies of the start are known. */
  readonly ready: Promise<void>;
  /** Exempts the writes of this identity from webhooks and policies until `completed` is called. */
  trust(identity: Identity): void;
  readonly completed: () => void;
  /** Waits for the end of the watches, after the signal has aborted. */
  close(): Promise<void>;
}

/** Creates the admission. Webhooks and policies are followed until the signal aborts; requests wait until the existing ones are known. */
export function createAdmission(config: ServerConfig, deps: AdmissionDeps): Admission {
  const { client, catalogue, authn, gates, offload, resolve, metrics, signal } = deps;
  const isKarmada = config.profile === 'karmada';
  const unread = repeatedly(config.log, 'the configuration of admission cannot be watched');
  // differs: a webhook that does not answer must not keep the server from starting, since its configuration could not be deleted then.
  let complete = false;
  const trusted = new WeakSet<Identity>();
  const configured = {
    ...{ client, catalogue, signal },
    authorize: authn.authorize,
    skips: ({ user }: AdmissionRequest): boolean => !complete && trusted.has(user),
    onError: (error: unknown, resource: string): void => unread(error, resource, { resource }),
    conditions: conditionMetrics(metrics),
  };
  const caller = webhookCaller({ resolve });
  const webhooks = admissionWebhooks({
    ...{ ...configured, call: caller.call, observe: webhookMetrics(metrics) },
    ...(isKarmada && { isBuiltIn: isKarmadaWebhook }),
  });
  const policies = admissionPolicies({ ...configured, observe: policyMetrics(metrics) });
  const { allowNoExecuteTaintPolicy = false, tenantBoundaries: boundaries = 'enforce' } = config;
  const chained = [
    policies.mutating,
    ...(isKarmada ? [karmadaAdmission({ client, gates, offload, allowNoExecuteTaintPolicy })] : []),
    webhooks.mutating,
    ...authn.plugins,
    ...(isKarmada && boundaries !== 'off' ? [tenantBoundaries(boundaries, authn.authorize)] : []),
    ...(isKarmada ? [inertFeatureWarnings(gates, config.evictsByTaints)] : []),
    policies.validating,
    webhooks.validating,
  ];
  const runs = runningPlugins(config.profile, config.admissionPlugins);
  const ready = Promise.all([webhooks.synced, policies.synced]).then(() => undefined);
  ready.catch(() => undefined); // a start that fails earlier reports its own error
  const timing = admissionMetrics(metrics);
  return {
    plugins: timed(reinvoking(chain(builtInPlugins({ client }, chained, runs), timing)), timing),
    callWebhook: caller.call,
    ready,
    trust: identity => void trusted.add(identity),
    completed: () => void (complete = true),
    async close() {
      await Promise.all([webhooks.done, policies.done]);
      await caller.close();
    },
  };
}
