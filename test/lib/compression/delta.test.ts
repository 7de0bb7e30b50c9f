import t from 'tap';
import { DeltaBases, DeltaCoder } from '../../../lib/compression/delta.js';
import { random } from '../../random.js';

const event = (index: number, component: string, message: string): string => {
  const uid = random(index).bytes(16).toString('hex');
  const time = new Date(Date.UTC(2026, 0, 1) + index * 1731).toISOString();
  return JSON.stringify({
    kind: 'Event',
    apiVersion: 'v1',
    metadata: {
      ...{ name: `d-${index}.${uid.slice(16)}`, namespace: 'default', uid, creationTimestamp: time },
      managedFields: [
        { manager: 'controller', operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1: {} },
      ],
    },
    involvedObject: {
      kind: 'Deployment',
      namespace: 'default',
      name: `d-${index}`,
      uid: uid.split('').reverse().join(''),
    },
    ...{ reason: 'Done', message, source: { component }, firstTimestamp: time, lastTimestamp: time, count: 1 },
    ...{ type: 'Normal', eventTime: null, reportingComponent: component, reportingInstance: '' },
  });
};

/** All bases share it, as the resources of a server do. */
const coder = new DeltaCoder();

t.test('similar texts are stored as deltas', t => {
  const bases = new DeltaBases(coder);
  let [packed, whole] = [0, 0];
  for (let i = 0; i < 500; i++) {
    const component = ['scheduler', 'binding-controller', 'detector'][i % 3] ?? '';
    const text = event(i, component, i % 2 === 0 ? `d-${i} was made` : 'nothing to do: \u00ff\u0001"');
    const latin = Buffer.from(text).toString('latin1');
    const delta = bases.pack(latin);
    whole += latin.length;
    packed += delta?.size ?? latin.length;
    if (delta && delta.text !== latin) t.fail(`text ${i}`);
  }
  t.ok(packed < whole / 2.5, `${packed} of ${whole} characters`);
  t.end();
});

t.test('texts unlike all others are not compressed', t => {
  const { bytes } = random(7);
  const bases = new DeltaBases(coder);
  for (let i = 0; i < 100; i++) t.equal(bases.pack(bytes(1000 + i).toString('latin1')), undefined);
  t.equal(bases.pack('short'), undefined, 'nor short texts');
  const long = 'a'.repeat(60_000);
  t.equal(bases.pack(long), undefined);
  t.equal(bases.pack(long), undefined, 'nor long texts');
  t.end();
});

t.test('a text is read after its base was dropped, and in any order', t => {
  const { bytes } = random(8);
  const bases = new DeltaBases(coder);
  const kept = Array.from({ length: 60 }, (_, family) => {
    const common = bytes(900).toString('latin1');
    const texts = Array.from({ length: 4 }, (_, i) => `${bytes(20).toString('latin1')}${common}${family}-${i}`);
    return texts.map(text => ({ text, delta: bases.pack(text) }));
  }).flat();
  const packed = kept.flatMap(({ text, delta }) => (delta ? [{ text, delta }] : []));
  t.ok(packed.length >= 120, `${packed.length} of ${kept.length}`);
  t.ok(packed.every(({ text, delta }) => delta.text === text));
  t.ok([...packed].reverse().every(({ text, delta }) => delta.text === text));
  t.end();
});

t.test('texts of one name are compared with each other', t => {
  const { bytes } = random(9);
  const bases = new DeltaBases(coder);
  const common = bytes(1500).toString('latin1');
  const templates = Array.from({ length: 40 }, () => bytes(1200).toString('latin1'));
  const kept = Array.from({ length: 10 }, (_, cluster) =>
    templates.map((template, i) => {
      const text = `${common}${cluster}${template}`;
      return { text, packed: bases.pack(text, `t-${i}`) };
    }),
  ).flat();
  t.ok(kept.every(({ text, packed }) => packed?.text === text));
  const sizes = kept.map(({ packed }) => packed?.size ?? Infinity);
  t.ok(
    sizes.slice(1, 40).every(size => size > 1200 && size < 1300),
    'the first of a name',
  );
  t.ok(
    sizes.slice(40).every(size => size < 50),
    'the others',
  );
  t.ok([...kept].reverse().every(({ text, packed }) => packed?.text === text));
  t.end();
});

t.test('many names', t => {
  const bases = new DeltaBases(coder);
  const { bytes } = random(10);
  const common = bytes(1000).toString('latin1');
  const of = (i: number): string => `${i}${common}${bytes(800).toString('latin1')}`;
  const kept = Array.from({ length: 1500 }, (_, i) => {
    const text = of(i);
    return { text, packed: bases.pack(text, `n-${i}`) };
  });
  t.ok(kept.every(({ text, packed }) => packed?.text === text));
  t.equal(kept.filter(({ text }, i) => (bases.pack(`${text}.`, `n-${i}`)?.size ?? Infinity) < 20).length, 1500);
  t.end();
});

t.test('random changes of random texts are restored', t => {
  const { below } = random(2026);
  let packed = 0;
  for (let round = 0; round < 3000; round++) {
    const bases = new DeltaBases(coder);
    const alphabet = [2, 30, 256][below(3)] ?? 2;
    const some = (length: number): string =>
      Buffer.from(Array.from({ length }, () => below(alphabet))).toString('latin1');
    const base = some(256 + below(round % 50 === 0 ? 16_000 : 1200));
    bases.pack(base);
    let text = base;
    for (let edits = below(15); edits > 0; edits--) {
      const at = below(text.length + 1);
      text = text.slice(0, at) + some(below(30)) + text.slice(at + below(below(4) === 0 ? 300 : 20));
    }
    const delta = bases.pack(text);
    if (delta === undefined) continue;
    packed++;
    if (delta.size > text.length / 2) t.fail('longer than half');
    if (delta.text !== text) t.fail(`round ${round}`);
  }
  t.ok(packed > 1000, `${packed} of 3000 were packed`);
  t.end();
});
