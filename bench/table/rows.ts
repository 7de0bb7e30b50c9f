/** What an API server has to do, and what Flagship should reach on two cores with the client beside it. */
import type { RequestsTask, RequestTemplate, Task } from '../load/task.js';
import { configMaps, deployments } from '../objects.js';
import type { Goal } from './goals.js';

/** Where a row does its work. */
export interface Ground {
  /** Its own, empty. */
  readonly namespace: string;
  /** How many of so many: all counts can be made smaller together. */
  of(count: number): number;
  /** Does what has to be there before. */
  prepare(task: Task): Promise<void>;
  /** The revision of a collection. */
  revision(path: string): Promise<string>;
}

export interface Row {
  readonly name: string;
  readonly goals: readonly Goal[];
  /** Makes what it needs; tells what is measured. */
  begin(ground: Ground): Promise<Task>;
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

const deployment = (name: string, turn = ''): string =>
  json({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, ...(turn && { annotations: { turn } }) },
        spec: { containers: [container('a', 8080), container('b', 8081), container('c', 8082)] },
      },
    },
  });

interface Scale {
  readonly connections: number;
  readonly count: number;
  /** So many are done before: servers run for weeks, and an engine optimises in the first seconds. Default: a fifth of the count. */
  readonly warm?: number;
}

/** Of writes. */
const warmWrites = 2000;

function requests(
  ground: Ground,
  { connections, count, warm = count / 5 }: Scale,
  request: RequestTemplate,
): RequestsTask {
  return { type: 'requests', request, connections, count: ground.of(count), warm: ground.of(Math.ceil(warm)) };
}

/** Makes ConfigMaps `o-0` and so on. */
async function fill(ground: Ground, count: number): Promise<string> {
  const path = configMaps(ground.namespace);
  const request = { method: 'POST', path, body: configMap('o-{i}') };
  await ground.prepare({ type: 'requests', request, connections: 32, count, warm: 0 });
  return path;
}

/** Makes a Deployment for each connection. */
async function deploy(ground: Ground, connections: number): Promise<string> {
  const path = deployments(ground.namespace);
  const request = { method: 'POST', path, body: deployment('d-{i}') };
  await ground.prepare({ type: 'requests', request, connections, count: connections, warm: 0 });
  return path;
}

const readers = 32;
const listed = 5000;

const listRow = (form: string, accept: string, goals: readonly Goal[], connections = 1): Row => ({
  name: `LIST ${listed} x 1 KiB, ${form}`,
  goals,
  async begin(ground) {
    const path = await fill(ground, ground.of(listed));
    return requests(ground, { connections, count: 100 }, { method: 'GET', path, accept });
  },
});

const listGoals: readonly Goal[] = [{ metric: 'p50', value: 20 }];

const createRow = (connections: number, count: number, value: Goal['value']): Row => ({
  name: `CREATE 1 KiB x${connections}`,
  goals: [{ metric: 'rate', value }],
  begin(ground) {
    const request = { method: 'POST', path: configMaps(ground.namespace), body: configMap('c-{i}') };
    return Promise.resolve(requests(ground, { connections, count, warm: warmWrites }, request));
  },
});

const patched = 16;

const patchRow = (name: string, rate: number, count: number, query: string, type: string, body: string): Row => ({
  name: `${name} x${patched}`,
  goals: [{ metric: 'rate', value: rate }],
  async begin(ground) {
    const path = `${await deploy(ground, patched)}/d-{w}${query}`;
    return requests(ground, { connections: patched, count, warm: warmWrites }, { method: 'PATCH', path, type, body });
  },
});

const watchers = 1000;

const watchRow = (name: string, connections: number, goals: readonly Goal[]): Row => ({
  name: `watch 50/s x ${watchers}, ${name}`,
  goals,
  async begin(ground) {
    const all = configMaps(ground.namespace);
    return {
      type: 'watch',
      path: `${all}?watch=1&allowWatchBookmarks=true&resourceVersion=${await ground.revision(all)}`,
      watchers: ground.of(watchers),
      connections,
      write: { method: 'POST', path: all, body: configMap('w-{i}') },
      perSecond: 50,
      count: ground.of(500),
    };
  },
});

const protobuf = 'application/vnd.kubernetes.protobuf';
/** As kubectl asks. */
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** 16,000 a second of one core are 62.5 us each. */
const getGoals: readonly Goal[] = [
  { metric: 'rate', value: 16_000 },
  { metric: 'p99', value: 8 },
  { metric: 'each', value: 62.5 },
];

const getRow = (name: string, protocol?: RequestsTask['protocol']): Row => ({
  name: `GET 1 KiB x${readers}${name}`,
  goals: getGoals,
  async begin(ground) {
    const path = `${await fill(ground, readers)}/o-{w}`;
    const task = requests(ground, { connections: readers, count: 60_000 }, { method: 'GET', path });
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
      metadata: { annotations: { turn: '{i}' } },
      spec: { template: { metadata: { annotations: { turn: '{i}' } } } },
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
