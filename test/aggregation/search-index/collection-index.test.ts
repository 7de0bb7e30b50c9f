import t from 'tap';
import { CollectionIndex } from '../../../aggregation/search-index/collection-index.js';
import { entryOf, termOf } from '../../../aggregation/search-index/entry.js';
import { matchingBits, selectsCollection } from '../../../aggregation/search-index/matching-bits.js';
import { bitsFor, mark, marked } from '../../../aggregation/search-index/postings.js';
import { parseSearchQuery } from '../../../aggregation/search-index/search-query.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { atOnce } from '../../../lib/time-slice.js';
import { cpuCosts } from '../../cpu-cost.js';

const deployment = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name,
    namespace: 'default',
    labels: { app: name, tier: 'Front' },
    annotations: { note: 'Ask the owner' },
  },
  spec: { template: { spec: { containers: [{ image: 'registry:5000/nginx:1.25' }] } } },
  status: { availableReplicas: 1 },
  ...more,
});

function find(index: CollectionIndex, text: string): string[] {
  const bits = atOnce(matchingBits(index, parseSearchQuery(text)));
  const keys = [];
  for (const number of marked(bits)) {
    const key = index.objects.keyOf(number);
    if (key !== undefined) keys.push(key);
  }
  return keys.sort();
}

t.test('the numbers of set bits come in their order', t => {
  const numbers = [0, 1, 30, 31, 32, 63, 95, 200];
  const bits = bitsFor(256);
  for (const number of numbers) mark(bits, number);
  t.same([...marked(bits)], numbers);
  t.same([...marked(bitsFor(100))], []);
  t.same([...marked(bitsFor(64).fill(~0))].length, 64);
  t.end();
});

t.test('objects are found by words and fields', t => {
  const index = new CollectionIndex();
  index.put('default/web-1', entryOf(deployment('web-1')));
  index.put('default/web-2', entryOf(deployment('web-2', { status: {} })));
  index.put('default/db', entryOf(deployment('db', { spec: { paused: 'Schlüssel' } })));
  const all = ['default/db', 'default/web-1', 'default/web-2'];
  const rows: [query: string, want: string[]][] = [
    ['', all],
    ['web', ['default/web-1', 'default/web-2']],
    ['Web-2', ['default/web-2']],
    ['we*', ['default/web-1', 'default/web-2']],
    ['web -name:web-1', ['default/web-2']],
    ['name:web*', ['default/web-1', 'default/web-2']],
    ['name:db,web-1', ['default/db', 'default/web-1']],
    ['name:web', []],
    ['label:app=web-1', ['default/web-1']],
    ['label:tier=front', all],
    ['label:tier', all],
    ['label:other', []],
    ['-label:app=db', ['default/web-1', 'default/web-2']],
    ['image:registry:5000/nginx', ['default/web-1', 'default/web-2']],
    ['image:registry:5000/nginx:1.25', ['default/web-1', 'default/web-2']],
    ['nginx:1.25', ['default/web-1', 'default/web-2']],
    ['health:Healthy name:web*', ['default/web-1']],
    ['health:unhealthy', ['default/web-2']],
    ['"ask owner"', all],
    ['schlüssel', ['default/db']],
    ['namespace:default db', ['default/db']],
    ['namespace:other', []],
    ['-web -db', []],
  ];
  for (const [query, want] of rows) t.same(find(index, query), want, query);
  t.end();
});

t.test('values of Secrets and copies of objects are not in the index', t => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: 'aGlkZGVu' } };
  const copy = deployment('a');
  copy.metadata.annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"spec":"copied"}' };
  t.notOk(entryOf(secret).terms.has('word:aglkzgvu'));
  t.notOk(entryOf(copy).terms.has('word:copied'));
  t.end();
});

t.test('an entry is bounded, whatever the object', t => {
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, `word${i} x${i}`]));
  let deep: object = { end: 'end' };
  for (let i = 0; i < 5000; i++) deep = { deep };
  for (const data of [many, Object.values(many), deep, 'y '.repeat(1e6)])
    t.ok(
      entryOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', labels: many }, data }).terms.size <= 202,
    );
  t.end();
});

