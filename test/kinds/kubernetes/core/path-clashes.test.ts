import t from 'tap';
import { type Place, pathClashes } from '../../../../kinds/kubernetes/core/volumes/path-clashes.js';
import { cpuCost } from '../../../cpu-cost.js';

const text = (place: Place, other: Place): string => `${place.path} ${place.source}-${other.path} ${other.source}`;
const places = (all: string): Place[] =>
  all.split(' ').map(each => {
    const [path = '', source = ''] = each.split('=');
    return { path, source };
  });

t.test('equal paths and paths inside another one clash', async t => {
  const rows: readonly { readonly given: string; readonly expect: readonly string[] }[] = [
    { given: 'a b ab a-b', expect: [] },
    { given: 'a=1 a=2', expect: ['a 2-a 1'] },
    { given: 'a a a', expect: ['a -a '] },
    { given: 'a/b c a', expect: ['a -a/b '] },
    { given: 'a c a/b/c', expect: ['a/b/c -a '] },
    { given: 'a/ a//b /a', expect: ['a//b -a '] },
    { given: 'a/c a/b a a/b/d', expect: ['a -a/c ', 'a -a/b ', 'a/b/d -a/b ', 'a/b/d -a '] },
    { given: 'a a/b a', expect: ['a/b -a ', 'a -a ', 'a -a/b '] },
    { given: '= /= a', expect: [] },
  ];
  for (const { given, expect } of rows) t.same(pathClashes(places(given), text), expect, given);
});

t.test('many paths are checked in bounded time', async t => {
  let asked = 0;
  const counted = (place: Place, other: Place): string => {
    asked++;
    return text(place, other);
  };
  const many = Array.from({ length: 9000 }, (_, i) => ({ path: `d/${i}`, source: '' }));
  t.same(pathClashes(many, counted), [], 'no clashes');
  t.equal(asked, 0);
  t.equal(
    pathClashes([...many, { path: 'd', source: '' }], counted).length,
    300,
    'the number of reported clashes is limited',
  );
  t.same(pathClashes(Array<Place>(9000).fill({ path: 'd', source: '' }), counted), ['d -d ']);
  t.ok(asked < 10_000, `${asked}`);
  t.same(pathClashes([{ path: 'a/'.repeat(100_000), source: '' }], counted), [], 'a deep path');
  const deep = { path: 'b/'.repeat(20_000), source: '' };
  t.same(pathClashes([deep, ...places('a a')], counted), [], 'places after very many names are not compared');
  const milliseconds = await cpuCost(2000, () => {
    t.same(pathClashes([{ path: `a${'/'.repeat(50_000)}b`, source: '' }], counted), [], 'very many slashes');
  });
  t.ok(milliseconds < 2000, `${milliseconds} ms`);
});
