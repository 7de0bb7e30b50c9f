import t from 'tap';
import { NumberedObjects } from '../../../aggregation/search-index/numbered-objects.js';
import { bitsFor, mark } from '../../../aggregation/search-index/postings.js';
import { atOnce } from '../../../lib/time-slice.js';
import { random } from '../../random.js';

const all = { limit: Infinity, after: '' };

t.test('counts and pages of matches are those of a model, whatever has changed', t => {
  const { below, chance, pick } = random(5);
  const objects = new NumberedObjects();
  const model = new Map<string, number>();
  const namespaceOf = (key: string): string => key.split('/')[0] ?? '';
  for (let i = 0; i < 4000; i++) {
    const key = `n${pick(['', '-a', '0', '1', '10'])}/o${below(500)}`;
    const number = objects.remove(key);
    if (number !== undefined) objects.reuse(number);
    model.delete(key);
    if (chance(0.7)) model.set(key, objects.add(key, namespaceOf(key), pick(['Healthy', 'Unknown'])));
    if (i % 100 > 0) continue;
    const share = pick([0.01, 0.3, 1]);
    const matches = [...model.keys()].filter(() => chance(share)).sort();
    const bits = bitsFor(objects.limit);
    for (const each of matches) mark(bits, model.get(each) as number);
    const found = atOnce(objects.count(bits));
    for (const { namespace, size, matches: count, healths } of found) {
      const within = (keys: Iterable<string>): number =>
        [...keys].filter(each => namespaceOf(each) === namespace).length;
      t.same([size, count], [within(model.keys()), within(matches)], namespace);
      t.equal(
        [...healths.values()].reduce((sum, each) => sum + each, 0),
        count,
      );
    }
    t.same(found.map(({ namespace }) => namespace).sort(), [...new Set(matches.map(namespaceOf))].sort());
    const shown = found.filter(({ namespace }) => namespace !== 'n1');
    const seen = matches.filter(each => namespaceOf(each) !== 'n1');
    const after = pick(['', pick([...model.keys()])]);
    for (const limit of [1, 7, 200, Infinity]) {
      const want = seen.filter(each => each > after).slice(0, limit);
      t.same(atOnce(objects.lowestKeys(bits, shown, { limit, after })), want, `${limit} after ${after}`);
    }
    t.equal(atOnce(objects.countUpTo(bits, after, shown)), seen.filter(each => each <= after).length);
  }
  t.end();
});

t.test('many namespaces are counted and sorted in steps', t => {
  const objects = new NumberedObjects();
  const bits = bitsFor(20_000);
  for (let i = 0; i < 20_000; i++) mark(bits, objects.add(`n${i}/o`, `n${i}`, 'Healthy'));
  const stepsOf = <T>(work: Iterator<undefined, T>): { readonly value: T; readonly steps: number } => {
    for (let steps = 0; ; steps++) {
      const { done, value } = work.next();
      if (done) return { value, steps };
    }
  };
  const { value: found, steps } = stepsOf(objects.count(bits));
  t.equal(found.length, 20_000);
  t.ok(steps > 50, `${steps} steps to count`);
  const page = stepsOf(objects.lowestKeys(bits, found, { limit: 2, after: '' }));
  t.same(page.value, ['n0/o', 'n1/o']);
  t.ok(page.steps > 50, `${page.steps} steps to sort`);
  t.end();
});

t.test('a page visits about as many objects as it has, not all matches', t => {
  const objects = new NumberedObjects();
  for (let i = 0; i < 20_000; i++) objects.add(`n${i % 10}/o${i}`, `n${i % 10}`, 'Healthy');
  /** Steps have 256 objects each. */
  const stepsFor = (matches: (number: number) => boolean, limit: number): number => {
    const bits = bitsFor(objects.limit);
    for (let i = 0; i < objects.limit; i++) if (matches(i)) mark(bits, i);
    return [...objects.lowestKeys(bits, atOnce(objects.count(bits)), { limit, after: '' })].length;
  };
  t.equal(
    stepsFor(() => true, 100),
    0,
    'all match',
  );
  t.ok(stepsFor(i => i % 3 === 0, 50) <= 1, 'a third matches');
  t.ok(stepsFor(i => i % 10 === 9, 100) <= 1, 'all of the last namespace match');
  t.equal(
    stepsFor(i => i < 200, 100),
    0,
    'few match',
  );
  t.end();
});

t.test(
  'a number that another object has got between two steps is not shown in a namespace that the user does not see',
  t => {
    const objects = new NumberedObjects();
    const seen = objects.add('a/o', 'a', 'Healthy');
    const bits = bitsFor(objects.limit);
    mark(bits, seen);
    const shown = atOnce(objects.count(bits));
    objects.remove('a/o');
    objects.reuse(seen);
    t.equal(objects.add('b/o', 'b', 'Healthy'), seen);
    t.same(atOnce(objects.lowestKeys(bits, shown, all)), []);
    t.same(atOnce(objects.lowestKeys(bits, shown, { limit: 0, after: '' })), []);
    t.equal(atOnce(objects.countUpTo(bits, 'z', shown)), 0);
    t.equal(atOnce(objects.count(bits))[0]?.namespace, 'b');
    t.end();
  },
);
