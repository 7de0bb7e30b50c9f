import t from 'tap';
import { KeyMap } from '../../../storage/event-log/key-map.js';

const alphabet = ['a', 'b', '/', '-', '0', 'é', '\u{ffff}', '\u{1f6a2}'];
let state = 3;
const draw = (below: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
const key = (): string => Array.from({ length: draw(5) }, () => alphabet[draw(alphabet.length)]).join('');

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function scanned(map: KeyMap<string>, prefix: string, start?: string): string[] {
  const found: string[] = [];
  map.scan(prefix, start, value => {
    found.push(value);
    return true;
  });
  return found;
}

t.test('the key map agrees with a sorted array, and clones do not change', async t => {
  const map = new KeyMap<string>();
  const model = new Set<string>();
  const clones: { map: KeyMap<string>; keys: string[] }[] = [];
  for (let i = 0; i < 6000; i++) {
    const one = key();
    if (draw(3) === 0) {
      map.delete(one);
      model.delete(one);
    } else {
      map.set(one, one);
      model.add(one);
    }
    if (i % 200 === 0) clones.push({ map: map.clone(), keys: [...model].sort(byBytes) });
    if (i % 50 !== 0) continue;
    const sorted = [...model].sort(byBytes);
    const prefix = Array.from(key()).slice(0, 1).join('');
    const start = draw(2) === 0 ? undefined : key();
    const expected = sorted.filter(k => k.startsWith(prefix) && (start === undefined || byBytes(k, start) >= 0));
    t.same(scanned(map, prefix, start), expected);
    t.equal(map.size, sorted.length);
    t.equal(map.get(one), model.has(one) ? one : undefined);
  }
  for (const clone of clones) {
    t.same(scanned(clone.map, ''), clone.keys);
    t.same([...clone.map.values()], clone.keys);
  }
});

t.test('a scan can be stopped', async t => {
  const map = new KeyMap<number>();
  for (let i = 0; i < 1000; i++) map.set(String(i).padStart(4, '0'), i);
  let seen = 0;
  map.scan('', undefined, () => ++seen < 10);
  t.equal(seen, 10);
});
