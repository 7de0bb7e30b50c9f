import { isAlreadyExists, isConflict, isNotFound } from '../../apimachinery/errors/status.js';
import type { Cluster } from '../../api/karmada/types.js';
import { namespaces, resources } from '../../api/karmada/well-known.js';
import type { Lease } from '../../api/kubernetes/coordination.js';
import { leases } from '../../api/kubernetes/resources.js';
import { find } from '../../client/find.js';
import type { ControllerContext, Informer } from '../../client/runtime/interface.js';
import { formatMicroTime } from '../../lib/go/time.js';
import { FailureState } from '../../lib/logging/failure-state.js';

export interface ClusterLeaseOptions {
  /** The name of the cluster, and of its Lease. */
  readonly cluster: string;
  /** Milliseconds for which the Lease holds. */
  readonly durationMs: number;
  /** The share of the duration after which the Lease is renewed. */
  readonly renewFraction: number;
}

/** Attempts of one renewal that others have overtaken. */
const attempts = 3;

/** Renews the Lease of a cluster, as a sign of life of its agent. as k8s.io/component-helpers/apimachinery/lease */
class ClusterLease {
  readonly #context: ControllerContext;
  readonly #options: ClusterLeaseOptions;
  readonly #clusters: Informer<Cluster>;
  readonly #failureState: FailureState;
  /** The Lease as it was last read or written. */
  #latest: Lease | undefined;

  constructor(context: ControllerContext, options: ClusterLeaseOptions) {
    const { log, clock, informers } = context;
    this.#context = context;
    this.#options = options;
    this.#clusters = informers.informer<Cluster>(resources.clusters);
    this.#failureState = new FailureState({
      ...{ log, now: () => clock.now() },
      fails: 'the Lease of the cluster cannot be renewed',
      works: 'the Lease of the cluster can be renewed again',
    });
  }

  async run(): Promise<void> {
    const { clock, signal } = this.#context;
    const { durationMs, renewFraction } = this.#options;
    await this.#clusters.synced;
    while (!signal.aborted) {
      const cluster = this.#clusters.get(this.#options.cluster);
      // A Cluster that is being deleted is still served: without the Lease it would count as unreachable, and its objects would stay in the member.
      if (cluster) await this.#renewOrReport(cluster);
      await clock.sleep(durationMs * renewFraction, signal);
    }
  }

  async #renewOrReport(cluster: Cluster): Promise<void> {
    try {
      await this.#renew(cluster);
      this.#failureState.worked();
    } catch (error) {
      if (!this.#context.signal.aborted) this.#failureState.failed(error, { cluster: cluster.metadata.name });
    }
  }

  async #renew(cluster: Cluster): Promise<void> {
    const { client } = this.#context;
    for (let attempt = 1; ; attempt++) {
      const wanted = this.#draft(cluster);
      try {
        this.#latest = this.#latest ? await client.update(leases, wanted) : await client.create(leases, wanted);
        return;
      } catch (error) {
        const isOvertaken = isAlreadyExists(error) || isConflict(error) || isNotFound(error);
        if (attempt === attempts || !isOvertaken) throw error;
        this.#latest = await find(client, leases, { namespace: namespaces.cluster, name: this.#options.cluster });
      }
    }
  }

  /** Builds the Lease, which is deleted with the Cluster. */
  #draft({ apiVersion, kind, metadata: { uid = '' } }: Cluster): Lease {
    const { cluster: name, durationMs } = this.#options;
    const owner = { apiVersion, kind, name, uid };
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...this.#latest?.metadata, namespace: namespaces.cluster, name, ownerReferences: [owner] },
      spec: {
        ...this.#latest?.spec,
        holderIdentity: name,
        leaseDurationSeconds: Math.max(1, Math.floor(durationMs / 1000)),
        renewTime: formatMicroTime(this.#context.clock.now()),
      },
    };
  }
}

/**
 * Renews the Lease of a cluster in `karmada-cluster` while its Cluster exists, also while that is being deleted. Resolves when the signal has
 * aborted.
 */
export const renewClusterLease = (context: ControllerContext, options: ClusterLeaseOptions): Promise<void> =>
  new ClusterLease(context, options).run();
