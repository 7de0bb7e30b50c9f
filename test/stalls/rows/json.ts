/** JSON: bodies that are no objects, and objects of unusual size or shape. */
import { type HostileRequest, requests, type Row } from '../row.js';
import {
  configMap,
  configMaps,
  container,
  deployment,
  deployments,
  entries,
  get,
  many,
  maxBytes,
  object,
  pods,
  post,
  range,
  remove,
  secrets,
} from './objects.js';

/** Sends one body. `size`: its approximate number of bytes. */
const text = (name: string, make: (size: number) => string, size = maxBytes): Row =>
  requests(`json/${name}`, size, size => [post(configMaps, make(size))]);

const inData = (data: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":${data}}`;

/** Creates an object, reads it in all formats, and deletes it. The unit of `size` depends on the row. */
const whole = (name: string, size: number, path: string, make: (name: string, size: number) => object): Row => ({
  name: `objects/${name}`,
  size,
  async play(fixture) {
    const own = fixture.name();
    await fixture.send(post(`${path}?fieldValidation=Strict`, make(own, fixture.size)));
    const { status } = await fixture.send(post(path, make(own, fixture.size)));
    if (status !== 201) return;
    for (const accept of forms) await fixture.send(get(`${path}/${own}`, { accept }));
    for (const accept of forms) await fixture.send(get(path, { accept }));
    await fixture.must(remove(`${path}/${own}`));
  },
});

const forms = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
];

const metadata = (name: string, size: number, make: (size: number) => object): Row =>
  whole(`metadata-${name}`, size, configMaps, (own, size) => configMap(own, { metadata: make(size) }));

const randomJson = requests('json/random', 500_000, function* (size, random) {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '"a":',
    '1',
    '-',
    '1e9',
    'true',
    'null',
    '\\',
    ' ',
    '\u0000',
    '\ud800',
  ];
  for (let i = 0; i < 4; i++)
    yield post(
      configMaps,
      many(size, () => random.pick(pieces)),
    );
});

/** A Deployment of `size` environment variables, in which `change` makes an error. */
const withFault = (name: string, change: (json: string) => string): Row =>
  requests(`json/fault-${name}`, 15_000, size => {
    const env = range(size, i => ({ name: `E${i}`, value: 'v' }));
    const body = change(JSON.stringify(deployment('x', [{ ...container(0), env }])));
    return [post(deployments, body), post(`${deployments}?fieldValidation=Strict`, body)];
  });

/** Faults of valid JSON, for which large bodies are parsed again by a slower parser. */
const strictRows: readonly Row[] = [
  withFault('repeated', json => json.replace('{', '{"kind":"Deployment",')),
  withFault('float', json => json.replace('"spec":{', '"spec":{"replicas":1.0,')),
  withFault('unknown', json => json.replaceAll('"value"', '"valu"')),
  withFault('type', json => json.replace(/"v"(?=[^v]*$)/, '1')),
];

