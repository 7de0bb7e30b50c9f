import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Stored } from '../../../registry/pipeline/interface.js';
import { pauseOf } from '../../../registry/pipeline/pause.js';
import { storedCodec } from '../../../registry/pipeline/stored/stored.js';
import type { Revision } from '../../../storage/interface.js';

const codec = storedCodec({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  keys: 'declared',
  itemsCarryType: false,
  canonical: object => ({ ...object, metadata: { ...object.metadata } }),
  parse: bytes => JSON.parse(bytes.toString()) as KubeObject,
  normalize: object => object,
  freeze: true,
});

function stored(bytes: number): Stored {
  const object = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' }, data: { k: 'x'.repeat(bytes) } };
  return codec.adopt(codec.draft('/k', object), '/k', 7 as Revision);
}

const [small, large] = [1000, 300_000];

t.test('the event loop serves others while a large object is written', async t => {
  const rows: readonly { readonly bodyBytes?: number; readonly standing?: number; readonly expect: boolean }[] = [
    { expect: false },
    { bodyBytes: small, expect: false },
    { bodyBytes: large, expect: true },
    { bodyBytes: small, standing: small, expect: false },
    { bodyBytes: small, standing: large, expect: true },
  ];
  for (const { bodyBytes, standing, expect } of rows) {
    const call = bodyBytes === undefined ? {} : { bodyBytes };
    const rest = pauseOf(call, standing === undefined ? undefined : stored(standing));
    t.equal(rest !== undefined, expect, JSON.stringify({ bodyBytes, standing }));
    let others = 0;
    setImmediate(() => others++);
    await rest?.();
    t.equal(others, expect ? 1 : 0);
  }
});
