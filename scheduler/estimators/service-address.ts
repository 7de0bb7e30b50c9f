import type { KubeObject } from '../../apimachinery/interface.js';
import { services } from '../../api/kubernetes/resources.js';
import { find } from '../../client/find.js';
import type { Client } from '../../client/interface.js';
import { ExpectedError } from '../../lib/logging/cause.js';

interface EstimatorService extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly externalName?: string;
    readonly ports?: readonly { readonly port?: number; readonly targetPort?: number | string }[];
  };
}

/** Where the estimators are. */
export interface ServiceSettings {
  readonly serviceNamespace: string;
  /** The Service of an estimator is `PREFIX-CLUSTER`. */
  readonly servicePrefix: string;
  readonly port: number;
}

/**
 * Returns the addresses of a cluster's estimator, as `HOST:PORT`, which are tried in order: that of its Service of type ExternalName; without one, its
 * name in the cluster in which the control plane runs, whose Services are not known here. Rejects for another Service.
 * as pkg/estimator/client resolveCluster
 */
export async function estimatorAddresses(
  client: Pick<Client, 'get'>,
  cluster: string,
  { serviceNamespace, servicePrefix, port }: ServiceSettings,
): Promise<readonly string[]> {
  const name = `${servicePrefix}-${cluster}`;
  const service: EstimatorService | undefined = await find(client, services, { namespace: serviceNamespace, name });
  if (!service) return ['svc.cluster.local', 'svc'].map(suffix => `${name}.${serviceNamespace}.${suffix}:${port}`);
  const { type = 'ClusterIP', externalName = '', ports = [] } = service.spec ?? {};
  if (type !== 'ExternalName') throw new ExpectedError(`unsupported service type "${type}"`);
  const found = ports.find(each => each.port === port);
  if (!found) throw new ExpectedError(`no service port ${port} found for service "${name}"`);
  const { targetPort = port } = found;
  if (typeof targetPort !== 'number')
    throw new ExpectedError(
      `ExternalName service type should have int target port, current target port: ${targetPort}`,
    );
  return [`${externalName}:${targetPort}`];
}
