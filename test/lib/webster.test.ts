import t from 'tap';
import { fnv32a } from '../../lib/hash.js';
import { divideByWeight, type Weighted } from '../../lib/webster.js';
import { cpuCost } from '../cpu-cost.js';
import { random } from '../random.js';

/** The method seat by seat. as karmada/pkg/util/helper AllocateWebsterSeats */
function seatBySeat(seats: number, parties: readonly Weighted[], uid: string): Record<string, number> {
  const direction = fnv32a(uid) % 2 === 1 ? -1 : 1;
  const held = new Map(parties.map(({ name }) => [name, 0]));
  const quotient = ({ name, weight }: Weighted): number => weight / (2 * (held.get(name) ?? 0) + 1);
  const compare = (a: Weighted, b: Weighted): number =>
    quotient(b) - quotient(a) ||
    (held.get(a.name) ?? 0) - (held.get(b.name) ?? 0) ||
    (a.name < b.name ? -1 : 1) * direction;
  for (let given = 0; given < seats; given++) {
    const [next] = [...parties].sort(compare);
    if (next) held.set(next.name, (held.get(next.name) ?? 0) + 1);
  }
  return Object.fromEntries(held);
}

const divided = (seats: number, parties: readonly Weighted[], uid = 'uid'): Record<string, number> =>
  Object.fromEntries(divideByWeight(seats, parties, uid).map(({ name, replicas }) => [name, replicas]));

t.test('seats equal those of an allocation one by one', async t => {
  const chance = random(17);
  const weights: readonly (() => number)[] = [
    () => chance.below(6),
    () => 1 + chance.below(1000),
    () => 1,
    () => 0,
    () => chance.below(2) * 1e15,
  ];
  let differing = 0;
  for (let round = 0; round < 1500; round++) {
    const weight = chance.pick(weights);
    const parties = Array.from({ length: 1 + chance.below(8) }, (_, i) => ({ name: `m${i}`, weight: weight() }));
    const seats = chance.below(61);
    const uid = `uid-${round}`;
    const [got, want] = [divided(seats, parties, uid), seatBySeat(seats, parties, uid)];
    if (JSON.stringify(got) === JSON.stringify(want)) continue;
    differing++;
    t.strictSame(got, want, JSON.stringify({ seats, parties, uid }));
  }
  t.equal(differing, 0);
});

t.test('two billion seats take no longer than a few', async t => {
  const most = 2_147_483_647;
  const ms = await cpuCost(100, () => {
    t.strictSame(
      divided(
        most,
        [1, 2, 3].map(weight => ({ name: `m${weight}`, weight })),
      ),
      {
        m1: 357_913_941,
        m2: 715_827_882,
        m3: 1_073_741_824,
      },
    );
    t.strictSame(divided(most, [{ name: 'only', weight: 7 }]), { only: most });
    t.strictSame(
      divided(4, [
        { name: 'a', weight: 0 },
        { name: 'b', weight: 0 },
      ]),
      { a: 2, b: 2 },
    );
    const many = Array.from({ length: 1000 }, (_, i) => ({ name: `m${i}`, weight: i }));
    t.equal(
      Object.values(divided(most, many)).reduce((sum, seats) => sum + seats, 0),
      most,
    );
    t.strictSame(divided(most, []), {});
  });
  t.ok(ms < 100, `${ms} ms of CPU`);
});
