import t from 'tap';
import { commonAudiences } from '../../../authn/identity/audiences.js';
import { turnsDuring } from '../../turns.js';

const names = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, i) => prefix + i);

t.test('common audiences are in the order of the token', async t => {
  t.same(commonAudiences(['b', 'a', 'c'], ['a', 'b']), ['b', 'a']);
  t.same(commonAudiences([...names(20, 'x'), 'a', 'b'], [...names(20, 'y'), 'b', 'a', 'x3']), ['x3', 'a', 'b']);
  t.same(commonAudiences([], ['a']), []);
});

t.test('the audiences of the longest token are compared with those of the largest review', async t => {
  const [given, wanted] = [names(11_000, 'a'), names(45_000, 'b')];
  const { longest } = await turnsDuring(50, () => commonAudiences(given, wanted));
  t.ok(longest < 50, `${longest} ms`);
});
