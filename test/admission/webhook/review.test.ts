import t from 'tap';
import { readReview, ReviewFault, reviewVersionOf } from '../../../admission/webhook/review.js';
import { atOnce } from '../../../lib/time-slice.js';

const head = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
const review = (response: object | null, more: object = {}): object => ({
  ...{ ...head, response: response && { uid: 'u', allowed: true, ...response } },
  ...more,
});
const read = (answer: unknown, mutating = false) => atOnce(readReview(answer, 'u', 'v1', mutating));

t.test('the first version that both sides know is used', async t => {
  t.equal(reviewVersionOf(['v2', 'v1beta1', 'v1']), 'v1beta1');
  t.equal(reviewVersionOf(['v2']), undefined);
  t.equal(reviewVersionOf(undefined), undefined);
});

t.test('a response has all its parts', async t => {
  t.strictSame(
    read(
      review({
        ...{ allowed: false, warnings: ['w'], auditAnnotations: { a: 'b' } },
        status: { message: 'no', reason: 'Forbidden', code: 403, details: { name: 'x' } },
      }),
    ),
    {
      ...{
        allowed: false,
        patch: '',
        patchType: '',
        warnings: ['w'],
        annotations: { keys: ['a'], values: { a: 'b' } },
      },
      status: { message: 'no', reason: 'Forbidden', code: 403, details: { name: 'x' } },
    },
  );
});

t.test('absent and null fields have the zero values of Go', async t => {
  const zero = { patch: '', patchType: '', warnings: [], annotations: { keys: [], values: {} }, status: undefined };
  t.strictSame(read({ ...head, response: { uid: 'u' } }), { allowed: false, ...zero });
  t.strictSame(read(review({ status: null, warnings: null, auditAnnotations: null, patch: null })), {
    allowed: true,
    ...zero,
  });
  t.strictSame(read(review({ status: {} })).status, { message: '', reason: '', code: 0 });
});

t.test('patches of mutating webhooks', async t => {
  const patch = { patch: 'W10=', patchType: 'JSONPatch' };
  t.match(read(review(patch), true), patch);
  const beta = (response: object, mutating: boolean) => atOnce(readReview({ response }, 'u', 'v1beta1', mutating));
  t.match(beta({ patch: 'W10=' }, true), patch, 'the only type of v1beta1');
  t.match(beta({}, true), { patch: '', patchType: '' });
  t.match(beta({ patch: 'W10=' }, false), { patch: '' }, 'no mutating webhook');
});

t.test('many annotations are checked in steps', t => {
  const auditAnnotations = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, 'v']));
  const stepsOf = (response: object): unknown[] => [...readReview(review(response), 'u', 'v1', false)];
  t.equal(stepsOf({ auditAnnotations }).length, 4);
  t.equal(stepsOf({ auditAnnotations: { k: 'v' } }).length, 0);
  t.throws(
    () => stepsOf({ auditAnnotations: { ...auditAnnotations, k4999: 1 } }),
    new ReviewFault(
      'json: cannot unmarshal number into Go struct field AdmissionResponse.response.auditAnnotations of type string',
    ),
    'the last one is checked',
  );
  t.end();
});

const type = 'Go struct field AdmissionResponse.response';
const wrong: readonly { given: unknown; mutating?: boolean; expect: string }[] = [
  {
    given: null,
    expect: 'json: cannot unmarshal object into Go struct field AdmissionReview of type v1.AdmissionReview',
  },
  { given: [], expect: 'json: cannot unmarshal array into Go struct field AdmissionReview of type v1.AdmissionReview' },
  { given: head, expect: 'webhook response was absent' },
  { given: review(null), expect: 'webhook response was absent' },
  {
    given: review({}, { response: 'yes' }),
    expect: 'json: cannot unmarshal string into Go struct field AdmissionReview.response of type v1.AdmissionResponse',
  },
  { given: review({ uid: 'v' }), expect: 'expected response.uid="u", got "v"' },
  { given: review({ uid: null }), expect: 'expected response.uid="u", got ""' },
  {
    given: review({}, { apiVersion: 'admission.k8s.io/v1beta1' }),
    expect:
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, Kind=AdmissionReview',
  },
  {
    given: review({}, { apiVersion: 'v1', kind: 'Pod' }),
    expect: 'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /v1, Kind=Pod',
  },
  { given: review({ allowed: 'yes' }), expect: `json: cannot unmarshal string into ${type}.allowed of type bool` },
  { given: review({ warnings: 'w' }), expect: `json: cannot unmarshal string into ${type}.warnings of type []string` },
  { given: review({ warnings: [1] }), expect: `json: cannot unmarshal number into ${type}.warnings of type string` },
  {
    given: review({ auditAnnotations: { a: true } }),
    expect: `json: cannot unmarshal bool into ${type}.auditAnnotations of type string`,
  },
  { given: review({ status: 'no' }), expect: `json: cannot unmarshal string into ${type}.status of type v1.Status` },
  {
    given: review({ status: { code: 1n } }),
    expect: 'json: cannot unmarshal number into Go struct field Status.code of type int32',
  },
  { given: review({ patch: 'W10=' }), expect: 'validating webhook may not return response.patch' },
  { given: review({ patchType: '' }), expect: 'validating webhook may not return response.patchType' },
  {
    given: review({ patch: 'W10=' }),
    mutating: true,
    expect: 'webhook returned response.patch but not response.patchType',
  },
  {
    given: review({ patchType: 'JSONPatch' }),
    mutating: true,
    expect: 'webhook returned response.patchType but not response.patch',
  },
  {
    given: review({ patch: 'W10=', patchType: '' }),
    mutating: true,
    expect: 'webhook returned invalid response.patchType of ""',
  },
];

t.test('invalid responses are refused with the reason', async t => {
  for (const { given, mutating = false, expect } of wrong)
    t.throws(() => read(given, mutating), new ReviewFault(expect), expect);
});
