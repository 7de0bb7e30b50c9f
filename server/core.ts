/** The API without its HTTP edge: catalogue, access, admission, pipeline, dynamic kinds. */
import type { Offload } from '../lib/offload/interface.js';
import { repeatedly } from '../lib/logging/failure-state.js';
import { Registry } from 'prom-client';
import { type Authn, createAuthn } from '../authn/authn.js';
import type { Pki } from '../authn/pki/files.js';
import { aggregatingClient } from '../aggregation/servers/aggregating-client.js';
import { KubeletConnections } from '../aggregation/kubelets/kubelet-connections.js';
import { Aggregator } from '../aggregation/servers/aggregator.js';
import { type Address, serviceResolver } from '../aggregation/webhooks/resolve-service.js';
import { createCatalogue, type LiveCatalogue } from '../registry/catalogue/catalogue.js';
import { loopback } from '../registry/pipeline/loopback.js';
import type { Client } from '../client/interface.js';
import type { Identity } from '../apimachinery/identity.js';
import { featureGates } from '../kinds/karmada/feature-gates.js';
import { karmadaDefinitions } from '../kinds/karmada/definitions.js';
import { nativeDefinitions } from '../kinds/kubernetes/native.js';
import { withServiceAddresses } from '../kinds/kubernetes/core/services/service-addresses.js';
import { withAccess } from '../kinds/kubernetes/with-access.js';
import { servesBuiltIn } from '../registry/dynamic/api-services/built-in.js';
import { createPipeline, type RunningPipeline } from '../registry/pipeline/pipeline.js';
import type { WebhookCaller } from '../registry/webhook-caller.js';
import type { Backend } from '../storage/interface.js';
import { decodeProtobuf, encodeProtobuf, hasMetadata } from '../apiserver/negotiate/protobuf/envelope.js';
import { cacheMetrics, waitMetrics } from '../apiserver/metrics/cache-metrics.js';
import { objectMetrics, storeMetrics } from '../apiserver/metrics/storage-metrics.js';
import { identityMetrics, type ObserveIdentity } from '../apiserver/metrics/identity-metrics.js';
import { LatePlugin } from '../admission/late-plugin.js';
import { createAdmission } from './admission.js';
import { isShared, type ServerConfig } from './config.js';
import { SelfClients } from './self-clients.js';

export interface Core {
  readonly authn: Authn;
  /** Counts authentications and authorizations. */
  readonly observe: ObserveIdentity;
  readonly catalogue: LiveCatalogue;
  readonly pipeline: RunningPipeline;
  /** The server's own client, as a member of system:masters. */
  readonly client: Client;
  readonly clientFor: (identity: Identity, fieldManager: string) => Client;
  /** The servers behind APIServices. */
  readonly aggregator: Aggregator;
  /** Connections to the kubelets of nodes. */
  readonly kubelets: KubeletConnections;
  /** Calls webhooks for conversion and for parts. */
  readonly callWebhook: WebhookCaller;
  /** Resolves when the webhooks and policies of the start are known. */
  readonly admissionReady: Promise<void>;
  /** Called when the server and its parts have started: from now on webhooks and policies apply to their writes, too. */
  completed(): void;
  /** Waits for the end of the watches, after the signal has aborted. */
  close(): Promise<void>;
}

export const serverUser: Identity = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

const now = (): Date => new Date();

interface CoreOptions {
  readonly pki: Pki;
  readonly backend: Backend;
  readonly offload: Offload;
  /** Ends the watches of the admission configuration. */
  readonly signal: AbortSignal;
  /** Returns the server's address; undefined before it listens. */
  readonly self: () => Address | undefined;
  readonly metrics: Registry;
}

/** Returns what the servers of a process share: the kinds, their storage, admission, authentication and authorization. It serves nothing yet. */
export function createCore(config: ServerConfig, options: CoreOptions): Core {
  const { pki, backend, offload, signal, self, metrics } = options;
  const observe = identityMetrics(config.startFrontend ? new Registry() : metrics);
  const authn = createAuthn({
    ...{ pki, client: () => client },
    ...(config.anonymous === false ? {} : { anonymous: 'all' }),
    onError: repeatedly(config.log, 'the last use of a token cannot be written down'),
    onCertificate: observe.certificate,
  });
  const gates = config.featureGates ?? featureGates();
  const definitions = [...nativeDefinitions(), ...(config.profile === 'karmada' ? karmadaDefinitions(gates) : [])];
  const catalogue = createCatalogue(withServiceAddresses(withAccess(definitions, authn.ports, now)));
  const plugins = new LatePlugin();
  const pipeline = createPipeline({
    ...{ catalogue, backend, readProtobuf: { decode: decodeProtobuf, hasMetadata }, observe: storeMetrics(metrics) },
    admission: plugins,
    observeWait: waitMetrics(metrics),
    ...(isShared(config.storage) && { encodeProtobuf: object => encodeProtobuf({ ...object }) }),
  });
  objectMetrics(metrics, () => pipeline.counts());
  cacheMetrics(metrics, () => pipeline.counts());
  const client = loopback(pipeline, catalogue, serverUser, { fieldManager: 'kube-apiserver' });
  const resolve = serviceResolver({ client, self });
  const aggregator = new Aggregator({
    resolve,
    credential: pki.frontProxyClient,
    isBuiltIn: (group, version) => servesBuiltIn(catalogue, group, version),
    onError: repeatedly(config.log, 'the discovery of an API server cannot be read'),
    signal,
  });
  const behind = new SelfClients(pki, self);
  const kubelets = new KubeletConnections(config.kubelets);
  const admission = createAdmission(config, { client, catalogue, authn, gates, offload, resolve, metrics, signal });
  admission.trust(serverUser);
  plugins.set(admission.plugins);
  return {
    ...{ authn, observe, catalogue, pipeline, client, aggregator, kubelets },
    clientFor(identity, fieldManager) {
      admission.trust(identity);
      const local = loopback(pipeline, catalogue, identity, { fieldManager });
      return aggregatingClient(local, aggregator, behind.clientFor(identity, fieldManager));
    },
    callWebhook: admission.callWebhook,
    admissionReady: admission.ready,
    completed: admission.completed,
    close: async () =>
      void (await Promise.all([admission.close(), behind.close(), aggregator.close(), kubelets.close()])),
  };
}
