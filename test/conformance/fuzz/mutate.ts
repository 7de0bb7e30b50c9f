/** Makes random changes to a request. */
import { encodeProtobuf } from '../../../apiserver/negotiate/protobuf/envelope.js';
import { writeYaml } from '../../../lib/yaml/write-yaml.js';
import type { Random } from '../../random.js';
import type { FuzzRequest } from './seeds.js';

type Mutation = (request: FuzzRequest, random: Random) => FuzzRequest;

const odd: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 1e400, -0, 2 ** 31, 2 ** 53, 9223372036854775807n, '', ' ', 'a', '0', '-1'],
  ...[
    'true',
    'null',
    '\u0000',
    '\ud800',
    '🦄',
    '../..',
    '%',
    '*',
    'x'.repeat(300),
    '1Gi',
    '50%',
    '2020-01-01T00:00:00Z',
  ],
  ...[[], {}, [[]], [null], [{}], { '': '' }, { __proto__: 1 }, { a: { b: { c: {} } } }, ['a', 1, null, {}]],
  ...['constructor', 'toString', '__proto__', 'hasOwnProperty', '$ref', '{{', "'; --", '<script>', '\n', '\r\n\r\n'],
];
const keys = [
  ...['metadata', 'spec', 'status', 'kind', 'apiVersion', 'name', 'namespace', 'labels', 'annotations', 'finalizers'],
  ...['ownerReferences', 'managedFields', 'generateName', 'deletionTimestamp', 'resourceVersion', 'uid', 'generation'],
  ...['__proto__', 'constructor', 'toString', '', 'a.b/c', 'items', 'data', 'op', 'path', 'value', 'from', '$patch'],
  ...['$setElementOrder/containers', '$deleteFromPrimitiveList/finalizers', '$retainKeys', 'template', 'replicas'],
];
const parameters = [
  ...['watch', 'limit', 'continue', 'resourceVersion', 'resourceVersionMatch', 'labelSelector', 'fieldSelector'],
  ...[
    'timeoutSeconds',
    'sendInitialEvents',
    'allowWatchBookmarks',
    'fieldManager',
    'fieldValidation',
    'dryRun',
    'force',
  ],
  ...['pretty', 'timeout', 'gracePeriodSeconds', 'propagationPolicy', 'orphanDependents', 'includeObject', 'export'],
  ...['exclude', 'verbose', 'shardSelector', 'x'],
];
const values = [
  ...['', '0', '1', '-1', 'true', 'false', 'All', 'Strict', 'Warn', 'Ignore', 'Exact', 'NotOlderThan', 'Background'],
  ...[
    'a=b',
    'a in (b,c)',
    '!a',
    'metadata.name=a',
    'metadata.name!=a',
    'a==',
    ',',
    '(',
    '%',
    '%zz',
    '%00',
    '1s',
    '-1s',
  ],
  ...['1h', '9223372036854775808', '99999999999999999999', 'Metadata', 'None', 'Object', 'ü', '🦄', 'x'.repeat(500)],
  'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhXHUwMDAwIn0',
];
const types = [
  ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'application/json-patch+json'],
  ...['application/merge-patch+json', 'application/strategic-merge-patch+json', 'application/apply-patch+yaml'],
  ...['application/apply-patch+cbor', 'text/plain', '', 'application/json; charset=utf-8', '*/*', 'x'],
];
const accepts = [
  ...['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', '*/*', '', 'text/html', 'x/y'],
  ...['application/json;as=Table;v=v1;g=meta.k8s.io', 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'],
  ...[
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
    'application/json;q=x',
    'application/json;as',
  ],
  ...['application/json;stream=watch', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', ',,;;'],
  ...['application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io', 'application/cbor'],
];
const verbs = ['GET', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
const segments = [
  ...[
    '',
    '.',
    '..',
    '%2e%2e',
    '%',
    '%00',
    '%2F',
    'a',
    'default',
    'kube-system',
    'namespaces',
    'watch',
    'proxy',
    'status',
  ],
  ...[
    'scale',
    'exec',
    'log',
    'finalize',
    'token',
    'v1',
    'v9',
    'apis',
    'api',
    'pods',
    'x'.repeat(300),
    'ü',
    '*',
    'a:b',
    ';',
  ],
];

const splitUrl = (path: string): [string, string] => {
  const mark = path.indexOf('?');
  return mark < 0 ? [path, ''] : [path.slice(0, mark), path.slice(mark + 1)];
};

const text = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? Number(each) : each)) ?? 'null';

/** Changes a random place of a value in place, and returns the value. */
function changeValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.15)) return structuredClone(random.pick(odd));
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    if (value.length > 0 && random.chance(0.2)) value.push(structuredClone(value[0]));
    else if (value.length > 0 && random.chance(0.2)) value.splice(at, 1);
    else value[at] = changeValue(value[at], random);
    return value;
  }
  const map = value as Record<string, unknown>;
  const names = Object.keys(map);
  const name = names.length === 0 || random.chance(0.2) ? random.pick(keys) : random.pick(names);
  if (random.chance(0.15)) delete map[name];
  else Object.defineProperty(map, name, { value: changeValue(own(map, name), random), ...writable });
  return value;
}
/** Returns an own property. Properties of the prototype are shared, and must not be changed. */
const own = (map: Record<string, unknown>, name: string): unknown => (Object.hasOwn(map, name) ? map[name] : undefined);
const writable = { enumerable: true, configurable: true, writable: true };

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

