import t from 'tap';
import { generationChanged } from '../../../client/runtime/generation.js';
import type { KubeObject } from '../../../apimachinery/interface.js';

const of = (generation: number | undefined, label = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', labels: { label }, ...(generation !== undefined && { generation }) },
});

t.test('whose generation is another', async t => {
  const cases: { name: string; given: [old: KubeObject | undefined, now: KubeObject | undefined]; expect: boolean }[] =
    [
      { name: 'of what has come', given: [undefined, of(1)], expect: true },
      { name: 'of what has gone', given: [of(1), undefined], expect: true },
      { name: 'of another specification', given: [of(1), of(2)], expect: true },
      { name: 'not of another label or status', given: [of(2, 'x'), of(2, 'y')], expect: false },
      { name: 'not of kinds that count none', given: [of(undefined, 'x'), of(undefined, 'y')], expect: false },
    ];
  for (const {
    name,
    given: [old, now],
    expect,
  } of cases)
    t.equal(generationChanged({ key: 'a', old, new: now, was: undefined, is: undefined }), expect, name);
});
