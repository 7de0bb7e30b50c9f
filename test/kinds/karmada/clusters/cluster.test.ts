import t from 'tap';
import type { Schema } from '../../../../apimachinery/codec/interface.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { cluster as rules } from '../../../../kinds/karmada/clusters/cluster-rules.js';
import type { Cluster } from '../../../../api/karmada/types.js';
import { faultsOf } from '../../../../kinds/shared/rules/field.js';
import { karmadaDefinitions } from '../../../../kinds/karmada/definitions.js';
import { describeKarmada } from '../../../../kinds/karmada/descriptions.js';

t.test('all fields have a description', async t => {
  const missing: string[] = [];
  const visit = (schema: Schema, typeName: string): void => {
    if (!describeKarmada(typeName)) missing.push(typeName);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (['kind', 'apiVersion', 'metadata'].includes(name)) continue;
      if (!describeKarmada(typeName, name)) missing.push(`${typeName} ${name}`);
      const inner = field.items ?? field;
      if (inner.typeName?.startsWith('com.github.karmada-io.')) visit(inner, inner.typeName);
    }
  };
  for (const { versions, verbs } of karmadaDefinitions())
    if (verbs.includes('list')) visit(versions[0]?.schema ?? {}, versions[0]?.schema.typeName ?? '');
  t.same(missing, []);
  t.equal(describeKarmada('io.k8s.api.core.v1.Pod', 'spec'), undefined);
});

const clusterAt = (spec: object): Cluster =>
  ({
    apiVersion: 'cluster.karmada.io/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'm' },
    spec: { syncMode: 'Push', ...spec },
  }) satisfies KubeObject as Cluster;

t.test('a grade may have several ranges of one resource, as in Karmada, and each continues the same one before', t => {
  const unbounded = '9223372036854775807';
  const ranges = (...bounds: readonly (readonly [min: string, max: string])[]) =>
    bounds.map(([min, max]) => ({ name: 'cpu', min, max }));
  const faults = (...grades: readonly ReturnType<typeof ranges>[]): string[] => {
    const resourceModels = grades.map((each, grade) => ({ grade, ranges: each }));
    return faultsOf<Cluster>(clusterAt({ resourceModels }), root => rules(root, undefined)).map(({ path }) => path);
  };
  t.same(faults(ranges(['0', '2'], ['0', '4']), ranges(['2', unbounded], ['4', unbounded])), []);
  t.same(faults(ranges(['0', '2'], ['0', '4']), ranges(['4', unbounded], ['2', unbounded])), ['spec.resourceModels']);
  t.end();
});

t.test('ports out of range are refused', t => {
  const faults = (spec: object, old?: object): string[] =>
    faultsOf<Cluster>(clusterAt(spec), root => rules(root, old && clusterAt(old))).map(({ path }) => path);
  const wrong = 'https://10.0.0.1:65536';
  const rows: readonly { name: string; given: object; old?: object; expect: readonly string[] }[] = [
    { name: 'the highest port', given: { apiEndpoint: 'https://h:65535' }, expect: [] },
    { name: 'no port', given: { apiEndpoint: 'https://h' }, expect: [] },
    { name: 'the highest port plus one', given: { apiEndpoint: wrong }, expect: ['spec.apiEndpoint'] },
    {
      name: 'a very large port',
      given: { apiEndpoint: 'https://[::1]:99999999999999999999' },
      expect: ['spec.apiEndpoint'],
    },
    { name: 'port zero', given: { apiEndpoint: 'https://h:0' }, expect: ['spec.apiEndpoint'] },
    { name: 'the port of a proxy', given: { proxyURL: 'http://h:65536' }, expect: ['spec.proxyURL'] },
    { name: 'an unchanged invalid port', given: { apiEndpoint: wrong }, old: { apiEndpoint: wrong }, expect: [] },
    {
      name: 'a change to another invalid port',
      given: { apiEndpoint: 'https://h:70000' },
      old: { apiEndpoint: wrong },
      expect: ['spec.apiEndpoint'],
    },
  ];
  for (const { name, given, old, expect } of rows) t.same(faults(given, old), expect, name);
  t.end();
});
