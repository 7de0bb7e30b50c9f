/** The translation of errors of the store to errors of the API. */
import t from 'tap';
import { notFound, StatusError } from '../../../apimachinery/errors/status.js';
import { isReportedElsewhere } from '../../../lib/logging/cause.js';
import { interpretStorageError, withoutManagedFieldsIfTooLarge } from '../../../registry/pipeline/errors.js';
import { StorageError } from '../../../storage/error.js';

const resource = { group: '', resource: 'configmaps' };

t.test('errors of the store become those of kube-apiserver', async t => {
  const rows = [
    {
      code: 'unavailable',
      expect:
        '500 ServerTimeout: The create operation against configmaps could not be completed at this time, please try again.',
    },
    { code: 'initializing', expect: '429 TooManyRequests: the text' },
    { code: 'tooLarge', expect: '500 : etcdserver: request is too large' },
    { code: 'full', expect: '500 : etcdserver: mvcc: database space exceeded' },
    { code: 'unwritable', expect: '500 InternalError: Internal error occurred: the text' },
    { code: 'corrupt', expect: '500 InternalError: Internal error occurred: the text' },
  ] as const;
  for (const { code, expect } of rows) {
    const error = interpretStorageError(new StorageError(code, 'the text'), resource, 'create');
    t.ok(error instanceof StatusError, code);
    const { code: status, reason, message } = error as StatusError;
    t.equal(`${status} ${reason}: ${message}`, expect, code);
    t.equal(isReportedElsewhere(error), code === 'unwritable', `${code}: logged once, by the store`);
  }
});

t.test('errors that the verbs translate themselves are unchanged', async t => {
  for (const code of ['compacted', 'future', 'locked', 'format'] as const) {
    const error = new StorageError(code, 'the text');
    t.equal(interpretStorageError(error, resource, 'get'), error, code);
  }
  const others = [notFound(resource, 'a'), new TypeError('a bug'), 'no error'];
  for (const error of others) t.equal(interpretStorageError(error, resource, 'get'), error);
});

t.test('an object that is too large is written without managedFields', async t => {
  const tooLarge = new StorageError('tooLarge', 'too large');
  const translate = (error: unknown): unknown => new Error(`translated: ${(error as Error).message}`);
  const tries: boolean[] = [];
  const attempt = (...outcomes: (Error | string)[]) => {
    tries.length = 0;
    return (unmanaged: boolean): Promise<string> => {
      const outcome = outcomes[tries.push(unmanaged) - 1];
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(String(outcome));
    };
  };
  t.equal(await withoutManagedFieldsIfTooLarge(attempt('written'), translate), 'written');
  t.strictSame(tries, [false]);
  t.equal(await withoutManagedFieldsIfTooLarge(attempt(tooLarge, 'written'), translate), 'written');
  t.strictSame(tries, [false, true]);
  await t.rejects(withoutManagedFieldsIfTooLarge(attempt(tooLarge, tooLarge), translate), {
    message: 'translated: too large',
  });
  await t.rejects(withoutManagedFieldsIfTooLarge(attempt(new Error('other')), translate), {
    message: 'translated: other',
  });
  t.strictSame(tries, [false], 'another error is not retried');
});
