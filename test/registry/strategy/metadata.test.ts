import t from 'tap';
import type { Fault, ObjectMeta } from '../../../apimachinery/interface.js';
import {
  fieldManagerFaults,
  metadataFaults,
  metadataUpdateFaults,
  pathSegmentFaults,
  plainFinalizerFaults,
  plainFinalizerWarnings,
} from '../../../registry/strategy/metadata.js';
import { dedupOwners } from '../../../registry/strategy/owners.js';
import { webhookServiceFaults, webhookUrlFaults } from '../../../registry/strategy/webhook-client.js';

const texts = (faults: readonly Fault[]): string[] => faults.map(({ path, message }) => `${path}: ${message}`);
const owner = (more: object = {}) => ({ apiVersion: 'v1', kind: 'Pod', name: 'o', uid: 'u', ...more });

t.test('metadata of any object is validated', t => {
  const long = 'x'.repeat(262144);
  const cases: readonly { name: string; given: object; cluster?: true; expect: string[] }[] = [
    {
      name: 'valid metadata',
      given: { labels: { 'a.b/c': '' }, annotations: { 'A.B/c': 'any thing' }, finalizers: ['orphan', 'a.b/c'] },
      expect: [],
    },
    {
      name: 'no name',
      given: { name: '' },
      expect: ['metadata.name: Required value: name or generateName is required'],
    },
    {
      name: 'a name that is not a path segment',
      given: { name: 'a/b%', generateName: 'x/' },
      expect: [
        'metadata.generateName: Invalid value: "x/": may not contain \'/\'',
        'metadata.name: Invalid value: "a/b%": may not contain \'/\'',
        'metadata.name: Invalid value: "a/b%": may not contain \'%\'',
      ],
    },
    { name: 'no namespace', given: { namespace: '' }, expect: ['metadata.namespace: Required value'] },
    {
      name: 'a namespace of a cluster-scoped object',
      given: {},
      cluster: true,
      expect: ['metadata.namespace: Forbidden: not allowed on this type'],
    },
    {
      name: 'a negative generation',
      given: { generation: -1 },
      expect: ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    },
    {
      name: 'labels',
      given: { labels: { 'a/b/c': 'x y' } },
      expect: [
        "metadata.labels: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
        "metadata.labels: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
      ],
    },
    {
      name: 'annotations that are too long together',
      given: { annotations: { a: long } },
      expect: ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    },
    {
      name: 'owners',
      given: { ownerReferences: [owner({ apiVersion: '', kind: '', name: '', uid: '' })] },
      expect: [
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
        'metadata.ownerReferences.name: Invalid value: "": must not be empty',
        'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
      ],
    },
    {
      name: 'two controllers',
      given: { ownerReferences: [owner({ controller: true }), owner({ uid: 'v', name: 'p', controller: true })] },
      expect: [
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"Pod","name":"o","uid":"u","controller":true},{"apiVersion":"v1","kind":"Pod","name":"p","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for Pod/o and Pod/p',
      ],
    },
    {
      name: 'an event as owner',
      given: { ownerReferences: [owner({ kind: 'Event' })] },
      expect: [
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"o","uid":"u"}: /v1, Kind=Event is disallowed from being an owner',
      ],
    },
    {
      name: 'finalizers that exclude each other',
      given: { finalizers: ['orphan', 'foregroundDeletion'] },
      expect: [
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ],
    },
    {
      name: 'managers',
      given: { managedFields: [{ operation: 'Merge', fieldsType: 'V2', manager: 'a\tb' }] },
      expect: [
        'metadata.managedFields[0].operation: Invalid value: "Merge": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "V2": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "a\\tb": invalid character U+0009 (at position 1)',
      ],
    },
  ];
  for (const { name, given, cluster = false, expect } of cases) {
    const metadata = { name: 'a', namespace: 'n', ...given } as ObjectMeta;
    t.same(texts(metadataFaults(metadata, { namespaced: !cluster, nameFaults: pathSegmentFaults })), expect, name);
  }
  t.end();
});

