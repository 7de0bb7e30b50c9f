import t from 'tap';
import { noteSize, pauseOf } from '../../../registry/pipeline/pause.js';

const [small, large] = [1000, 300_000];

t.test('the event loop serves others while a large object is written', async t => {
  const rows: readonly { readonly bodyBytes?: number; readonly noted?: number; readonly expect: boolean }[] = [
    { expect: false },
    { bodyBytes: small, expect: false },
    { bodyBytes: large, expect: true },
    { bodyBytes: small, noted: small, expect: false },
    { bodyBytes: small, noted: large, expect: true },
    { bodyBytes: large, noted: small, expect: true },
    { noted: large, expect: true },
  ];
  for (const { bodyBytes, noted, expect } of rows) {
    const call: { bodyBytes?: number } = bodyBytes === undefined ? {} : { bodyBytes };
    if (noted !== undefined) noteSize(call, noted);
    const pause = pauseOf(call);
    t.equal(pause !== undefined, expect, JSON.stringify({ bodyBytes, noted }));
    let others = 0;
    setImmediate(() => others++);
    await pause?.();
    t.equal(others, expect ? 1 : 0);
  }
});
