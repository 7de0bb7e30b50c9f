/** The text of a draft, and the gap in it for resourceVersion. */
import t from 'tap';
import { atOnce } from '../../../../lib/time-slice.js';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import {
  beyondOf,
  declaredText,
  findGap,
  sortedText,
  withSlot,
} from '../../../../registry/pipeline/stored/draft-text.js';

const uid = '00000000-0000-0000-0000-000000000001';
const declared = (data: object): KubeObject => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'uid', namespace: 'default', uid, labels: { uid: 'x' } },
  data,
});
const sorted = (spec: unknown): KubeObject => ({
  apiVersion: 'a.io/v1',
  kind: 'A',
  metadata: { generation: 1, name: 'a', uid },
  spec,
});
/** Returns the text before and behind the gap. */
const halves = ({ bytes, gap }: { readonly bytes: Buffer; readonly gap: number }): [string, string] => [
  bytes.subarray(0, gap).toString(),
  bytes.subarray(gap).toString(),
];

t.test('in declared order, the gap is behind the uid', async t => {
  for (const value of ['v', 'über €']) {
    const object = declared({ uid: `"uid":"${uid}"`, k: value });
    const [before, behind] = halves(atOnce(declaredText(object)));
    t.ok(before.endsWith(`"namespace":"default","uid":"${uid}"`), before);
    t.equal(before + behind, JSON.stringify(object));
  }
});

t.test('in sorted order, the gap is before the uid', async t => {
  for (const value of ['v', 'über €']) {
    const object = sorted({ k: value, uid });
    const text = atOnce(sortedText(object));
    const [before, behind] = halves(text);
    t.ok(before.endsWith('"name":"a",'), before);
    t.equal(before + behind, JSON.stringify(object));
    t.equal(text.ascii, value === 'v' ? JSON.stringify(object) : undefined);
  }
  const { bytes } = atOnce(sortedText(sorted(undefined)));
  t.equal(bytes.toString(), JSON.stringify(sorted(undefined)), 'absent fields are left out');
});

t.test('the position of resourceVersion in a copy of the metadata', async t => {
  const metadata = { name: 'a', resourceVersion: '7', uid, labels: {} };
  const before = structuredClone(metadata);
  t.strictSame(Object.keys(withSlot(metadata, 'declared')), ['name', 'uid', 'resourceVersion', 'labels']);
  t.strictSame(Object.keys(withSlot(metadata, 'sorted')), ['name', 'resourceVersion', 'uid', 'labels']);
  t.equal(withSlot(metadata, 'declared').resourceVersion, undefined);
  t.strictSame(metadata, before);
  t.notOk(Object.hasOwn(withSlot({ name: 'a' }, 'declared'), 'resourceVersion'), 'there is none without a uid');
});

t.test('the gap is found again in bytes that begin as expected', async t => {
  const { bytes, gap } = atOnce(declaredText(declared({ k: 'v' })));
  const head = Buffer.from('{"kind":"ConfigMap","apiVersion":"v1",');
  t.equal(findGap(bytes, head), gap);
  t.equal(findGap(bytes, Buffer.from('{"kind":"Secret",')), -1, 'another kind');
  t.equal(findGap(bytes.subarray(0, 10), head), -1, 'cut off');
  t.equal(findGap(Buffer.concat([head, Buffer.from('"data":{}}')]), head), -1, 'without a uid');
});

t.test('large integers are floats in custom resources only', async t => {
  t.strictSame([beyondOf('sorted'), beyondOf('declared')], ['float64', 'exact']);
});
