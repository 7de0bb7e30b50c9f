/** A server in place of a member, which serves the documents that the controllers of clusters read, and counts the requests for them. */
import type http from 'node:http';
import type { Test } from 'tap';
import { silent } from '../../../server/logger.js';
import type { Part } from '../../../server/parts.js';
import { createMembers } from '../../../aggregation/members/members.js';
import { MemberReports } from '../../../controllers/cluster/member-reports.js';
import { type ClusterStatusOptions, startClusterStatusController } from '../../../controllers/cluster/status.js';
import { startClusterController } from '../../../controllers/cluster/cluster.js';
import { memberContexts } from '../../../controllers/members/member-contexts.js';
import { createMemberWatch } from '../../../controllers/members/member-watch.js';
import { componentContext } from '../../../client/runtime/component.js';
import { backend } from '../../aggregation/backend.js';
import { join } from '../../aggregation/fleet.js';
import { runningServer, type TestServer } from '../../apiserver/running.js';

/** A version of a group in aggregated discovery. */
export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly string[];
  readonly freshness?: 'Current' | 'Stale';
}

/** Returns an APIGroupDiscoveryList. */
export function aggregatedDiscovery(served: readonly ServedVersion[]): object {
  const items = served.map(({ group, version, kinds, freshness = 'Current' }) => ({
    metadata: { name: group },
    versions: [{ version, freshness, resources: kinds.map(resourceOf) }],
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

const resourceOf = (kind: string): object => ({
  resource: `${kind.toLowerCase()}s`,
  responseKind: { group: '', version: '', kind },
  scope: 'Namespaced',
  verbs: ['get', 'list', 'watch'],
});

export interface MemberServer {
  readonly url: string;
  readonly authority: string;
  /** Answers by path, without the query. Absent ones are 404; a number is a status without a document; 429 comes with a long Retry-After. */
  readonly documents: Map<string, object | number>;
  /** ETags by path. */
  readonly etags: Map<string, string>;
  /** The numbers of answers by path and status: `/api 304`. */
  readonly answers: Map<string, number>;
  /** The number of requests that wait for their answer. */
  readonly held: number;
  /** Lets the requests for a path wait for their answer until the returned function is called. */
  hold(path: string): () => void;
}

const emptyList = (apiVersion: string, kind: string): object => ({
  ...{ apiVersion, kind: `${kind}List`, metadata: { resourceVersion: '1' }, items: [] },
});

/** Starts a member that is ready and serves the core kinds, without any objects. */
export async function memberServer(t: Test): Promise<MemberServer> {
  const server = await backend(t);
  const documents = new Map<string, object | number>([
    ['/readyz', 200],
    ['/version', { gitVersion: 'v1.36.0' }],
    ['/api', aggregatedDiscovery([{ group: '', version: 'v1', kinds: ['Pod', 'Node'] }])],
    ['/apis', aggregatedDiscovery([{ group: 'apps', version: 'v1', kinds: ['Deployment'] }])],
    ['/api/v1/nodes', emptyList('v1', 'Node')],
    ['/api/v1/pods', emptyList('v1', 'Pod')],
    [
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      emptyList('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
    ],
  ]);
  const etags = new Map<string, string>();
  const answers = new Map<string, number>();
  const held: (() => void)[] = [];
  let heldPath: string | undefined;
  const onRequest: http.RequestListener = (request, response) => {
    const url = new URL(request.url ?? '', 'https://member');
    if (url.pathname === heldPath) return void held.push(() => onRequest(request, response));
    if (url.searchParams.has('watch')) return void response.writeHead(200).flushHeaders();
    const status = answer(request, response, documents.get(url.pathname) ?? 404, etags.get(url.pathname));
    const counted = `${url.pathname} ${status}`;
    answers.set(counted, (answers.get(counted) ?? 0) + 1);
  };
  server.onRequest = onRequest;
  return {
    ...{ url: server.url, authority: server.authority, documents, etags, answers },
    get held() {
      return held.length;
    },
    hold(path) {
      heldPath = path;
      return () => {
        heldPath = undefined;
        for (const answer of held.splice(0)) answer();
      };
    },
  };
}

function answer(
  { headers }: http.IncomingMessage,
  response: http.ServerResponse,
  document: object | number,
  etag: string | undefined,
): number {
  const isKnown = etag !== undefined && headers['if-none-match'] === etag;
  const status = typeof document === 'number' ? document : isKnown ? 304 : 200;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(etag !== undefined && { etag }),
    ...(status === 429 && { 'retry-after': '3600' }),
  });
  response.end(status === 200 && typeof document === 'object' ? JSON.stringify(document) : undefined);
  return status;
}

type Settings = Partial<Omit<ClusterStatusOptions, 'members' | 'serves' | 'reports'>>;

const clusterControllers = (settings: Settings): Part => ({
  name: 'clusters',
  start(part) {
    const context = componentContext({ ...part, log: silent }, 'karmada-controller-manager');
    const connections = createMembers(context.client, 'karmada-controller-manager', { retriesByQueue: true });
    const members = createMemberWatch(memberContexts(connections, context));
    startClusterController(context);
    const reports = new MemberReports(context);
    startClusterStatusController(context, { members, serves: () => true, reports, ...settings });
    return Promise.resolve({
      async stop() {
        await connections.close();
        await context.finished();
      },
    });
  },
});

/** Starts a control plane with the controllers of clusters, which the member joins as `member1`. */
export async function joinedMember(t: Test, member: MemberServer, settings: Settings = {}): Promise<TestServer> {
  const parts = [clusterControllers({ frequencyMs: 100, ...settings })];
  const control = await runningServer(t, { profile: 'karmada', parts });
  await join(control, 'member1', { server: member.url, authority: member.authority, token: 'secret' });
  return control;
}
