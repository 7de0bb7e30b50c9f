import t from 'tap';
import { SortedTexts } from '../../../lib/collections/sorted-texts.js';
import { random } from '../../random.js';

t.test('SortedTexts has the texts of a Set in their order, by their beginning', t => {
  const { below, chance } = random(11);
  const sorted = new SortedTexts();
  const model = new Set<string>();
  const text = (): string => `${'abc'[below(3)] ?? ''}${below(9) === 0 ? 'ü' : ''}${below(2500)}`;
  const among = (beginning: string): string[] => [...model].filter(each => each.startsWith(beginning)).sort();
  t.same([...sorted.startingWith('')], []);
  for (let i = 0; i < 20_000; i++) {
    const each = text();
    if (chance(i < 12_000 ? 0.7 : 0.2)) {
      sorted.add(each);
      model.add(each);
    } else {
      sorted.delete(each);
      model.delete(each);
    }
    if (i % 1000 > 0) continue;
    for (const beginning of ['', 'a', 'b1', 'cü', 'c24', 'd', text()]) {
      t.equal([...sorted.startingWith(beginning)].join(), among(beginning).join(), `after ${i} changes`);
      const after = text();
      const later = among(beginning).filter(each => each > after);
      t.equal([...sorted.startingWith(beginning, after)].join(), later.join(), `${beginning} after ${after}`);
    }
  }
  for (const each of model) sorted.delete(each);
  t.same([...sorted.startingWith('')], []);
  t.end();
});

t.test('a walk goes on where it was when the set has changed', t => {
  const sorted = new SortedTexts();
  for (let i = 1000; i < 3000; i++) sorted.add(`t${i}`);
  const seen: string[] = [];
  for (const text of sorted.startingWith('t')) {
    seen.push(text);
    if (text === 't1500') {
      for (let i = 1000; i < 1600; i++) sorted.delete(`t${i}`);
      for (const added of ['t1400', 't1700x', 'u']) sorted.add(added);
    }
    if (text === 't2999') sorted.delete(text);
  }
  const range = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `t${from + i}`);
  const want = [...range(1000, 1501), ...range(1600, 1701), 't1700x', ...range(1701, 3000)];
  t.equal(seen.join(), want.join());
  t.end();
});
