import type { Cluster, ObjectReference } from '../../api/karmada/types.js';
import { resources } from '../../api/karmada/well-known.js';
import { services } from '../../api/kubernetes/resources.js';
import type { Client } from '../../client/interface.js';
import { splitKey } from '../../client/key.js';
import type { Informer, InformerFactory } from '../../client/runtime/interface.js';
import type { Clock } from '../../lib/clock.js';
import { FailureStates } from '../../lib/logging/failure-state.js';
import type { Logger } from '../../lib/logging/interface.js';
import { TimeSlice } from '../../lib/time-slice.js';
import type { AccurateEstimator, EstimateTable, ReplicaEstimateRequest, SetEstimateRequest } from '../interface.js';
import { ClientTlsFiles, type ClientTlsSettings } from './client-tls-files.js';
import { EstimatorLink, type LinkDeps, type LinkSettings } from './estimator-link.js';
import type { ClientTls } from './grpc/connection.js';
import { writeReplicasMessage, writeSetsMessage, writeUnschedulableMessage } from './protocol/messages.js';
import type { EstimatorMethod } from './protocol/service.js';
import type { ServiceSettings } from './service-address.js';

/** How the estimators are reached. */
interface RemoteSettings extends ServiceSettings, ClientTlsSettings {
  readonly timeoutMs: number;
  /** The estimators of members in pull mode are not asked. */
  readonly skipsPullMode: boolean;
  /** Only estimators that have a Service in the API of the control plane are asked. */
  readonly needsService: boolean;
}

interface RemoteDeps {
  readonly client: Pick<Client, 'get'>;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks at the files of certificates. */
const renewalMs = 60_000;

const nameOf = ({ metadata }: Cluster): string => metadata.name ?? '';

/**
 * Asks the estimators of the members over gRPC, with one connection for each. They are closed when the signal aborts. as pkg/estimator/client
 * SchedulerEstimator
 * differs: if one estimator does not answer, the answers of the others count. karmada-scheduler discards them, so that one member costs all their
 * estimates.
 */
export class RemoteEstimator implements AccurateEstimator {
  /** Resolves when clusters and Services are known, and with them which estimators there are. */
  readonly ready: Promise<void>;
  readonly #links = new Map<string, EstimatorLink>();
  readonly #clusters: Informer<Cluster>;
  readonly #services: Informer;
  readonly #settings: LinkSettings & RemoteSettings;
  readonly #deps: LinkDeps;

