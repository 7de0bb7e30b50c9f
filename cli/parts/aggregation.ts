import { createClusterProxy } from '../../aggregation/proxy/cluster-proxy.js';
import type { Part } from '../../apiserver/main/parts.js';

/** What karmada-aggregated-apiserver does besides serving its kinds: the way to the members. */
export const aggregation = (): Part => ({
  name: 'karmada-aggregated-apiserver',
  start(part) {
    const groups = ['system:masters', 'system:authenticated'];
    const client = part.clientFor({ name: 'system:karmada-aggregated-apiserver', groups });
    const proxy = createClusterProxy(client);
    return Promise.resolve({
      connects: { 'clusters.cluster.karmada.io/proxy': proxy.connect },
      stop: () => proxy.close(),
    });
  },
});