const jsonBody: Mutation = (request, random) => {
  const value = request.body && parsed(request.body);
  if (value === undefined) return request;
  return { ...request, body: Buffer.from(text(changeValue(value, random))) };
};

const rawBody: Mutation = (request, random) => {
  if (!request.body) return { ...request, body: random.bytes(random.below(64)) };
  const body = Buffer.from(request.body);
  if (body.length === 0 || random.chance(0.3))
    return { ...request, body: body.subarray(0, random.below(body.length + 1)) };
  for (let i = random.below(4); i >= 0; i--) body[random.below(body.length)] = random.below(256);
  return { ...request, body };
};

const otherFormat: Mutation = (request, random) => {
  const value = request.body && parsed(request.body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return request;
  try {
    const yaml = random.chance(0.5);
    const body = yaml ? Buffer.from(writeYaml(value)) : encodeProtobuf(value as Record<string, unknown>);
    const type = yaml ? 'application/yaml' : 'application/vnd.kubernetes.protobuf';
    return { ...request, body, headers: { ...request.headers, 'content-type': type } };
  } catch {
    return request; // the type does not exist
  }
};

const deepBody: Mutation = (request, random) => {
  const depth = random.pick([50, 1000, 20_000]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  const inner = open.repeat(depth) + '1' + close.repeat(depth);
  return {
    ...request,
    body: Buffer.from(random.chance(0.5) ? inner : `{"apiVersion":"v1","kind":"ConfigMap","data":${inner}}`),
  };
};

const patchBody: Mutation = (request, random) => {
  const paths = [
    '',
    '/',
    '/metadata',
    '/metadata/labels/a',
    '/spec/-',
    '/spec/0',
    '/data/a~1b',
    '/a~',
    'x',
    '/metadata/finalizers/-',
  ];
  const operation = () => ({
    op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x', null]),
    path: random.pick(paths),
    ...(random.chance(0.5) && { from: random.pick(paths) }),
    ...(random.chance(0.7) && { value: random.pick(odd) }),
  });
  const type = random.pick(types.slice(3, 8));
  const body = type.includes('json-patch')
    ? Array.from({ length: random.below(6) }, operation)
    : changeValue({ metadata: { labels: { a: 'b' } }, spec: { replicas: 1 }, data: { a: 'b' } }, random);
  return {
    ...request,
    method: 'PATCH',
    body: Buffer.from(text(body)),
    headers: { ...request.headers, 'content-type': type },
  };
};

const query: Mutation = (request, random) => {
  const [path, given] = splitUrl(request.path);
  const more = Array.from(
    { length: 1 + random.below(3) },
    () =>
      `${random.pick(parameters)}=${random.chance(0.7) ? encodeURIComponent(random.pick(values)) : random.pick(values)}`,
  );
  return { ...request, path: `${path}?${[given, ...more].filter(Boolean).join('&')}` };
};

const segment: Mutation = (request, random) => {
  const [path, given] = splitUrl(request.path);
  const parts = path.split('/');
  const at = 1 + random.below(parts.length);
  if (random.chance(0.3)) parts.splice(at, 1);
  else if (random.chance(0.5)) parts.splice(at, 0, random.pick(segments));
  else parts[at] = random.pick(segments);
  return { ...request, path: (parts.join('/') || '/') + (given === '' ? '' : `?${given}`) };
};

const header: Mutation = (request, random) => {
  const name = random.pick([
    ...['accept', 'content-type', 'user-agent', 'authorization', 'impersonate-user', 'impersonate-group', 'audit-id'],
    ...[
      'impersonate-extra-a',
      'x-remote-user',
      'accept-encoding',
      'if-none-match',
      'x-forwarded-for',
      'content-encoding',
    ],
  ]);
  const lists: Readonly<Record<string, readonly string[]>> = {
    accept: accepts,
    'content-type': types,
    'accept-encoding': ['gzip', 'br', 'gzip;q=0', ''],
    authorization: ['Bearer x', 'Bearer a.b.c', 'Basic eA==', 'x'],
  };
  const value = random.pick(lists[name] ?? ['', 'a', 'a,b', 'x'.repeat(300), 'system:masters', '1.2.3.4']);
  return { ...request, headers: { ...request.headers, [name]: value } };
};

const method: Mutation = (request, random) => ({ ...request, method: random.pick(verbs) });

const mutations: readonly Mutation[] = [
  ...[jsonBody, jsonBody, jsonBody, jsonBody, rawBody, otherFormat, patchBody, query, query, segment, header, method],
];

/** Returns the request with only what HTTP clients can send. */
function sendable(request: FuzzRequest): FuzzRequest {
  const path = Buffer.from(request.path)
    .toString()
    .replace(/[^\x21-\x7e]/gu, char => encodeURIComponent(char)); // drops lone surrogates
  return { ...request, path: path.startsWith('/') ? path : `/${path}` };
}

export function mutated(seed: FuzzRequest, random: Random): FuzzRequest {
  let request = seed;
  if (random.chance(0.004)) return sendable(deepBody(request, random)); // too deep for the other changes
  for (let i = random.below(4); i >= 0; i--) request = random.pick(mutations)(request, random);
  return sendable(request);
}
