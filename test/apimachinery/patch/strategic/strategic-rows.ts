/** Strategic merge patches and their results. */
import { nativeSchemaFor } from '../../../../openapi/facts/native-schemas.js';
import type { JsonObject } from '../../../../apimachinery/interface.js';
import type { Schema } from '../../../../apimachinery/codec/interface.js';

export function native(group: string, version: string, kind: string): Schema {
  const schema = nativeSchemaFor({ group, version, kind });
  if (!schema) throw new Error(kind);
  return schema;
}

const deployment = native('apps', 'v1', 'Deployment');
export const pod = native('', 'v1', 'Pod');
const service = native('', 'v1', 'Service');

interface Case {
  readonly name: string;
  readonly schema?: Schema;
  readonly original: JsonObject;
  readonly patch: JsonObject;
  readonly expect: JsonObject;
}

export const spec = (inner: JsonObject): JsonObject => ({ spec: inner });
export const containers = (...list: JsonObject[]): JsonObject => spec({ containers: list });

export const cases: readonly Case[] = [
  {
    name: 'list items merge by their key; a server item stays before the first item of the patch that came after it',
    original: containers({ name: 'a', image: '1' }, { name: 'b', image: '2' }),
    patch: containers({ name: 'c', image: '3' }, { name: 'b', image: '9' }),
    expect: containers({ name: 'c', image: '3' }, { name: 'a', image: '1' }, { name: 'b', image: '9' }),
  },
  {
    name: 'the order of the patch takes precedence',
    original: spec({ imagePullSecrets: [{ name: 's1' }, { name: 's2' }] }),
    patch: spec({ imagePullSecrets: [{ name: 's2' }, { name: 's1' }] }),
    expect: spec({ imagePullSecrets: [{ name: 's2' }, { name: 's1' }] }),
  },
  {
    name: '$patch: delete of an item',
    original: containers({ name: 'a' }, { name: 'b' }),
    patch: containers({ $patch: 'delete', name: 'a' }),
    expect: containers({ name: 'b' }),
  },
  {
    name: '$patch: replace in a list empties it first',
    original: containers({ name: 'a', image: '1' }),
    patch: containers({ name: 'a', args: ['x'] }, { $patch: 'replace' }),
    expect: containers({ name: 'a', args: ['x'] }),
  },
  {
    name: '$patch: replace of a map keeps the other keys of the patch',
    original: spec({ nodeSelector: { n: 'm' } }),
    patch: spec({ nodeSelector: { $patch: 'replace', q: 'r' } }),
    expect: spec({ nodeSelector: { q: 'r' } }),
  },
  {
    name: '$patch: delete of a map',
    original: spec({ nodeSelector: { n: 'm' } }),
    patch: spec({ nodeSelector: { $patch: 'delete', q: 'r' } }),
    expect: spec({ nodeSelector: {} }),
  },
  {
    name: 'a directive for a missing map is dropped with the map',
    original: { metadata: { name: 'a' } },
    patch: { metadata: { labels: { $patch: 'replace', q: 'a' } } },
    expect: { metadata: { name: 'a' } },
  },
  {
    name: 'an unknown directive for a missing map is ignored',
    original: { metadata: {} },
    patch: { metadata: { labels: { $patch: 'zzz' } } },
    expect: { metadata: {} },
  },
  {
    name: 'primitive lists merge, without the items of $deleteFromPrimitiveList',
    original: { metadata: { finalizers: ['a', 'b'] } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c', 'b'] } },
    expect: { metadata: { finalizers: ['c', 'b'] } },
  },
  {
    name: 'a deletion list that is null deletes',
    original: { metadata: { finalizers: ['a'], name: 'x' } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': null } },
    expect: { metadata: { name: 'x' } },
  },
  {
    name: 'a deletion list for an empty list',
    original: { metadata: { finalizers: [] } },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': [] } },
    expect: { metadata: { finalizers: [] } },
  },
  {
    name: 'the case of field names is ignored',
    original: { metadata: {}, spec: { NodeSelector: { a: '1' } } },
    patch: spec({ NodeSelector: { b: '2' } }),
    expect: { metadata: {}, spec: { NodeSelector: { a: '1', b: '2' } } },
  },
  {
    name: 'a deletion list for a missing list',
    original: { metadata: {} },
    patch: { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
    expect: { metadata: {} },
  },
  {
    name: '$setElementOrder without changes',
    original: containers({ name: 'a' }, { name: 'x' }, { name: 'b' }),
    patch: spec({ '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }),
    expect: containers({ name: 'x' }, { name: 'b' }, { name: 'a' }),
  },
  {
    name: '$setElementOrder with changes',
    original: containers({ name: 'a' }, { name: 'b' }),
    patch: spec({
      '$setElementOrder/containers': [{ name: 'n' }, { name: 'b' }, { name: 'a' }],
      containers: [
        { name: 'n', image: 'i' },
        { $patch: 'delete', name: 'a' },
      ],
    }),
    expect: containers({ name: 'n', image: 'i' }, { name: 'b' }),
  },
  {
    name: '$setElementOrder: new items take the positions of deleted ones',
    original: containers({ name: 'gone' }, { name: 'b' }, { name: 'theirs' }),
    patch: spec({
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'n' }],
      containers: [{ name: 'n' }, { $patch: 'delete', name: 'gone' }],
    }),
    expect: containers({ name: 'b' }, { name: 'theirs' }, { name: 'n' }),
  },
  {
    name: '$setElementOrder of a primitive list',
    original: { metadata: { finalizers: ['a', 's', 'b'] } },
    patch: { metadata: { '$setElementOrder/finalizers': ['b', 'n', 'a'], finalizers: ['n'] } },
    expect: { metadata: { finalizers: ['s', 'b', 'n', 'a'] } },
  },
  {
    name: '$setElementOrder for a missing list',
    original: { metadata: {} },
    patch: { metadata: { '$setElementOrder/finalizers': ['b', 'n'], finalizers: ['b', 'n'] } },
    expect: { metadata: { finalizers: ['b', 'n'] } },
  },
  {
    name: '$setElementOrder without changes for a missing list',
    original: { metadata: {} },
    patch: { metadata: { '$setElementOrder/finalizers': ['b'] } },
    expect: { metadata: {} },
  },
  {
    name: '$retainKeys',
    original: spec({ volumes: [{ name: 'w', configMap: { name: 'c' } }] }),
    patch: spec({ volumes: [{ $retainKeys: ['name', 'secret'], name: 'w', secret: { secretName: 'x' } }] }),
    expect: spec({ volumes: [{ name: 'w', secret: { secretName: 'x' } }] }),
  },
  {
    name: '$retainKeys works in any map',
    original: spec({ nodeSelector: { a: '1', b: '2' } }),
    patch: spec({ nodeSelector: { $retainKeys: ['a'] } }),
    expect: spec({ nodeSelector: { a: '1' } }),
  },
  {
    name: 'lists without a strategy replace',
    original: spec({ tolerations: [{ key: 'a' }], dnsConfig: { searches: ['x'] } }),
    patch: spec({ tolerations: [{ key: 'c' }], dnsConfig: { searches: ['y'] } }),
    expect: spec({ tolerations: [{ key: 'c' }], dnsConfig: { searches: ['y'] } }),
  },
  {
    name: 'null deletes at any depth',
    original: spec({ nodeSelector: { a: '1' }, hostNetwork: true, containers: [{ name: 'a', args: ['x'] }] }),
    patch: spec({ nodeSelector: null, hostNetwork: null, zz: null, containers: [{ name: 'a', args: null }] }),
    expect: spec({ containers: [{ name: 'a' }] }),
  },
  {
    name: 'nulls of new maps are dropped',
    original: {},
    patch: { metadata: { labels: { a: null, b: 'c' } } },
    expect: { metadata: { labels: { b: 'c' } } },
  },
  {
    name: 'null elements of merge lists are ignored',
    original: containers({ name: 'a' }),
    patch: { spec: { containers: [null, { name: 'a', image: 'x' }] } },
    expect: containers({ name: 'a', image: 'x' }),
  },
  {
    name: 'a value of another type replaces',
    original: containers({ name: 'a' }),
    patch: { spec: { containers: 'x' } },
    expect: { spec: { containers: 'x' } },
  },
  {
    name: 'numbers as keys; server items stay before the items that came after them',
    schema: service,
    original: spec({ ports: [{ port: 79 }, { port: 80, name: 'a' }, { port: 81 }] }),
    patch: spec({ ports: [{ port: 80, targetPort: 99 }, { port: 82 }] }),
    expect: spec({ ports: [{ port: 79 }, { port: 80, name: 'a', targetPort: 99 }, { port: 82 }, { port: 81 }] }),
  },
  {
    name: 'strategy retainKeys alone merges',
    schema: deployment,
    original: spec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } }),
    patch: spec({ strategy: { rollingUpdate: { maxUnavailable: 0 } } }),
    expect: spec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }),
  },
  {
    name: '$patch at the root',
    original: { metadata: {}, spec: {} },
    patch: { $patch: 'replace', metadata: { name: 'x' } },
    expect: { metadata: { name: 'x' } },
  },
];
