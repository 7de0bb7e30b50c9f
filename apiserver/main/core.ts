/** The API without its HTTP edge: catalogue, access, admission, pipeline, dynamic kinds. */
import { Registry } from 'prom-client';
import { type Authn, createAuthn } from '../../authn/authn.js';
import type { Pki } from '../../authn/pki/files.js';
import { webhookCaller } from '../../aggregation/webhooks/caller.js';
import { type Address, serviceResolver } from '../../aggregation/webhooks/resolve-service.js';
import { builtInPlugins } from '../../registry/admission/built-in.js';
import { chain, timed } from '../../registry/admission/chain.js';
import type { AdmissionPlugin, AdmissionRequest } from '../../registry/admission/interface.js';
import { karmadaAdmission } from '../../registry/admission/karmada.js';
import { isKarmadaWebhook } from '../../registry/admission/karmada-webhooks.js';
import { admissionPolicies } from '../../registry/admission/policy/plugins.js';
import { reinvoking } from '../../registry/admission/reinvocation.js';
import { admissionWebhooks } from '../../registry/admission/webhook/webhooks.js';
import { createCatalogue, type LiveCatalogue } from '../../registry/catalogue/catalogue.js';
import { loopback } from '../../registry/client/loopback.js';
import type { Client, Identity } from '../../registry/interface.js';
import { featureGates } from '../../registry/kinds/karmada/feature-gates.js';
import { karmadaDefinitions } from '../../registry/kinds/karmada/definitions.js';
import { nativeDefinitions } from '../../registry/kinds/native.js';
import { withServiceAddresses } from '../../registry/kinds/core/services/service-addresses.js';
import { withAccess } from '../../registry/kinds/with-access.js';
import { createPipeline, type RunningPipeline } from '../../registry/pipeline/pipeline.js';
import type { WebhookCaller } from '../../registry/webhooks/interface.js';
import type { Backend } from '../../storage/interface.js';
import { decodeProtobuf, encodeProtobuf } from '../negotiate/protobuf/envelope.js';
import { admissionMetrics, conditionMetrics, policyMetrics, webhookMetrics } from '../metrics/admission-metrics.js';
import { cacheMetrics, waitMetrics } from '../metrics/cache-metrics.js';
import { objectMetrics, storeMetrics } from '../metrics/storage-metrics.js';
import { identityMetrics, type ObserveIdentity } from '../metrics/identity-metrics.js';
import { isShared, type ServerConfig } from './config.js';

export interface Core {
  readonly authn: Authn;
  /** Counts who is recognised, and who may. */
  readonly observe: ObserveIdentity;
  readonly catalogue: LiveCatalogue;
  readonly pipeline: RunningPipeline;
  /** The server's own, as a member of system:masters. */
  readonly client: Client;
  clientFor(identity: Identity, fieldManager: string): Client;
  /** For conversion. */
  readonly callWebhook: WebhookCaller;
  /** Webhooks and policies that stood at the start are known. */
  readonly admissionReady: Promise<void>;
  /** The server and its parts have started; from now on webhooks and policies are asked about their writes as well. */
  completed(): void;
  /** Once the signal has come. */
  close(): Promise<void>;
}

export const serverUser: Identity = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

const now = (): Date => new Date();

export interface CoreOptions {
  readonly pki: Pki;
  readonly backend: Backend;
  /** Ends what follows the configuration of admission. */
  readonly signal: AbortSignal;
  /** Where the server is, once it is. */
  readonly self: () => Address | undefined;
  readonly metrics: Registry;
}

export function createCore(config: ServerConfig, { pki, backend, signal, self, metrics }: CoreOptions): Core {
  const observe = identityMetrics(config.front ? new Registry() : metrics);
  const authn = createAuthn({
    ...{ pki, client: () => client },
    ...(config.anonymous === false ? {} : { anonymous: 'all' }),
    onError: error => config.log.warn({ err: error }, 'the use of a token cannot be noted'),
    onCertificate: observe.certificate,
  });
  const { allowNoExecuteTaintPolicy = false } = config;
  const gates = config.featureGates ?? featureGates();
  const definitions = [...nativeDefinitions(), ...(config.profile === 'karmada' ? karmadaDefinitions(gates) : [])];
  const catalogue = createCatalogue(withServiceAddresses(withAccess(definitions, authn.ports, now)));
  let plugins: AdmissionPlugin = { name: 'none' };
  const admission: AdmissionPlugin = {
    name: 'admission',
    mutate: request => plugins.mutate?.(request),
    validate: request => plugins.validate?.(request),
  };
  const pipeline = createPipeline({
    ...{ catalogue, backend, admission, decodeProtobuf, observe: storeMetrics(metrics) },
    observeWait: waitMetrics(metrics),
    ...(isShared(config.storage) && { encodeProtobuf: object => encodeProtobuf({ ...object }) }),
  });
  objectMetrics(metrics, () => pipeline.counts());
  cacheMetrics(metrics, () => pipeline.counts());
  const client = loopback(pipeline, catalogue, serverUser, { fieldManager: 'kube-apiserver' });
  // Plugins look at the API that they guard; the rights of the user are asked for last.
  const karmada = config.profile === 'karmada' ? [karmadaAdmission({ client, gates, allowNoExecuteTaintPolicy })] : [];
  const caller = webhookCaller({ resolve: serviceResolver({ client, self }) });
  const onError = (error: unknown, resource: string): void =>
    config.log.warn({ err: error, resource }, 'the configuration of admission cannot be followed');
  // differs: a webhook that answers nobody must not keep the server from starting: nobody could take it away.
  let complete = false;
  const own = new WeakSet<Identity>([serverUser]);
  const skips = ({ user }: AdmissionRequest): boolean => !complete && own.has(user);
  const conditions = conditionMetrics(metrics);
  const configured = { client, catalogue, authorize: authn.authorize, signal, skips, onError, conditions };
  const webhooks = admissionWebhooks({
    ...{ ...configured, call: caller.call, observe: webhookMetrics(metrics) },
    ...(config.profile === 'karmada' && { isBuiltIn: isKarmadaWebhook }),
  });
  const policies = admissionPolicies({ ...configured, observe: policyMetrics(metrics) });
  const guests = [
    policies.mutating,
    ...karmada,
    webhooks.mutating,
    ...authn.plugins,
    policies.validating,
    webhooks.validating,
  ];
  const admissionReady = Promise.all([webhooks.synced, policies.synced]).then(() => undefined);
  admissionReady.catch(() => undefined); // a start that fails before it is waited for says why itself
  const timing = admissionMetrics(metrics);
  const all = chain(builtInPlugins({ client }, guests, config.profile), timing);
  plugins = timed(reinvoking(all), timing);
  return {
    ...{ authn, observe },
    catalogue,
    pipeline,
    client,
    clientFor(identity, fieldManager) {
      own.add(identity);
      return loopback(pipeline, catalogue, identity, { fieldManager });
    },
    callWebhook: caller.call,
    admissionReady,
    completed: () => void (complete = true),
    async close() {
      await Promise.all([webhooks.done, policies.done]);
      await caller.close();
    },
  };
}
