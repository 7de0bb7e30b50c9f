import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { atOnce } from '../../../lib/time-slice.js';
import { applyOver } from '../../../apimachinery/patch/apply-over.js';

const schema = nativeSchemaFor({ group: 'apps', version: 'v1', kind: 'Deployment' }) ?? {};
const live: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'x', labels: { a: '1' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'a' } },
    template: { spec: { containers: [{ name: 'c', image: 'i:1', args: ['a'] }] } },
  },
};

const template = (container: object): object => ({ spec: { template: { spec: { containers: [container] } } } });

const cases: { name: string; given: object; expect: object | string }[] = [
  {
    name: 'fields that are left out stay',
    given: { metadata: { labels: { b: '2' } } },
    expect: { metadata: { name: 'x', labels: { a: '1', b: '2' } }, spec: { replicas: 1 } },
  },
  {
    name: 'items are merged by their keys',
    given: template({ name: 'c', image: 'i:2' }),
    expect: { spec: { template: { spec: { containers: [{ name: 'c', image: 'i:2', args: ['a'] }] } } } },
  },
  {
    name: 'new items are added',
    given: template({ name: 'd' }),
    expect: { spec: { template: { spec: { containers: [{ name: 'c' }, { name: 'd' }] } } } },
  },
  {
    name: 'undeclared fields are refused',
    given: { nope: 1 },
    expect: 'failed to convert patch object to typed object: .nope: field not declared in schema',
  },
  {
    name: 'atomic lists are refused',
    given: template({ name: 'c', args: ['b'] }),
    expect:
      'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.template.spec.containers[0].args',
  },
  {
    name: 'atomic maps are refused',
    given: { spec: { selector: { matchLabels: { app: 'b' } } } },
    expect: 'invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector',
  },
];

for (const { name, given, expect } of cases) {
  const applied = { apiVersion: 'apps/v1', kind: 'Deployment', ...given } as unknown as KubeObject;
  if (typeof expect === 'string') t.throws(() => atOnce(applyOver(live, applied, schema)), { message: expect }, name);
  else t.match(atOnce(applyOver(live, applied, schema)), expect, name);
}
