import t from 'tap';
import type { Stored } from '../../../registry/pipeline/interface.js';
import { restOf } from '../../../registry/pipeline/rest.js';

const stored = (bytes: number): Stored => ({ json: Buffer.alloc(bytes) }) as Partial<Stored> as Stored;
const [small, large] = [1000, 300_000];

t.test('others have their turn while what is large is written', async t => {
  const rows: readonly { readonly bodyBytes?: number; readonly standing?: number; readonly expect: boolean }[] = [
    { expect: false },
    { bodyBytes: small, expect: false },
    { bodyBytes: large, expect: true },
    { bodyBytes: small, standing: small, expect: false },
    { bodyBytes: small, standing: large, expect: true },
  ];
  for (const { bodyBytes, standing, expect } of rows) {
    const call = bodyBytes === undefined ? {} : { bodyBytes };
    const rest = restOf(call, standing === undefined ? undefined : stored(standing));
    t.equal(rest !== undefined, expect, JSON.stringify({ bodyBytes, standing }));
    let others = 0;
    setImmediate(() => others++);
    await rest?.();
    t.equal(others, expect ? 1 : 0);
  }
});
