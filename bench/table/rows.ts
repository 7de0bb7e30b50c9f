/** The rows of the table, with the goals for Flagship on two cores that it shares with the client. */
import type { RequestsTask, RequestTemplate, Task } from '../load/task.js';
import { configMaps, deployments } from '../objects.js';
import type { Goal } from './goals.js';

/** The environment of a row. */
export interface RowContext {
  /** An empty namespace of its own. */
  readonly namespace: string;
  /** Returns a scaled count. */
  of(count: number): number;
  /** Runs a task that prepares the row. */
  prepare(task: Task): Promise<void>;
  /** Returns the resourceVersion of a collection. */
  revision(path: string): Promise<string>;
}

export interface Row {
  readonly name: string;
  readonly goals: readonly Goal[];
  /** Prepares the row. Returns the task to measure. */
  begin(context: RowContext): Promise<Task>;
}

const json = JSON.stringify;

/** 1 KiB of data. */
const data = { text: 'x'.repeat(1024) };

const configMap = (name: string): string => json({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });

const container = (name: string, port: number) => ({
  name,
  image: 'nginx:1.27',
  ports: [{ containerPort: port }],
  env: [{ name: 'LEVEL', value: 'info' }],
  resources: { requests: { cpu: '10m', memory: '16Mi' } },
});

const deployment = (name: string, round = ''): string =>
  json({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, ...(round && { annotations: { round } }) },
        spec: { containers: [container('a', 8080), container('b', 8081), container('c', 8082)] },
      },
    },
  });

interface Scale {
  readonly connections: number;
  readonly count: number;
  /** Number of requests before the measurement, since V8 optimises in the first seconds. The default is a fifth of the count. */
  readonly warm?: number;
}

/** Number of writes before the measurement. */
const warmWrites = 2000;

function requests(
  context: RowContext,
  { connections, count, warm = count / 5 }: Scale,
  request: RequestTemplate,
): RequestsTask {
  return { type: 'requests', request, connections, count: context.of(count), warm: context.of(Math.ceil(warm)) };
}

/** Creates ConfigMaps `o-0` and so on. */
async function fill(context: RowContext, count: number): Promise<string> {
  const path = configMaps(context.namespace);
  const request = { method: 'POST', path, body: configMap('o-{i}') };
  await context.prepare({ type: 'requests', request, connections: 32, count, warm: 0 });
  return path;
}

/** Creates a Deployment for each connection. */
async function deploy(context: RowContext, connections: number): Promise<string> {
  const path = deployments(context.namespace);
  const request = { method: 'POST', path, body: deployment('d-{i}') };
  await context.prepare({ type: 'requests', request, connections, count: connections, warm: 0 });
  return path;
}

const readers = 32;
const listed = 5000;

const listRow = (form: string, accept: string, goals: readonly Goal[], connections = 1): Row => ({
  name: `LIST ${listed} x 1 KiB, ${form}`,
  goals,
  async begin(context) {
    const path = await fill(context, context.of(listed));
    return requests(context, { connections, count: 100 }, { method: 'GET', path, accept });
  },
});

const listGoals: readonly Goal[] = [{ metric: 'p50', value: 20 }];

const createRow = (connections: number, count: number, value: Goal['value']): Row => ({
  name: `CREATE 1 KiB x${connections}`,
  goals: [{ metric: 'rate', value }],
  begin(context) {
    const request = { method: 'POST', path: configMaps(context.namespace), body: configMap('c-{i}') };
    return Promise.resolve(requests(context, { connections, count, warm: warmWrites }, request));
  },
});

const patched = 16;

const patchRow = (name: string, rate: number, count: number, query: string, type: string, body: string): Row => ({
  name: `${name} x${patched}`,
  goals: [{ metric: 'rate', value: rate }],
  async begin(context) {
    const path = `${await deploy(context, patched)}/d-{w}${query}`;
    return requests(context, { connections: patched, count, warm: warmWrites }, { method: 'PATCH', path, type, body });
  },
});

const watchers = 1000;

const watchRow = (name: string, connections: number, goals: readonly Goal[]): Row => ({
  name: `watch 50/s x ${watchers}, ${name}`,
  goals,
  async begin(context) {
    const all = configMaps(context.namespace);
    return {
      type: 'watch',
      path: `${all}?watch=1&allowWatchBookmarks=true&resourceVersion=${await context.revision(all)}`,
      watchers: context.of(watchers),
      connections,
      write: { method: 'POST', path: all, body: configMap('w-{i}') },
      perSecond: 50,
      count: context.of(500),
    };
  },
});

const protobuf = 'application/vnd.kubernetes.protobuf';
/** The Accept header of kubectl. */
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** 16,000 per second on one core are 62.5 us each. */
const getGoals: readonly Goal[] = [
  { metric: 'rate', value: 16_000 },
  { metric: 'p99', value: 8 },
  { metric: 'each', value: 62.5 },
];

const getRow = (name: string, protocol?: RequestsTask['protocol']): Row => ({
  name: `GET 1 KiB x${readers}${name}`,
  goals: getGoals,
  async begin(context) {
    const path = `${await fill(context, readers)}/o-{w}`;
    const task = requests(context, { connections: readers, count: 60_000 }, { method: 'GET', path });
    return { ...task, ...(protocol && { protocol }) };
  },
});

export const rows: readonly Row[] = [
  getRow(''),
  getRow(' over one HTTP/2 connection', 'HTTP/2'),
  listRow('JSON', 'application/json', listGoals),
  listRow('protobuf', protobuf, listGoals),
  listRow('Table x4', table, [], 4),
  createRow(1, 3000, { embedded: 1600, etcd: 900 }),
  createRow(32, 15_000, { embedded: 7000, etcd: 3000 }),
  patchRow(
    'merge patch of a Deployment',
    2600,
    8000,
    '',
    'application/merge-patch+json',
    json({
      metadata: { annotations: { round: '{i}' } },
      spec: { template: { metadata: { annotations: { round: '{i}' } } } },
    }),
  ),
  patchRow(
    'server-side apply of a Deployment',
    1500,
    5000,
    '?fieldManager=bench&force=true',
    'application/apply-patch+yaml',
    deployment('d-{w}', '{i}'),
  ),
  watchRow('10 connections (HTTP/2)', 10, [
    { metric: 'p99', value: 30 },
    { metric: 'each', value: 5 },
  ]),
  watchRow('a connection each (HTTP/1.1)', 0, []),
];

export const goalsBeside: Readonly<Record<'start' | 'idle' | 'after', readonly Goal[]>> = {
  start: [{ metric: 'p50', value: 500 }],
  idle: [{ metric: 'rss', value: 110 }],
  after: [{ metric: 'rss', value: 400 }],
};
