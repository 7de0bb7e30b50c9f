import t from 'tap';
import { sliceValue } from '../../../apiserver/negotiate/json-slice.js';

t.test('the value of a top-level key is found, whatever surrounds it', async t => {
  const objects: readonly Record<string, unknown>[] = [
    { kind: 'K', metadata: { name: 'n', labels: { a: 'b' } }, spec: [1, { metadata: 2 }] },
    { data: { metadata: 'no', 'x"}': '\\"{[' }, n: 1, t: true, z: null, metadata: {} },
    { l: [[], [{}], ['}', ']']], metadata: 'text with \\ and " and ,', after: 1.5 },
    { metadata: [1, 2], x: 'ä€😀' },
    { a: -1, metadata: 7 },
    { 'metadata ': 1, metadat: 2, metadata: null },
  ];
  for (const object of objects) {
    const json = Buffer.from(JSON.stringify(object));
    for (const key of Object.keys(object).filter(key => /^[a-z]+$/.test(key)))
      t.equal(sliceValue(json, key)?.toString(), JSON.stringify(object[key]), `${key} of ${json.toString()}`);
    t.equal(sliceValue(json, 'absent'), undefined);
  }
  t.equal(sliceValue(Buffer.from('{}'), 'metadata'), undefined);
});
