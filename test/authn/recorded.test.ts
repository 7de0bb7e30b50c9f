/** Replays recorded requests about users and rights in process: impersonation, authorization, and the registry. */
import t, { type Test } from 'tap';
import { refusal } from '../../authn/refusal.js';
import { attributesOf } from '../../apiserver/http/filters.js';
import { parseQuery } from '../../apiserver/http/query.js';
import { requestInfo } from '../../apiserver/http/request-info.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { StatusError } from '../../apimachinery/errors/status.js';
import type { Client } from '../../client/interface.js';
import { recorded } from '../data.js';
import { admin, serve, until, type Server } from './serve.js';

interface Step {
  readonly do?: string;
  readonly body?: KubeObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ignore?: boolean;
  readonly only?: readonly string[];
  readonly save?: Readonly<Record<string, string>>;
  readonly want?: { readonly status: number; readonly body: unknown };
}

interface Recording {
  readonly cases: readonly { readonly name: string; readonly steps: readonly Step[] }[];
}

type Variables = Record<string, string>;

const fill = <T>(value: T, variables: Variables): T =>
  JSON.parse(JSON.stringify(value).replace(/\{(\w+)\}/g, (all, name: string) => variables[name] ?? all)) as T;

/** Returns the recorded answer as a pattern: masked parts match anything. */
function pattern(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!/\{(?:time|uid|rv)\}/.test(value)) return value;
    return new RegExp(`^${value.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(?:time|uid|rv)\}/g, '.+')}$`);
  }
  if (Array.isArray(value)) return value.map(pattern);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, pattern(member)]));
}

const pick = (value: unknown, path: string): unknown =>
  path.split('.').reduce((at: unknown, key) => (at as Record<string, unknown> | null | undefined)?.[key], value);

/** Handles one request as the filters and handlers of a server would. */
async function answer(server: Server, request: string, body: KubeObject | undefined, headers: Step['headers']) {
  const [method = '', target = ''] = request.split(' ');
  const [path = '', query = ''] = target.split('?');
  const info = requestInfo(method, path, parseQuery(query));
  const attributes = attributesOf(info);
  const impersonated = await server.authn.impersonate(admin, headers ?? {}, attributes);
  const user = impersonated?.user ?? admin;
  const decision = await server.authn.authorize(user, attributes);
  if (!decision.allowed) throw refusal(user, attributes, decision.reason);
  if (!info.isResource) return undefined;
  return perform(server.clientFor(user), info, body);
}

function perform(client: Client, info: ReturnType<typeof requestInfo>, body: KubeObject | undefined) {
  if (!info.isResource) throw new Error('not a resource');
  const { group, version, resource, subresource, namespace, name, verb } = info;
  const where = { group, version, resource };
  switch (verb) {
    case 'get':
      return client.get(where, { namespace, name });
    case 'list':
      return client.list(where, { namespace });
    case 'create': {
      if (body === undefined) throw new Error('nothing to create');
      const object = { ...body, metadata: { ...body.metadata, ...(namespace !== '' && { namespace }) } };
      return client.create(where, object, subresource === '' ? {} : { name, subresource });
    }
    default:
      throw new Error(verb);
  }
}

const codeOf = (method: string): number => (method === 'POST' ? 201 : 200);

async function play(t: Test, server: Server, steps: readonly Step[], variables: Variables): Promise<void> {
  for (const step of steps) {
    if (step.do === undefined) continue;
    const request = fill(step.do, variables);
    let got: unknown;
    let status = codeOf(request.split(' ')[0] ?? '');
    try {
      got = await answer(
        server,
        request,
        step.body && fill(step.body, variables),
        step.headers && fill(step.headers, variables),
      );
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      [got, status] = [error.status, error.code];
    }
    for (const [name, from] of Object.entries(step.save ?? {})) variables[name] = String(pick(got, from));
    if (step.ignore === true || step.want === undefined || got === undefined) continue;
    const body = step.only ? Object.fromEntries(step.only.map(path => [path, pick(got, path) ?? null])) : got;
    const { status: code, body: wanted } = fill(step.want, variables);
    const want = { status: code, body: pattern(wanted) };
    t.match({ status, body }, want, `${variables['case']}: ${request}`);
  }
}

/** Waits until the last created roles and bindings have arrived in the policy. */
async function arrived({ client, authn }: Server, name: string): Promise<void> {
  const group = 'rbac.authorization.k8s.io';
  const metadata = { name, namespace: 'default' };
  const apiVersion = `${group}/v1`;
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
  const roleRef = { apiGroup: group, kind: 'Role', name };
  const subjects = [{ apiGroup: group, kind: 'User', name }];
  const where = (resource: string) => ({ group, version: 'v1', resource });
  await client.create(where('roles'), { apiVersion, kind: 'Role', metadata, rules });
  await client.create(where('rolebindings'), { apiVersion, kind: 'RoleBinding', metadata, roleRef, subjects });
  const base = { type: 'resource', verb: 'get', group: '', version: 'v1', resource: 'pods', subresource: '' } as const;
  const asked = { ...base, namespace: 'default', name: '' };
  await until(async () => (await authn.authorize({ name, groups: [] }, asked)).allowed);
}

t.test('recorded requests get the recorded answers', async t => {
  const server = await serve(t);
  await server.bootstrap();
  const { cases } = recorded('corpus/authz.json') as Recording;
  let count = 0;
  for (const { name, steps } of cases) {
    const variables = { ns: `c-${count}`, id: String(count), case: name };
    const last = steps.findLastIndex(step => step.ignore === true && step.do !== undefined);
    await play(t, server, steps.slice(0, last + 1), variables);
    await arrived(server, `marker-${count}`);
    await play(t, server, steps.slice(last + 1), variables);
    count++;
  }
  t.equal(count, 52);
});
