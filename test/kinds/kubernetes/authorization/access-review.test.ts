import t from 'tap';
import type { Fault } from '../../../../apimachinery/interface.js';
import {
  answered,
  attributeFaults,
  pathFaults,
  questionOf,
  reviewMetadataFaults,
  targetFaults,
} from '../../../../kinds/kubernetes/authorization/access-review.js';

const texts = (faults: readonly Fault[]): string[] => faults.map(({ path, message }) => `${path}: ${message}`);
const path = { path: '/healthz', verb: 'get' };

t.test('a review asks for a resource or a path', async t => {
  t.strictSame(targetFaults({ resourceAttributes: {} }), []);
  t.strictSame(targetFaults({ nonResourceAttributes: path }), []);
  t.strictSame(texts(targetFaults({ resourceAttributes: null, nonResourceAttributes: null })), [
    'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  ]);
  t.strictSame(texts(targetFaults({ resourceAttributes: {}, nonResourceAttributes: path })), [
    'spec.nonResourceAttributes: Invalid value: {"Path":"/healthz","Verb":"get"}: cannot be specified in combination with resourceAttributes',
  ]);
  t.strictSame(texts(pathFaults({ nonResourceAttributes: path })), [
    'spec.nonResourceAttributes: Invalid value: {"Path":"/healthz","Verb":"get"}: disallowed on this kind of request',
  ]);
  t.strictSame(pathFaults({ resourceAttributes: {} }), []);
});

const fields = 'spec.resourceAttributes.fieldSelector';
const labels = 'spec.resourceAttributes.labelSelector';
const requirement = (operator: string, ...values: string[]) => ({ key: 'a', operator, values });

t.test('selectors have requirements or a text', async t => {
  const faults = (resourceAttributes: object): string[] => texts(attributeFaults({ resourceAttributes }));
  t.strictSame(
    faults({ fieldSelector: { rawSelector: 'a=b' }, labelSelector: { requirements: [requirement('Exists')] } }),
    [],
  );
  t.strictSame(faults({ fieldSelector: {}, labelSelector: { requirements: [] } }), [
    `${fields}.requirements: Required value: when ${fields} is specified, requirements or rawSelector is required`,
    `${labels}.requirements: Required value: when ${labels} is specified, requirements or rawSelector is required`,
  ]);
  t.strictSame(faults({ labelSelector: { rawSelector: 'a', requirements: [requirement('Exists')] } }), [
    `${labels}.rawSelector: Invalid value: "a": may not specified at the same time as requirements`,
  ]);
  t.strictSame(
    faults({
      fieldSelector: {
        requirements: [{ key: '', operator: 'In', values: [] }, requirement('Exists', 'x'), requirement('Newer')],
      },
    }),
    [
      `${fields}.requirements[0].key: Required value: must be specified`,
      `${fields}.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
      `${fields}.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist'`,
    ],
  );
  t.strictSame(
    faults({ labelSelector: { requirements: [requirement('Newer'), requirement('NotIn')] } }),
    [`${labels}.requirements[1].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`],
    'operators of newer clients are accepted',
  );
});

t.test('what is asked', async t => {
  t.strictSame(questionOf({ nonResourceAttributes: path }), { attributes: { type: 'path', ...path }, errors: [] });
  t.strictSame(questionOf({}), { attributes: { type: 'path', verb: '', path: '' }, errors: [] });
  const empty = {
    type: 'resource',
    verb: '',
    group: '',
    version: '*',
    resource: '',
    subresource: '',
    namespace: '',
    name: '',
  };
  t.strictSame(questionOf({ resourceAttributes: {} }), { attributes: empty, errors: [] });
});

const selectors = [
  {
    name: 'texts',
    given: { fieldSelector: { rawSelector: 'a=b' }, labelSelector: { rawSelector: 'c,d!=e' } },
    fields: 'a=b',
    labels: 'c,d!=e',
    errors: [],
  },
  {
    name: 'requirements',
    given: {
      fieldSelector: { requirements: [requirement('In', 'b'), requirement('NotIn', 'c')] },
      labelSelector: { requirements: [requirement('In', 'b', 'c'), requirement('DoesNotExist')] },
    },
    ...{ fields: 'a=b,a!=c', labels: 'a in (b,c),!a', errors: [] },
  },
  {
    name: 'some requirements that cannot be expressed',
    given: {
      fieldSelector: { requirements: [requirement('In', 'b', 'c'), requirement('In', 'b')] },
      labelSelector: { requirements: [requirement('Newer'), requirement('Exists')] },
    },
    ...{ fields: 'a=b', labels: 'a' },
    errors: [`${fields} partially ignored due to parse error`, `${labels} partially ignored due to parse error`],
  },
  {
    name: 'nothing that can be expressed',
    given: { fieldSelector: { requirements: [requirement('Exists')] }, labelSelector: { rawSelector: 'a in' } },
    ...{ fields: undefined, labels: undefined },
    errors: [`${fields} ignored due to parse error`, `${labels} ignored due to parse error`],
  },
];

t.test('selectors that cannot be read make the question wider, and are reported', async t => {
  for (const { name, given, fields, labels, errors } of selectors) {
    const question = questionOf({ resourceAttributes: given });
    t.strictSame(question.errors, errors, name);
    const { fieldSelector, labelSelector } = question.attributes as { fieldSelector?: string; labelSelector?: string };
    t.strictSame([fieldSelector, labelSelector], [fields, labels], name);
  }
});

t.test('reviews have no metadata', async t => {
  const faults = (metadata: object) => texts(reviewMetadataFaults(metadata, ['namespace'], 'must be empty'));
  t.strictSame(faults({ namespace: 'a', managedFields: [{ manager: 'm' }], labels: {}, name: '' }), []);
  t.strictSame(faults({ name: 'x' }), ['metadata: Invalid value: {"name":"x"}: must be empty']);
});

t.test('the answer has only what was decided', async t => {
  const review = { apiVersion: 'v1', kind: 'R', metadata: {} };
  t.strictSame(answered(review, { allowed: false, reason: '' }, []), { ...review, status: { allowed: false } });
  t.strictSame(answered(review, { allowed: false, denied: true, reason: 'why' }, ['a', 'b']), {
    ...review,
    status: { allowed: false, denied: true, reason: 'why', evaluationError: 'a; b' },
  });
});
