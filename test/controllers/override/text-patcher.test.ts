/** The patching of texts of fields in another thread. */
import t from 'tap';
import { textPatcher } from '../../../controllers/override/text-patcher.js';
import { ExpectedError } from '../../../lib/logging/cause.js';
import { OffloadError, type OffloadFailure } from '../../../lib/offload/error.js';

const replace = [{ op: 'replace', path: '/k1', value: 'w' }];
const large = { format: 'yaml', text: `k1: v\nk2: ${'x'.repeat(20_000)}\n`, ops: replace } as const;

t.test('an error of a patch has a readable message, and is a bug only if the task failed', async t => {
  const rows: readonly { readonly reason: OffloadFailure; readonly expect: string; readonly isBug?: true }[] = [
    { reason: 'full', expect: 'too many texts of fields are being patched' },
    { reason: 'closed', expect: 'too many texts of fields are being patched' },
    { reason: 'late', expect: 'patching the text of a field takes longer than 5000 ms' },
    { reason: 'memory', expect: 'patching the text of a field takes too much memory' },
    { reason: 'failed', expect: 'why', isBug: true },
  ];
  for (const { reason, expect, isBug = false } of rows) {
    const offload = { run: () => Promise.reject(new OffloadError(reason, 'why')) };
    const error: unknown = await Promise.resolve(textPatcher(offload)(large, 'default')).catch(
      (error: unknown) => error,
    );
    t.match(error, { message: expect }, reason);
    t.equal(error instanceof ExpectedError, !isBug, reason);
  }
});

t.test('a small text is patched synchronously', t => {
  const offload = { run: () => Promise.reject(new Error('not called')) };
  t.equal(textPatcher(offload)({ format: 'yaml', text: 'k1: v\n', ops: replace }, 'default'), 'k1: w\n');
  t.end();
});
