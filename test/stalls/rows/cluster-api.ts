/** A management cluster of Cluster API whose kubeconfigs are hostile. */
import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { Row } from '../row.js';
import { event, isWatch, json, memberFlags, respondHealthy } from './members.js';
import { many, object } from './objects.js';

const provisioned = (name: string): object =>
  object('cluster.x-k8s.io/v1beta1', 'Cluster', name, {
    metadata: { namespace: 'default', resourceVersion: '2' },
    status: { phase: 'Provisioned' },
  });

/** Provisions a cluster with this kubeconfig, until its Secret was read a few times. `size`: its approximate number of bytes. */
const kubeconfig = (name: string, size: number, text: (size: number) => string): Row => ({
  name: `cluster-api/${name}`,
  size,
  flags: memberFlags,
  usesClusterApi: true,
  async play({ management, size, name }) {
    if (!management) throw new Error('the row has no management cluster');
    const cluster = name();
    const value = Buffer.from(text(size)).toString('base64');
    const watches: ServerResponse[] = [];
    let read = 0;
    let isOver = false;
    management.onRequest = (request, response) => {
      const [path = ''] = (request.url ?? '').split('?');
      if (path.endsWith('-kubeconfig')) {
        read++;
        return json(response, object('v1', 'Secret', 's', { metadata: { namespace: 'default' }, data: { value } }));
      }
      if (!isWatch(request)) return respondHealthy(request, response);
      response.setHeader('content-type', 'application/json');
      if (isOver) return response.end();
      watches.push(response);
      response.write(event('ADDED', provisioned(cluster)));
    };
    while (read < 4) await setTimeout(20); // The next one is read when the last one has failed.
    // The next watch reports the cluster of the next play. One that begins before it ends at once.
    isOver = true;
    for (const watch of watches) watch.end();
  },
});

export const clusterApiRows: readonly Row[] = [
  kubeconfig('keys', 4_000_000, size => many(size, i => `k${i}: v\n`)),
  kubeconfig('braces', 4_000_000, size => '{'.repeat(size)),
];
