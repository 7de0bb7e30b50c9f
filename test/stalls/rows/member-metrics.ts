/** Metrics of hostile members, which this server merges for its clients. */
import { setTimeout } from 'node:timers/promises';
import type { Row } from '../row.js';
import { json, memberFlags, withMember } from './members.js';
import { get, range } from './objects.js';

const resourceRoot = '/apis/metrics.k8s.io/v1beta1';
const customRoot = '/apis/custom.metrics.k8s.io';
const externalRoot = '/apis/external.metrics.k8s.io/v1beta1';

const timestamp = '2026-01-02T03:04:05Z';
const labels = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(range(count, i => [`label-${i}`, 'x']));

/** The member answers requests below `root` with a document. The answers are requested, several at once, until the member was asked. */
const metrics = (name: string, size: number, paths: readonly string[], document: (size: number) => unknown): Row => ({
  name: `member-metrics/${name}`,
  size,
  flags: memberFlags,
  async play(fixture) {
    const body = JSON.stringify(document(fixture.size));
    await withMember(
      fixture,
      (request, response) => {
        const path = (request.url ?? '').split('?')[0] ?? '';
        if (path === customRoot) json(response, { kind: 'APIGroup', versions: [{ version: 'v1beta2' }] });
        else if (!paths.includes(path)) return false;
        else json(response, body);
        return true;
      },
      async ({ answered }) => {
        for (let i = 0; i < 600 && answered() < 2 * paths.length; i++) {
          await Promise.all(paths.map(path => fixture.send(get(path))));
          await setTimeout(20);
        }
        await Promise.all([...paths, ...paths].map(path => fixture.send(get(path))));
      },
    );
  },
});

const podMetrics = (i: number, more: object = {}, labelCount = 1): object => ({
  metadata: { name: `p${i}`, namespace: 'default', labels: labels(labelCount) },
  ...{ timestamp, window: '30s' },
  containers: [{ name: 'main', usage: { cpu: '1', memory: '64Mi' } }],
  ...more,
});
const podList = (...items: readonly object[]): object => ({
  ...{ kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items },
});
const externalValue = (metricLabels: object): object => ({ metricName: 'queue', metricLabels, timestamp, value: '1' });
const customValue = (i: number, selector: unknown): object => ({
  describedObject: { kind: 'Pod', namespace: 'default', name: `p${i}`, apiVersion: 'v1' },
  ...{ metric: { name: 'rps', selector }, timestamp, value: '1' },
});

const pods = [`${resourceRoot}/pods`, `${resourceRoot}/namespaces/default/pods`];
const queue = [`${externalRoot}/namespaces/default/queue`];
const rate = [`${customRoot}/v1beta2/namespaces/default/pods/*/rps`];

export const memberMetricRows: readonly Row[] = [
  metrics('labels', 90_000, pods, size => podList(podMetrics(1, {}, size))),
  metrics('object-labels', 90_000, [`${pods[1]}/p1`], size => podMetrics(1, {}, size)),
  metrics('usage', 90_000, pods, size => podList(podMetrics(1, { containers: [{ name: 'a', usage: labels(size) }] }))),
  metrics('containers', 20_000, pods, size =>
    podList(podMetrics(1, { containers: range(size, i => ({ name: `c${i}`, usage: { cpu: '1' } })) })),
  ),
  metrics('pods', 12_000, pods, size => podList(...range(size, i => podMetrics(i)))),
  metrics('external-labels', 90_000, queue, size => ({ items: [externalValue(labels(size))] })),
  metrics('external-some-labels', 20, queue, size => ({ items: range(size, () => externalValue(labels(4500))) })),
  metrics('external-values', 15_000, queue, size => ({ items: range(size, i => externalValue({ i: `${i}` })) })),
  metrics('external-names', 30_000, [externalRoot], size => ({ resources: range(size, i => ({ name: `m${i}` })) })),
  metrics('custom-selector', 90_000, rate, size => ({ items: [customValue(1, { matchLabels: labels(size) })] })),
  metrics('custom-values', 10_000, rate, size => ({ items: range(size, i => customValue(i, null)) })),
  metrics('custom-names', 20_000, [`${customRoot}/v1beta2`], size => ({
    resources: range(size, i => ({ name: `pods/m${i}`, namespaced: true })),
  })),
];
