/** Members in place of which a test answers, joined to a control plane and ready. */
import type http from 'node:http';
import type { Test } from 'tap';
import { type HttpClient, httpClient } from '../../apiserver/http-client.js';
import type { TestServer } from '../../apiserver/running.js';
import { aggregation } from '../../../cli/parts/aggregation.js';
import { backend, type Backend } from '../backend.js';
import { controlPlane, join, setReady } from '../fleet.js';

interface FakeFleet {
  readonly control: TestServer;
  readonly ask: HttpClient;
  /** By the order of their names, `member1` and so on. */
  readonly members: readonly Backend[];
}

/** `metricsAnswerMs`: milliseconds that a member has for an answer; a minute if the test is not about slow members, since the machine may be slow. */
export async function fakeFleet(t: Test, count: number, metricsAnswerMs = 60_000): Promise<FakeFleet> {
  const control = await controlPlane(t, { parts: [aggregation({ metricsAnswerMs })] });
  const members = await Promise.all(Array.from({ length: count }, () => backend(t)));
  for (const [i, { url, authority }] of members.entries()) {
    await join(control, `member${i + 1}`, { server: url, authority, token: 'token' });
    await setReady(control, `member${i + 1}`, 'True');
  }
  return { control, ask: httpClient(t, control), members };
}

/** Answers these paths with these documents, and others with 404. */
export const serving =
  (documents: Readonly<Record<string, unknown>>): http.RequestListener =>
  ({ url = '' }, response) => {
    const document = documents[url] ?? documents[url.split('?')[0] ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { kind: 'Status', code: 404, reason: 'NotFound' }));
  };

export const root = '/apis/metrics.k8s.io/v1beta1';

export const podMetrics = (name: string, cpu: string, more: object = {}) => ({
  metadata: { name, namespace: 'default', labels: { app: 'web' }, ...more },
  timestamp: '2026-01-02T03:04:05Z',
  window: '30s',
  containers: [{ name: 'main', usage: { cpu, memory: '64Mi' } }],
});

export const nodeMetrics = (name: string) => ({
  metadata: { name },
  timestamp: '2026-01-02T03:04:05Z',
  window: '30s',
  usage: { cpu: '1500m', memory: '2Gi' },
});

export const listOf = (kind: string, ...items: object[]) => ({
  ...{ kind: `${kind}List`, apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items },
});