t.test('images without their tags and digests', async t => {
  const of = (image: string): KubeObject => deployment('a', { spec: { containers: [{ image }] } });
  const rows: [image: string, want: string][] = [
    ['nginx', 'nginx'],
    ['nginx:1.25', 'nginx'],
    ['registry:5000/nginx', 'registry:5000/nginx'],
    ['registry:5000/web/nginx:1.25@sha256:0123', 'registry:5000/web/nginx'],
    ['nginx@sha256:0123', 'nginx'],
    ['nginx:1:2', 'nginx'],
  ];
  for (const [image, want] of rows) t.ok(entryOf(of(image)).terms.has(`image:${want}`), image);
  const usual = (): unknown => Array.from({ length: 1000 }, () => entryOf(of('nginx:1.25')));
  for (const part of [':', '@\n', ':\n']) {
    const long = of(`${part.repeat(200_000 / part.length)}/`);
    const [thousand, one] = await cpuCosts(
      usual,
      () => entryOf(long),
      thousand => thousand,
    );
    t.ok(one < thousand, `a long image costs no time: ${one} ms, a thousand usual ones ${thousand} ms`);
  }
});

t.test('changes and removals leave nothing behind', t => {
  const index = new CollectionIndex();
  for (let round = 0; round < 5; round++)
    for (let i = 0; i < 1000; i++)
      index.put(`default/o${i}`, entryOf(deployment(`o${i}`, { spec: { note: `r${round}` } })));
  t.ok(index.needsSweep);
  t.same(find(index, 'r3'), []);
  t.equal(find(index, 'r4').length, 1000);
  const before = index.bytes;
  atOnce(index.sweep());
  t.ok(index.bytes < before && !index.needsSweep, `${before} bytes became ${index.bytes}`);
  t.equal(find(index, 'r4').length, 1000);
  index.put('default/late', entryOf(deployment('late')));
  t.ok(index.objects.limit <= 5000, 'numbers are used again');
  t.same(find(index, 'late'), ['default/late']);
  for (let i = 0; i < 1000; i++) index.remove(`default/o${i}`);
  index.remove('default/late');
  index.remove('default/never');
  atOnce(index.sweep());
  t.equal(index.bytes, 0);
  t.equal(index.objects.size, 0);
  t.end();
});

t.test('terms with another beginning take no time of a query', t => {
  const index = new CollectionIndex();
  for (let i = 0; i < 5000; i++) index.put(`default/o${i}`, entryOf(deployment(`o${i}`, { spec: { note: `n${i}` } })));
  index.put('default/web', entryOf(deployment('web')));
  const stepsOf = (beginning: string): number =>
    [...index.markPrefix(termOf('name', beginning), bitsFor(index.objects.limit))].length;
  t.equal(stepsOf('w'), 0, 'one term');
  t.equal(stepsOf('o'), Math.floor(5000 / 512), 'all of a field, in steps');
  t.same(find(index, 'name:w*'), ['default/web']);
  for (let i = 0; i < 5000; i++) index.remove(`default/o${i}`);
  atOnce(index.sweep());
  t.equal(stepsOf('o'), 0, 'terms that are gone');
  t.end();
});

t.test('an object that changes during a sweep is found', t => {
  const index = new CollectionIndex();
  for (let round = 0; round < 3; round++)
    for (let i = 0; i < 2000; i++) index.put(`default/o${i}`, entryOf(deployment(`o${i}`)));
  const sweep = index.sweep();
  for (let i = 0; !sweep.next().done; i++)
    index.put(`default/o${i % 2000}`, entryOf(deployment(`o${i % 2000}`, { spec: { during: 'yes' } })));
  t.equal(find(index, 'front').length, 2000);
  t.same(find(index, 'yes name:o0'), ['default/o0']);
  atOnce(index.sweep());
  t.equal(find(index, 'front').length, 2000);
  t.end();
});

t.test('kinds and clusters select collections', t => {
  const names = { cluster: 'member1', kinds: ['Deployment', 'deployments'] };
  const rows: [query: string, want: boolean][] = [
    ['kind:deployment', true],
    ['kind:Deployments,Pod', true],
    ['kind:Pod', false],
    ['-kind:Pod', true],
    ['cluster:member*', true],
    ['-cluster:member1', false],
    ['cluster:member', false],
  ];
  for (const [query, want] of rows) t.equal(selectsCollection(parseSearchQuery(query), names), want, query);
  t.end();
});

t.test('invalid queries', t => {
  const rows: [query: string, message: string][] = [
    ['name:a*b', 'invalid query: "*" is only allowed at the end of a value: a*b'],
    ['name:', 'invalid query: name has no value'],
    ['a "open', 'invalid query: unexpected text at character 2'],
    ['x'.repeat(1025), 'invalid query: it is longer than 1024 characters'],
    ['a '.repeat(33), 'invalid query: it has more than 32 terms or 64 values'],
    [`name:${'a,'.repeat(64)}a`, 'invalid query: it has more than 32 terms or 64 values'],
  ];
  for (const [query, message] of rows) t.throws(() => parseSearchQuery(query), { code: 400, message });
  t.end();
});
