import t from 'tap';
import { applyDifference, differenceOf } from '../../../lib/compression/difference.js';
import { random } from '../../random.js';

const restored = (bytes: Buffer, base: Buffer): Buffer | undefined => {
  const difference = differenceOf(bytes, base);
  return difference === undefined ? undefined : applyDifference(difference, base, bytes.length);
};

const deployment = (generation: number, time: string, image: string, conditions: readonly string[]): Buffer =>
  Buffer.from(
    JSON.stringify({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: {
        ...{ name: 'größe', namespace: 'default', uid: '1f0e', generation },
        managedFields: [{ manager: 'kubectl', time, fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:template': {} } } }],
      },
      spec: { template: { spec: { containers: [{ name: 'a', image, args: Array.from({ length: 80 }, String) }] } } },
      status: { observedGeneration: generation, conditions: conditions.map(type => ({ type, status: 'True' })) },
    }),
  );

t.test('a version is restored from the next one and a small difference', t => {
  const one = deployment(9, '2026-01-01T00:00:09Z', 'nginx:1.27', ['Available']);
  const cases = {
    nothing: one,
    'numbers and times': deployment(10, '2026-01-01T00:01:10Z', 'nginx:1.27', ['Available']),
    'a longer field in the middle': deployment(9, '2026-01-01T00:00:09Z', 'registry.example.com/nginx:2', [
      'Available',
    ]),
    'much more at the end': deployment(9, '2026-01-01T00:00:09Z', 'nginx:1.27', Array.from({ length: 20 }, String)),
    'all of that': deployment(123, '2027-12-31T23:59:59Z', 'ü', ['Progressing', 'Available']),
  };
  for (const [name, other] of Object.entries(cases)) {
    for (const [bytes, base] of [
      [one, other],
      [other, one],
    ] as const) {
      const difference = differenceOf(bytes, base);
      if (name === 'much more at the end' && bytes === other) continue;
      t.ok(difference !== undefined && difference.length < 120, `${name}: ${difference?.length} of ${bytes.length}`);
      t.ok(restored(bytes, base)?.equals(bytes), name);
    }
  }
  t.end();
});

t.test('versions with large differences are kept whole', t => {
  const { bytes } = random(1);
  const noise = (): Buffer => bytes(3000);
  t.equal(differenceOf(noise(), noise()), undefined);
  t.equal(differenceOf(Buffer.from('short'), Buffer.from('short')), undefined, 'so are short ones');
  const half = noise();
  t.equal(differenceOf(Buffer.concat([half, noise()]), half), undefined, 'and those of which half is new');
  const large = Buffer.alloc(300_000, 'a');
  t.equal(
    differenceOf(Buffer.concat([large, Buffer.alloc(90_000, 'b')]), large),
    undefined,
    'and those with a large difference',
  );
  t.end();
});

t.test('random changes of random bytes are restored', t => {
  const { below } = random(2026);
  let encoded = 0;
  for (let round = 0; round < 3000; round++) {
    const alphabet = [2, 30, 256][below(3)] ?? 2;
    const some = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(alphabet)));
    const base = some(below(round % 10 === 0 ? 20_000 : 1500));
    let bytes = base;
    for (let edits = below(15); edits > 0; edits--) {
      const at = below(bytes.length + 1);
      const removed = below(below(4) === 0 ? 300 : 20);
      bytes = Buffer.concat([bytes.subarray(0, at), some(below(30)), bytes.subarray(at + removed)]);
    }
    const difference = differenceOf(bytes, base);
    if (difference === undefined) continue;
    encoded++;
    if (difference.length > bytes.length / 2) t.fail('longer than half');
    if (!applyDifference(difference, base, bytes.length).equals(bytes)) t.fail(`round ${round}`);
  }
  t.ok(encoded > 1000, `${encoded} of 3000 had a difference`);
  t.end();
});