export const jsonRows: readonly Row[] = [
  text('open-brackets', size => '['.repeat(size)),
  text('open-braces', size => '{"a":'.repeat(size / 5)),
  text('closed', size => `${'['.repeat(size / 2)}${']'.repeat(size / 2)}`),
  text('deep-inside', size => inData(`${'['.repeat(size / 2)}${']'.repeat(size / 2)}`)),
  text('flat', size => inData(`[${many(size, i => (i === 0 ? '1' : ',1'))}]`)),
  text('objects', size => inData(`[${many(size, i => (i === 0 ? '{}' : ',{}'))}]`)),
  text('keys', size => inData(`{${many(size, i => `${i === 0 ? '' : ','}"k${i}":"v"`)}}`)),
  text('number-keys', size => inData(`{${many(size, i => `${i === 0 ? '' : ','}"${i * 7}":"v"`)}}`)),
  text('equal-keys', size => inData(`{${many(size, i => `${i === 0 ? '' : ','}"k":"v"`)}}`)),
  text('unknown-keys', size => `{"apiVersion":"v1","kind":"ConfigMap"${many(size, i => `,"k${i}":1`)}}`),
  text('protos', size => inData(`{${many(size, i => `${i === 0 ? '' : ','}"__proto__":{"a${i}":1}`)}}`)),
  text('digits', size => inData('1'.repeat(size))),
  text('numbers', size => inData(`[${many(size, i => `${i === 0 ? '' : ','}9223372036854775807`)}]`)),
  text('fraction', size => inData(`0.${'3'.repeat(size)}`)),
  text('string', size => inData(`{"k":"${'x'.repeat(size)}"}`), 1_400_000),
  text('escapes', size => inData(`{"k":"${'\\u0041'.repeat(size / 6)}"}`)),
  text('backslashes', size => inData(`{"k":"${'\\\\'.repeat(size / 2)}"}`)),
  text('spaces', size => `${' '.repeat(size)}{}`),
  text('spaces-behind', size => `${inData('{}')}${' '.repeat(size)}x`),
  text('no-end', size => `{"k":"${'x'.repeat(size)}`),
  text('kind', size => JSON.stringify({ apiVersion: 'v1', kind: 'x'.repeat(size) })),
  text('name', size => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x'.repeat(size) } })),
  text('wide', size => inData(`{"k":"${'\u{1f984}'.repeat(size / 4)}"}`)),
  ...strictRows,
  requests('json/invalid-utf8', maxBytes, size => [post(configMaps, Buffer.alloc(size, 0xff))]),
  requests('json/nul', maxBytes, size => [post(configMaps, Buffer.alloc(size))]),
  randomJson,
];

const quantity = (i: number): string => `${'9'.repeat((i % 40) + 1)}.${'9'.repeat(i % 40)}`;

export const objectRows: readonly Row[] = [
  metadata('labels', 48_000, size => ({ labels: entries(size, i => [`k${i}`, 'v']) })),
  metadata('bad-labels', 48_000, size => ({ labels: entries(size, i => [`-${i}`, '-']) })),
  metadata('bad-annotations', 48_000, size => ({ annotations: entries(size, i => [`-${i}`, '-']) })),
  metadata('annotations', 15_000, size => ({ annotations: entries(size, i => [`key-${i}`, 'v']) })),
  metadata('finalizers', 48_000, size => ({ finalizers: range(size, i => `example.com/f${i}`) })),
  metadata('bad-finalizers', 48_000, size => ({ finalizers: range(size, i => `f${i}`) })),
  metadata('owners', 9000, size => ({
    ownerReferences: range(size, i => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `o${i}`, uid: `u${i}` })),
  })),
  metadata('managers', 5000, size => ({
    managedFields: range(size, i => ({
      ...{ manager: `m${i}`, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' },
      fieldsV1: { 'f:data': { [`f:k${i}`]: {} } },
    })),
  })),
  metadata('managed', 48_000, size => ({
    managedFields: [
      {
        ...{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1' },
        fieldsV1: { 'f:data': entries(size, i => [`f:k${i}`, {}]) },
      },
    ],
  })),
  whole('config-map', 48_000, configMaps, (name, size) =>
    configMap(name, { data: entries(size, i => [`k${i}`, 'v']) }),
  ),
  whole('config-map-bad', 48_000, configMaps, (name, size) =>
    configMap(name, { data: entries(size, i => [`/${i}`, 'v']) }),
  ),
  whole('secret', 1_000_000, secrets, (name, size) =>
    object('v1', 'Secret', name, { data: { k: Buffer.alloc(size * 0.75).toString('base64') } }),
  ),
  whole('secret-bad', 48_000, secrets, (name, size) =>
    object('v1', 'Secret', name, { data: entries(size, i => [`k${i}`, '!']) }),
  ),
  whole('secret-tls', 1_000_000, secrets, (name, size) =>
    object('v1', 'Secret', name, {
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': Buffer.alloc(size / 2, '-----BEGIN CERTIFICATE-----\n').toString('base64'), 'tls.key': '' },
    }),
  ),
  whole('secret-docker', 1_000_000, secrets, (name, size) =>
    object('v1', 'Secret', name, {
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.alloc(size * 0.75, '[').toString('base64') },
    }),
  ),
  whole('containers', 16_000, deployments, (name, size) => deployment(name, range(size, container))),
  whole('equal-containers', 16_000, deployments, (name, size) =>
    deployment(
      name,
      range(size, () => container(0)),
    ),
  ),
  whole('init-containers', 16_000, pods, (name, size) =>
    object('v1', 'Pod', name, {
      spec: { containers: [container(0)], initContainers: range(size, i => container(i + 1)) },
    }),
  ),
  whole('quota-scopes', 12_000, '/api/v1/namespaces/default/resourcequotas', (name, size) =>
    object('v1', 'ResourceQuota', name, {
      spec: {
        hard: entries(size, i => [`requests.example.com/r${i}`, '1']),
        scopeSelector: {
          matchExpressions: range(size, () => ({ scopeName: 'PriorityClass', operator: 'Exists' })),
        },
      },
    }),
  ),
  whole('usages', 45_000, '/apis/certificates.k8s.io/v1/certificatesigningrequests', (name, size) =>
    object('certificates.k8s.io/v1', 'CertificateSigningRequest', name, {
      spec: { request: 'YQ==', signerName: 'example.com/x', usages: range(size, i => `u${i}`) },
    }),
  ),
  whole('binary', 48_000, configMaps, (name, size) =>
    configMap(name, { binaryData: entries(size, i => [`k${i}`, 'YQ==']) }),
  ),
  whole('capacity', 24_000, '/api/v1/nodes', (name, size) =>
    object('v1', 'Node', name, { status: { capacity: entries(size, i => [`example.com/r${i}`, `${i}`]) } }),
  ),
  whole('bad-containers', 24_000, deployments, (name, size) =>
    deployment(
      name,
      range(size, () => ({ name: '!' })),
    ),
  ),
  whole('environment', 16_000, deployments, (name, size) =>
    deployment(name, [{ ...container(0), env: range(size, i => ({ name: `E${i}`, value: `$(E${i - 1})` })) }]),
  ),
  whole('ports', 24_000, deployments, (name, size) =>
    deployment(name, [{ ...container(0), ports: range(size, i => ({ containerPort: (i % 65535) + 1 })) }]),
  ),
  whole('quantities', 20_000, deployments, (name, size) =>
    deployment(name, [
      { ...container(0), resources: { limits: entries(size, i => [`example.com/r${i}`, quantity(i)]) } },
    ]),
  ),
  whole('long-quantity', 1_000_000, deployments, (name, size) =>
    deployment(name, [{ ...container(0), resources: { limits: { cpu: '9'.repeat(size) } } }]),
  ),
  whole('exponent-quantity', 1_000_000, deployments, (name, size) =>
    deployment(name, [
      { ...container(0), resources: { limits: { cpu: `1e${'9'.repeat(size)}`, memory: '1e999999999' } } },
    ]),
  ),
  whole('volumes', 16_000, pods, (name, size) =>
    object('v1', 'Pod', name, {
      spec: { containers: [container(0)], volumes: range(size, i => ({ name: `v${i}`, emptyDir: {} })) },
    }),
  ),
  whole('tolerations', 16_000, pods, (name, size) =>
    object('v1', 'Pod', name, {
      spec: { containers: [container(0)], tolerations: range(size, i => ({ key: `k${i}`, operator: 'Exists' })) },
    }),
  ),
  whole('affinity', 9000, pods, (name, size) =>
    object('v1', 'Pod', name, {
      spec: {
        containers: [container(0)],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: range(size, i => ({ matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] })),
            },
          },
        },
      },
    }),
  ),
  whole('network-policy', 9000, '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies', (name, size) =>
    object('networking.k8s.io/v1', 'NetworkPolicy', name, {
      spec: {
        podSelector: {},
        egress: [{ to: range(size, () => ({ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } })) }],
      },
    }),
  ),
  whole('ingress', 20_000, '/apis/networking.k8s.io/v1/namespaces/default/ingresses', (name, size) =>
    object('networking.k8s.io/v1', 'Ingress', name, {
      spec: { rules: range(size, i => ({ host: `h${i}.example.com` })), defaultBackend: { resource: {} } },
    }),
  ),
  whole('service', 16_000, '/api/v1/namespaces/default/services', (name, size) =>
    object('v1', 'Service', name, { spec: { ports: range(size, i => ({ name: `p${i}`, port: (i % 65535) + 1 })) } }),
  ),
  whole('slices', 16_000, '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', (name, size) =>
    object('discovery.k8s.io/v1', 'EndpointSlice', name, {
      addressType: 'IPv6',
      endpoints: range(size, i => ({ addresses: [`::${(i % 65536).toString(16)}`] })),
    }),
  ),
  whole('cron', 1_000_000, '/apis/batch/v1/namespaces/default/cronjobs', (name, size) =>
    object('batch/v1', 'CronJob', name, {
      spec: {
        schedule: `${'1,'.repeat(size / 2)}1 * * * *`,
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container(0)] } } } },
      },
    }),
  ),
];

