import t from 'tap';
import { cache, withVersion } from '../../../aggregation/search/cached.js';
import { type FeedChange, createFeed, type Cursor, isOlder } from '../../../aggregation/search/feed.js';

const object = (version: number, padding = '') =>
  cache(
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', resourceVersion: `${version}` }, data: { padding } },
    'member1',
  );

const change = (version: number, padding?: string): FeedChange => ({
  type: 'MODIFIED',
  version: `${version}`,
  object: object(version, padding),
  old: undefined,
});

function remaining(cursor: Cursor): string[] {
  const versions: string[] = [];
  for (let next = cursor.next(); next; next = cursor.next()) versions.push(next.version);
  return versions;
}

t.test('versions are compared as numbers', t => {
  for (const [a, b, want] of [
    ['1', '2', true],
    ['2', '1', false],
    ['9', '10', true],
    ['10', '9', false],
    ['5', '5', false],
  ] as const)
    t.equal(isOlder(a, b), want, `${a} before ${b}`);
  t.end();
});

t.test('a cursor reads the changes after its version, then new ones', t => {
  const feed = createFeed();
  feed.restart('10');
  for (const version of [11, 13, 17]) feed.push(change(version));
  const cursor = feed.cursor('12');
  t.same(remaining(cursor), ['13', '17']);
  feed.push(change(20));
  t.same(remaining(cursor), ['20']);
  t.same(remaining(feed.cursor('10')), ['11', '13', '17', '20']);
  t.same(remaining(feed.cursor('20')), []);
  t.equal(feed.position, '20');
  t.end();
});

t.test('a reader that is ahead of the mirror gets no change again', t => {
  const feed = createFeed();
  feed.restart('10');
  t.notOk(feed.has('12'));
  const cursor = feed.cursor('12');
  for (const version of [11, 12, 13]) feed.push(change(version));
  t.same(remaining(cursor), ['13']);
  t.ok(feed.has('10') && feed.has('13'));
  t.notOk(feed.has('9') || feed.has('14'));
  t.end();
});

t.test('versions that are not kept are refused', t => {
  const feed = createFeed();
  t.throws(() => feed.cursor('1'), { code: 410 }, 'nothing is listed yet');
  feed.restart('10');
  t.throws(() => feed.cursor('9'), { code: 410, message: 'too old resource version: 9 (10)' });
  t.end();
});

t.test('a restart of the feed ends its cursors', t => {
  const feed = createFeed();
  feed.restart('10');
  const cursor = feed.cursor('10');
  feed.push(change(11));
  feed.restart('20');
  t.ok(cursor.ended);
  t.equal(cursor.next(), undefined);
  t.throws(() => feed.cursor('11'), { code: 410 });
  const next = feed.cursor('20');
  feed.end();
  t.ok(next.ended);
  t.equal(feed.position, undefined);
  t.end();
});

t.test('the oldest changes are dropped, by number and by size', t => {
  for (const padding of ['', 'x'.repeat(20_000)]) {
    const feed = createFeed();
    feed.restart('0');
    const slow = feed.cursor('0');
    const fast = feed.cursor('0');
    let read = 0;
    for (let version = 1; version <= 5000; version++) {
      feed.push(change(version, padding));
      if (fast.next()) read++;
    }
    t.equal(read, 5000, 'a reader that keeps up misses nothing');
    t.throws(() => slow.next(), { code: 410 });
    t.ok(remaining(feed.cursor('4990')).length === 10);
    t.throws(() => feed.cursor('1'), { code: 410 });
  }
  t.end();
});

t.test('listeners are notified of every change until they unsubscribe', t => {
  const feed = createFeed();
  let notified = 0;
  const stop = feed.onChange(() => notified++);
  feed.restart('1');
  feed.push(change(2));
  feed.end();
  stop();
  feed.restart('3');
  t.equal(notified, 3);
  t.end();
});

t.test('an object is kept as text, annotated with its cluster', t => {
  const given = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'ä', namespace: 'x', resourceVersion: '7', labels: { a: 'b' }, annotations: { c: 'd' } },
    data: { e: 'f' },
  };
  const kept = cache(given, 'member1');
  const annotations = { c: 'd', 'resource.karmada.io/cached-from-cluster': 'member1' };
  const marked = { ...given, metadata: { ...given.metadata, annotations } };
  t.same(JSON.parse(kept.json.toString()), marked);
  t.same(kept.object, marked);
  t.same(JSON.parse(withVersion(kept, 'other').json.toString()), {
    ...marked,
    metadata: { ...marked.metadata, resourceVersion: 'other' },
  });
  t.same(given.metadata.annotations, { c: 'd' }, 'the object passed in is unchanged');
  t.same(JSON.parse(cache({ apiVersion: 'v1', kind: 'X', metadata: {} }, 'm').json.toString()), {
    apiVersion: 'v1',
    kind: 'X',
    metadata: { resourceVersion: '', annotations: { 'resource.karmada.io/cached-from-cluster': 'm' } },
  });
  t.end();
});