t.test('changes of metadata are validated', t => {
  const old: ObjectMeta = {
    name: 'a',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '5',
    generation: 3,
    creationTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['a/b'],
  };
  const cases: readonly { name: string; given: object; old?: object; expect: string[] }[] = [
    { name: 'none', given: {}, expect: [] },
    {
      name: 'no resourceVersion',
      given: { resourceVersion: '' },
      expect: ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    },
    {
      name: 'a lower generation',
      given: { generation: 2 },
      expect: ['metadata.generation: Invalid value: 2: must not be decremented'],
    },
    {
      name: 'immutable fields',
      given: { uid: 'w', creationTimestamp: '2026-01-01T00:00:01Z', name: 'b' },
      expect: [
        'metadata.name: Invalid value: "b": field is immutable',
        'metadata.uid: Invalid value: "w": field is immutable',
        'metadata.creationTimestamp: Invalid value: "2026-01-01T00:00:01Z": field is immutable',
      ],
    },
    { name: 'another finalizer', given: { finalizers: ['a/b', 'c/d'] }, expect: [] },
    {
      name: 'a new finalizer of a terminating object',
      given: { finalizers: ['e/f', 'a/b', 'c/d'], deletionTimestamp: 't' },
      old: { deletionTimestamp: 't' },
      expect: [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d", "e/f"}',
      ],
    },
  ];
  for (const { name, given, old: more, expect } of cases)
    t.same(texts(metadataUpdateFaults({ ...old, ...given }, { ...old, ...more })), expect, name);
  t.end();
});

t.test('unqualified finalizers are refused or cause warnings', t => {
  t.same(texts(plainFinalizerFaults(['orphan', 'kubernetes', 'x', 'a.b'])), [
    'metadata.finalizers[2]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
    'metadata.finalizers[3]: Invalid value: "a.b": name is neither a standard finalizer name nor is it fully qualified',
  ]);
  const of = (...finalizers: string[]) => ({ apiVersion: 'v1', kind: 'K', metadata: { finalizers } });
  const tail = 'to avoid accidental conflicts with other finalizer writers';
  t.same(plainFinalizerWarnings(of('x', 'a.b', 'a/b', 'orphan', 'old'), of('old')), [
    `metadata.finalizers: "x": prefer a domain-qualified finalizer name ${tail}`,
    `metadata.finalizers: "a.b": prefer a domain-qualified finalizer name including a path (/) ${tail}`,
  ]);
  t.end();
});

t.test('names of field managers are validated', t => {
  t.same(fieldManagerFaults('kubectl-client-side-apply ä', 'm'), []);
  t.same(texts(fieldManagerFaults('x'.repeat(129), 'm')), ['m: Too long: may not be more than 128 bytes']);
  t.same(texts(fieldManagerFaults('ä\u200bb', 'm')), [
    'm: Invalid value: "ä\\u200bb": invalid character U+200B (at position 2)',
  ]);
  t.end();
});

t.test('duplicate owners are removed', t => {
  const draft = { apiVersion: 'v1', kind: 'K', metadata: { ownerReferences: [owner(), owner({ uid: 'v' }), owner()] } };
  t.equal(dedupOwners(draft), 'u');
  t.same(
    draft.metadata.ownerReferences.map(({ uid }) => uid),
    ['u', 'v'],
  );
  t.equal(dedupOwners(draft), '');
  t.equal(
    dedupOwners({ apiVersion: 'v1', kind: 'K', metadata: { ownerReferences: [owner(), owner({ name: 'p' })] } }),
    '',
  );
  t.end();
});

t.test('URLs and services of webhooks are validated', t => {
  const form = '; desired format: https://host[/path]';
  const urls: readonly { given: string; expect: string[] }[] = [
    { given: 'https://h/p', expect: [] },
    { given: 'http://h', expect: [`u: Invalid value: "http": 'https' is the only allowed URL scheme${form}`] },
    { given: 'https:///p', expect: [`u: Invalid value: "": host must be specified${form}`] },
    {
      given: 'https://me@h/p?q=1#f',
      expect: [
        'u: Invalid value: "me": user information is not permitted in the URL',
        'u: Invalid value: "f": fragments are not permitted in the URL',
        'u: Invalid value: "q=1": query parameters are not permitted in the URL',
      ],
    },
  ];
  for (const { given, expect } of urls) t.same(texts(webhookUrlFaults('u', given)), expect, given);
  const service = { namespace: 'n', name: 's', port: 443 };
  const services: readonly { name: string; given: object; expect: string[] }[] = [
    { name: 'a valid service', given: { ...service, path: '/a/b' }, expect: [] },
    {
      name: 'nothing',
      given: {},
      expect: [
        's.name: Required value',
        's.namespace: Required value',
        's.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      ],
    },
    {
      name: 'an empty segment',
      given: { ...service, path: '/a//b' },
      expect: ['s.path: Invalid value: "/a//b": segment[1] may not be empty'],
    },
    {
      name: 'no slash',
      given: { ...service, path: 'ab' },
      expect: ['s.path: Invalid value: "ab": must start with a \'/\''],
    },
  ];
  for (const { name, given, expect } of services) t.same(texts(webhookServiceFaults('s', given)), expect, name);
  t.end();
});