/** Lists of many objects. */
export const listRows: readonly Row[] = [
  {
    name: 'lists/large-objects',
    size: 24,
    // The cache of Protobuf messages is limited to 128 MiB, and the watch history has the 24 MiB of the objects.
    retainedBytes: 160 << 20,
    async play(fixture) {
      const names = range(fixture.size, () => fixture.name());
      const data = { k: 'x'.repeat(1_000_000) };
      for (const name of names) await fixture.must(post(configMaps, configMap(name, { data })));
      for (const accept of forms) await Promise.all(range(2, () => fixture.send(get(configMaps, { accept }))));
      for (const name of names) await fixture.must(remove(`${configMaps}/${name}`));
    },
  },
  {
    name: 'lists/many-objects',
    size: 5000,
    retainedBytes: 32 << 20,
    async play(fixture) {
      const names = range(fixture.size, () => fixture.name());
      const make = (name: string): HostileRequest =>
        post(configMaps, configMap(name, { metadata: { labels: { list: 'y' } } }));
      for (let i = 0; i < names.length; i += 50)
        await Promise.all(names.slice(i, i + 50).map(name => fixture.must(make(name))));
      for (const accept of forms) await Promise.all(range(4, () => fixture.send(get(configMaps, { accept }))));
      await fixture.must(remove(`${configMaps}?labelSelector=list%3Dy`));
    },
  },
];
