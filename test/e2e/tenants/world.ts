/** Runs `flagship up` as a process with one simulated member, and users with permissions in single namespaces. */
import type { Test } from 'tap';
import type { TenantBoundaries } from '../../../kinds/karmada/tenant-boundaries.js';
import { temporaryFolder } from '../../apiserver/running.js';
import { up } from '../../cli/process.js';
import { until } from '../../storage/until.js';

/** An object, a list or a Status. */
interface Json {
  readonly [field: string]: unknown;
  readonly message?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly data: Readonly<Record<string, string>>;
  readonly items: readonly unknown[];
}

interface Answer {
  readonly status: number;
  /** The texts of the Warning headers. */
  readonly warnings: readonly string[];
  readonly json: Json;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function conditionOf({ status }: Json, type: string): Condition | undefined {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly Condition[] };
  return conditions.find(condition => condition.type === type);
}

interface RequestOptions {
  readonly body?: object | string;
  /** The media type: application/json or that of a patch. */
  readonly type?: string;
}

/** Sends a request as a user; 'admin' is the administrator. */
type Ask = (user: string, request: string, asked?: RequestOptions) => Promise<Answer>;

export interface World {
  readonly mode: TenantBoundaries;
  readonly ask: Ask;
  /** Returns the object at a path of the member, or undefined. */
  readonly inMember: (path: string) => Promise<Json | undefined>;
}

export const merge = 'application/merge-patch+json';
export const jsonPatch = 'application/json-patch+json';
export const apply = 'application/apply-patch+yaml';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
export const core = (namespace: string): string => `/api/v1/namespaces/${namespace}`;
export const policies = (namespace: string): string => `/apis/policy.karmada.io/v1alpha1/namespaces/${namespace}`;
export const bindings = (namespace: string): string =>
  `/apis/work.karmada.io/v1alpha2/namespaces/${namespace}/resourcebindings`;
export const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters';

/** Creates the namespaces `a` and `b`. eve has the role `edit` in a, bob in both; carol may write clusters and read no Secrets. */
async function populate(ask: Ask): Promise<void> {
  const create = async (path: string, body: object): Promise<void> => {
    const { status, json } = await ask('admin', `POST ${path}`, { body });
    if (status !== 201) throw new Error(JSON.stringify(json));
  };
  const role = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
  for (const [name, users] of [
    ['a', ['eve', 'bob']],
    ['b', ['bob']],
  ] as const) {
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await create(`${rbac}/namespaces/${name}/rolebindings`, {
      metadata: { name: 'tenant' },
      roleRef: role('ClusterRole', 'edit'),
      subjects: users.map(user => role('User', user)),
    });
  }
  await create(`${rbac}/clusterroles`, {
    metadata: { name: 'cluster-writer' },
    rules: [{ apiGroups: ['cluster.karmada.io'], resources: ['clusters', 'clusters/status'], verbs: ['*'] }],
  });
  await create(`${rbac}/clusterrolebindings`, {
    metadata: { name: 'cluster-writer' },
    roleRef: role('ClusterRole', 'cluster-writer'),
    subjects: [role('User', 'carol')],
  });
}

export async function startWorld(t: Test, mode: TenantBoundaries): Promise<World> {
  const { server } = await up(t, await temporaryFolder(t), '--members', '1', `--tenant-boundaries=${mode}`);
  const ask: Ask = async (user, request, { body, type = 'application/json' } = {}) => {
    const [method = '', path = ''] = request.split(' ');
    const reply = await server.call(method, path, {
      headers: {
        ...(body !== undefined && { 'content-type': type }),
        ...(user !== 'admin' && { 'impersonate-user': user }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const { warning = '' } = reply.headers;
    const texts = (Array.isArray(warning) ? warning : [warning]).filter(text => text !== '');
    return { status: reply.status, warnings: texts, json: JSON.parse(reply.text) as Json };
  };
  const inMember = async (path: string): Promise<Json | undefined> => {
    const { status, json } = await ask('admin', `GET ${clusters}/member1/proxy${path}`);
    return status === 200 ? json : undefined;
  };
  await populate(ask);
  await until('rights and namespaces are there', async () => {
    const { status } = await ask('eve', `GET ${policies('a')}/overridepolicies`);
    return status === 200 && (await inMember('/api/v1/namespaces/a')) !== undefined;
  });
  return { mode, ask, inMember };
}
