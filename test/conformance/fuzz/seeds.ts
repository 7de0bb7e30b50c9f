/** The seed requests: those of the recorded conversations, and one for each route of discovery. */
import { recorded } from '../../data.js';

export interface FuzzRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | undefined;
}

interface Step {
  readonly do?: string;
  readonly type?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const areas = [
  ...['admission', 'apply', 'authz', 'crd', 'defaults', 'discovery', 'fieldvalidation', 'listwatch', 'metadata'],
  ...['patch', 'validation'],
];

/** Returns the text with the placeholders of the recordings filled. */
const filled = (text: string): string =>
  text
    .replaceAll('{ns}', 'default')
    .replaceAll('{uid}', '5f1e0b5e-6f6f-4c43-8a0e-000000000000')
    .replaceAll('{rv}', '1');

function requestOf({ do: what = '', type, accept, headers, body }: Step): FuzzRequest | undefined {
  const [method = '', path = ''] = what.split(' ');
  if (!/^[A-Z]+$/.test(method) || !path.startsWith('/')) return undefined;
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  return {
    method,
    path: encodeURI(filled(path)).replaceAll('%25', '%'),
    headers: {
      ...(text !== undefined && { 'content-type': type ?? 'application/json' }),
      ...(accept !== undefined && { accept }),
      ...headers,
    },
    body: text === undefined ? undefined : Buffer.from(filled(text)),
  };
}

export function recordedRequests(): FuzzRequest[] {
  return areas.flatMap(area => {
    const { cases } = recorded(`corpus/${area}.json`) as { cases: readonly { readonly steps: readonly Step[] }[] };
    return cases.flatMap(({ steps }) => steps.map(requestOf).filter(request => request !== undefined));
  });
}

const methods: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };

/** A group of aggregated discovery. */
export interface DiscoveredGroup {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly version: string; readonly resources?: readonly DiscoveredResource[] }[];
}

interface DiscoveredResource {
  readonly resource: string;
  readonly scope: string;
  readonly responseKind: { readonly kind: string };
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string; readonly verbs: readonly string[] }[];
}

/** Returns one request for each verb of each resource and subresource. */
export function routeRequests(groups: readonly DiscoveredGroup[]): FuzzRequest[] {
  const requests: FuzzRequest[] = [];
  for (const { metadata, versions } of groups)
    for (const { version, resources = [] } of versions) {
      const groupVersion = metadata.name ? `${metadata.name}/${version}` : version;
      for (const resource of resources) requests.push(...requestsOf(groupVersion, resource));
    }
  for (const path of others) requests.push({ method: 'GET', path, headers: {}, body: undefined });
  return requests;
}

function requestsOf(groupVersion: string, { resource, scope, responseKind, verbs, subresources }: DiscoveredResource) {
  const requests: FuzzRequest[] = [];
  const namespace = scope === 'Namespaced' ? '/namespaces/default' : '';
  const root = `${groupVersion.includes('/') ? '/apis' : '/api'}/${groupVersion}${namespace}/${resource}`;
  const object = {
    apiVersion: groupVersion,
    kind: responseKind.kind,
    metadata: { name: 'fuzz' },
    spec: {},
    status: {},
  };
  const add = (verb: string, path: string): void => {
    const method = methods[verb] ?? (verb === 'deletecollection' ? 'DELETE' : 'GET');
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? Buffer.from(JSON.stringify(object)) : undefined;
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    requests.push({ method, path, headers: body ? { 'content-type': type } : {}, body });
  };
  for (const verb of verbs) {
    const onList = verb === 'list' || verb === 'watch' || verb === 'create' || verb === 'deletecollection';
    add(verb, onList ? `${root}${verb === 'watch' ? '?watch=1' : ''}` : `${root}/fuzz`);
  }
  for (const part of subresources ?? []) for (const verb of part.verbs) add(verb, `${root}/fuzz/${part.subresource}`);
  return requests;
}

const others = [
  ...['/', '/api', '/apis', '/version', '/metrics', '/metrics/slis', '/healthz', '/livez?verbose', '/readyz/ping'],
  ...['/openapi/v2', '/openapi/v3', '/openapi/v3/api/v1', '/openid/v1/jwks', '/.well-known/openid-configuration'],
  ...['/statusz', '/flagz', '/debug/api_priority_and_fairness/dump_queues', '/apis/apps', '/apis/apps/v1'],
];
