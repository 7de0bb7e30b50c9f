import type { ResolveService } from '../../aggregation/webhooks/resolve-service.js';
import type { Service } from '../../api/kubernetes/core.js';
import { services } from '../../api/kubernetes/resources.js';
import type { Client } from '../../client/interface.js';
import { ExpectedError } from '../../lib/logging/cause.js';

/**
 * Returns a resolver of Services of the control plane, for webhooks of interpreters. An agent may only list Services, not get them, and may not read
 * their endpoints. as pkg/util/interpreter ClusterIPServiceResolver
 */
export const listingResolver =
  (client: Client): ResolveService =>
  async (namespace, name, port) => {
    const { items } = await client.list(services, { namespace, fieldSelector: `metadata.name=${name}` });
    const [service] = items as Service[];
    if (!service) throw new ExpectedError(`services "${name}" not found`);
    const { type, externalName = '', clusterIP = 'None', ports = [] } = service.spec ?? {};
    if (type === 'ExternalName') return { host: externalName, port };
    if (!ports.some(each => each.port === port))
      throw new ExpectedError(`no service port ${port} found for service "${name}"`);
    if (clusterIP === 'None' || clusterIP === '')
      throw new ExpectedError(`service "${name}" has no address that an agent can find`);
    return { host: clusterIP, port };
  };
