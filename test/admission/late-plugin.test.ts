import t from 'tap';
import { LatePlugin } from '../../admission/late-plugin.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';

const request = {} as AdmissionRequest;

t.test('every request is admitted until the plugin is set', async t => {
  const late = new LatePlugin();
  t.equal(late.mutate(request), undefined);
  t.equal(late.validate(request), undefined);
  const calls: string[] = [];
  late.set({
    name: 'a',
    mutate: () => void calls.push('mutate'),
    validate: () => {
      calls.push('validate');
      throw new Error('refused');
    },
  });
  late.mutate(request);
  t.throws(() => late.validate(request), { message: 'refused' });
  t.same(calls, ['mutate', 'validate']);
});

t.test('a plugin may lack one of the two', async t => {
  const late = new LatePlugin();
  late.set({ name: 'a' });
  t.equal(late.mutate(request), undefined);
  t.equal(late.validate(request), undefined);
});
