import t from 'tap';
import { customFrame, nativeFrame, storedList } from '../../../apiserver/negotiate/list-body.js';
import type { Stored } from '../../../registry/pipeline/interface.js';

const type = '"kind":"ConfigMap","apiVersion":"v1",';

/** Returns an object of this many bytes without its type. */
function object(size: number, index: number): string {
  const bare = `"metadata":{"name":"o-${index}"},"data":{"k":""}}`;
  return bare.replace('""}}', `"${'x'.repeat(Math.max(0, size - bare.length - 1))}"}}`);
}

const stored = (json: string, typeLength: number): Stored =>
  ({ json: Buffer.from(json), typeLength }) as unknown as Stored;

const pack = 128 * 1024;
const sizes: readonly { readonly name: string; readonly given: readonly number[] }[] = [
  { name: 'nothing', given: [] },
  { name: 'one', given: [1000] },
  { name: 'many small objects', given: Array.from({ length: 1000 }, (_, i) => 300 + (i % 97)) },
  { name: 'larger than a write', given: [pack + 1, 100, 3 * pack, 100] },
  ...[-3, -2, -1, 0, 1, 2, 3].map(more => ({
    name: `around the end of a write: ${more}`,
    given: [1000, pack - 1100 + more, 1000],
  })),
  ...Array.from({ length: 120 }, (_, i) => ({
    name: `a last object of ${pack - 120 + i} bytes`,
    given: [pack - 120 + i],
  })),
];

t.test('the body of a list holds its objects, whatever their sizes', async t => {
  for (const { name, given } of sizes) {
    const objects = given.map(object);
    const frame = nativeFrame('ConfigMapList', 'v1', { resourceVersion: '7' });
    const native = storedList(
      frame,
      objects.map(json => stored(`{${type}${json}`, type.length)),
    );
    const expect = `${frame.head}${objects.map(json => `{${json}`).join(',')}${frame.tail}`;
    const text = Buffer.concat([...native.pieces]).toString();
    t.equal(text === expect, true, `native: ${name}`);
    t.equal(native.length, Buffer.byteLength(expect), `its length: ${name}`);
    const other = customFrame('WidgetList', 'example.com/v1', { resourceVersion: '7' });
    const custom = storedList(
      other,
      objects.map(json => stored(`{${json}`, 0)),
    );
    const whole = `${other.head}${objects.map(json => `{${json}`).join(',')}${other.tail}`;
    t.equal(Buffer.concat([...custom.pieces]).toString() === whole, true, `custom: ${name}`);
    t.equal(custom.length, Buffer.byteLength(whole), `its length: ${name}`);
  }
});