  constructor(settings: RemoteSettings, { client, informers, clock, log, signal }: RemoteDeps) {
    const states = new FailureStates({
      ...{ log, now: () => clock.now() },
      fails: 'the estimator of a member cannot be reached; it is tried again',
      works: 'the estimator of a member can be reached again',
    });
    const files = new ClientTlsFiles(settings);
    this.#settings = { ...settings, tls: () => files.read() };
    this.#deps = {
      ...{ client, clock },
      failed: (cluster, error) => states.failed(cluster, error, { cluster }),
      worked: cluster => states.worked(cluster),
    };
    this.#clusters = informers.informer<Cluster>(resources.clusters);
    this.#services = informers.informer(services, { namespace: settings.serviceNamespace });
    const unfollowClusters = this.#clusters.onChange(({ key, new: cluster }) => this.#follow(key, cluster));
    const unfollowServices = this.#services.onChange(({ key }) => this.#serviceChanged(splitKey(key).name));
    const mirrors = [this.#clusters, this.#services];
    this.ready = Promise.all(mirrors.flatMap(({ synced, replayed }) => [synced, replayed])).then(() => undefined);
    void this.#renewCertificates(files, clock, signal);
    const close = (): void => {
      unfollowClusters();
      unfollowServices();
      for (const name of [...this.#links.keys()]) this.#follow(name, undefined);
    };
    if (signal.aborted) close();
    else signal.addEventListener('abort', close, { once: true });
  }

  /** Reports whether it asks about a cluster. */
  has(cluster: string): boolean {
    return this.#links.has(cluster);
  }

  maxAvailableReplicas(
    { object, requirements, assumed }: ReplicaEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable> {
    const write = (cluster: string): Buffer =>
      writeReplicasMessage({ cluster, requirements, assumed: assumed(cluster) });
    return this.#askAll('MaxAvailableReplicas', { clusters, object, signal, write });
  }

  maxAvailableComponentSets(
    { object, namespace, components, assumed }: SetEstimateRequest,
    clusters: readonly Cluster[],
    signal: AbortSignal,
  ): Promise<EstimateTable> {
    const write = (cluster: string): Buffer =>
      writeSetsMessage({ cluster, namespace, components, assumed: assumed(cluster) });
    return this.#askAll('MaxAvailableComponentSets', { clusters, object, signal, write });
  }

  async unschedulableReplicas(
    cluster: string,
    workload: ObjectReference,
    thresholdMs: number,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { kind, namespace = '', name } = workload;
    const object = `kind=${kind}, name=${namespace}/${name}`;
    const message = writeUnschedulableMessage({ cluster, resource: workload, thresholdMs });
    const count = await this.#links.get(cluster)?.ask({ method: 'GetUnschedulableReplicas', message, object, signal });
    return count !== undefined && count >= 0 ? count : undefined;
  }

  /** Connects anew with certificates that were renewed, until the signal aborts. */
  async #renewCertificates(files: ClientTlsFiles, clock: Clock, signal: AbortSignal): Promise<void> {
    // A file that is missing for a moment is being replaced; a connection that needs it reports it.
    const read = (): Promise<ClientTls | undefined> => files.read().catch(() => undefined);
    for (let before = await read(); !signal.aborted;) {
      await clock.sleep(renewalMs, signal);
      const tls = await read();
      if (!tls || tls === before) continue;
      before = tls;
      for (const link of this.#links.values()) link.renew();
    }
  }

  #serviceChanged(service: string): void {
    const prefix = `${this.#settings.servicePrefix}-`;
    if (!service.startsWith(prefix)) return;
    const name = service.slice(prefix.length);
    this.#links.get(name)?.renew();
    if (this.#settings.needsService) this.#follow(name, this.#clusters.get(name));
  }

  /** Connects to the estimator of a cluster, or ends that. */
  #follow(name: string, cluster: Cluster | undefined): void {
    const { skipsPullMode, needsService, serviceNamespace, servicePrefix } = this.#settings;
    const isAsked =
      cluster &&
      !(skipsPullMode && cluster.spec.syncMode === 'Pull') &&
      !(needsService && !this.#services.cached.has(`${serviceNamespace}/${servicePrefix}-${name}`));
    const link = this.#links.get(name);
    if (isAsked && !link) this.#links.set(name, new EstimatorLink(name, this.#settings, this.#deps));
    if (isAsked || !link) return;
    this.#links.delete(name);
    link.close();
  }

  async #askAll(
    method: EstimatorMethod,
    question: {
      readonly clusters: readonly Cluster[];
      readonly object: string;
      readonly signal: AbortSignal;
      readonly write: (cluster: string) => Buffer;
    },
  ): Promise<EstimateTable> {
    const { clusters, object, signal, write } = question;
    const table = new Map<string, number>();
    const answers: Promise<void>[] = [];
    const slice = new TimeSlice();
    const ask = async (name: string): Promise<void> => {
      const message = messageOf(() => write(name));
      const count = message && (await this.#links.get(name)?.ask({ method, message, object, signal }));
      // as pkg/estimator/client UnauthenticReplica: a negative number is no estimate
      if (count !== undefined && count >= 0) table.set(name, count);
    };
    for (const cluster of clusters) {
      const pause = slice.pause();
      if (pause) await pause;
      answers.push(ask(nameOf(cluster)));
    }
    await Promise.all(answers);
    return table;
  }
}

/** Returns the message for an estimator; undefined for a malformed quantity, since the member refuses such a workload anyway. */
function messageOf(write: () => Buffer): Buffer | undefined {
  try {
    return write();
  } catch {
    return undefined;
  }
}
