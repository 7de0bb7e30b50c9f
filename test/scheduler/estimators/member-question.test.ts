/** What is asked about members, as JSON. */
import t from 'tap';
import {
  memberAnswerOf,
  questionFault,
  memberQuestionOf,
  estimateQueryOf,
  estimateTableOf,
} from '../../../scheduler/estimators/member-question.js';
import { parseJson } from '../../../lib/json/json.js';
import { binding, cluster } from '../objects.js';

t.test('a question survives JSON', t => {
  const clusters = [cluster('m1', { region: 'r' }), cluster('m2')];
  const requirements = { resourceRequest: { cpu: '1' } };
  const { spec } = binding({ replicas: 3, replicaRequirements: requirements });
  const question = memberQuestionOf({ clusters, spec });
  const { kind, namespace, name } = spec.resource;
  t.strictSame(question, {
    clusters: ['m1', 'm2'],
    resource: { kind, ...(namespace && { namespace }), name },
    requirements,
  });
  const query = estimateQueryOf(JSON.parse(JSON.stringify(question)) as typeof question);
  t.strictSame(memberQuestionOf(query), question);
  t.equal(query.components, undefined);
  const components = [{ name: 'c', replicas: 2 }];
  const { replicaRequirements: _, ...others } = spec;
  const ofSets = memberQuestionOf({ clusters, spec: others, components });
  t.strictSame(memberQuestionOf(estimateQueryOf(ofSets)), ofSets);
  t.strictSame(ofSets.components, components);
  const table = new Map([['m1', 4]]);
  t.strictSame(estimateTableOf(memberAnswerOf(table)), table);
  t.end();
});

t.test('amounts are texts for estimators', t => {
  const text =
    '{"clusters":["m1"],"resource":{"kind":"Job","name":"j"},"requirements":{"resourceRequest":{"cpu":9007199254740993}}}';
  const question = parseJson(text) as Parameters<typeof estimateQueryOf>[0];
  t.equal(questionFault(question), undefined);
  const replicaRequirements = { resourceRequest: { cpu: '9007199254740993' } };
  t.strictSame(estimateQueryOf(question).spec.replicaRequirements, replicaRequirements);
  const { requirements } = question;
  const components = [{ name: 'c', replicas: 1, ...(requirements && { replicaRequirements: requirements }) }];
  t.strictSame(estimateQueryOf({ ...question, components }).components, [
    { name: 'c', replicas: 1, replicaRequirements },
  ]);
  t.end();
});

t.test('what is no question', t => {
  const valid = { clusters: ['m1'], resource: { kind: 'Deployment', name: 'web' } };
  const asking = (resourceRequest: unknown): unknown => ({ ...valid, requirements: { resourceRequest } });
  const terms = [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }], matchFields: [] }];
  const claim = {
    nodeSelector: { zone: 'a' },
    hardNodeAffinity: { nodeSelectorTerms: terms },
    tolerations: [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 1 }],
  };
  const rows: readonly (readonly [unknown, RegExp | undefined])[] = [
    [valid, undefined],
    [{ ...valid, requirements: {}, components: [{ replicas: 1, replicaRequirements: {} }] }, undefined],
    [null, /^want an object$/],
    [[], /^want an object$/],
    [{ ...valid, clusters: 'm1' }, /^clusters: want a list/],
    [{ ...valid, clusters: [1] }, /^clusters: want a list/],
    [{ ...valid, clusters: ['m1', 'm2', 'm1'] }, /^clusters: a name is there twice$/],
    [{ ...valid, clusters: Array.from({ length: 10_001 }, () => 'm') }, /^clusters: at most 10000 /],
    [{ ...valid, resource: undefined }, /^resource: want a kind/],
    [{ ...valid, resource: { kind: 'x' } }, /^resource: want a kind/],
    [{ ...valid, resource: { kind: 1, name: 'x' } }, /^resource: want a kind/],
    [{ ...valid, resource: { ...valid.resource, namespace: 1 } }, /^resource\.namespace: /],
    [{ ...valid, requirements: [] }, /^requirements: want an object$/],
    [{ ...valid, requirements: { x: 'x'.repeat(300_000) } }, /^requirements: at most 262144 /],
    [{ ...valid, requirements: { namespace: 1 } }, /^requirements: want a resourceRequest/],
    [{ ...valid, requirements: { other: {} } }, /^requirements: want a resourceRequest/],
    [{ ...valid, requirements: { toString: {} } }, /^requirements: want a resourceRequest/],
    ...[1, [], null, 'x'].map(list => [asking(list), /^requirements\.resourceRequest: want quantities/] as const),
    ...[{}, [], null, true].map(cpu => [asking({ cpu }), /^requirements\.resourceRequest\.cpu: want a q/] as const),
    ...['x', '', Infinity].map(
      cpu => [asking({ cpu }), /^requirements\.resourceRequest\.cpu: quantities must match/] as const,
    ),
    [asking({ cpu: '1', memory: 1.5, pods: 9007199254740993n }), undefined],
    ...[
      [],
      { other: 1n },
      { nodeSelector: { zone: 1 } },
      { nodeSelector: [] },
      { tolerations: {} },
      { tolerations: [{ tolerationSeconds: 9007199254740993n }] },
      { hardNodeAffinity: { nodeSelectorTerms: [{ matchExpressions: 1 }] } },
      { hardNodeAffinity: { nodeSelectorTerms: [{ matchFields: [{ key: 'a', values: [1] }] }] } },
    ].map(nodeClaim => [{ ...valid, requirements: { nodeClaim } }, /^requirements\.nodeClaim: want a node/] as const),
    [{ ...valid, requirements: { nodeClaim: claim, namespace: 'a', priorityClassName: 'b' } }, undefined],
    [{ ...valid, components: [{ replicas: 1n }] }, /^components: want a list/],
    [{ ...valid, components: [{ replicas: -1 }] }, /^components: want a list/],
    [{ ...valid, components: [{ name: 'a' }] }, /^components: want a list/],
    [
      { ...valid, components: [{ replicas: 1 }, { replicas: 1, replicaRequirements: { resourceRequest: 1 } }] },
      /^components\[1\]\.replicaRequirements\.resourceRequest: want quantities/,
    ],
    [{ ...valid, components: {} }, /^components: want a list/],
    [{ ...valid, components: [1] }, /^components: want a list/],
    [{ ...valid, components: [{ replicas: 0.5 }] }, /^components: want a list/],
    [{ ...valid, components: [{ replicas: 1, replicaRequirements: 1 }] }, /^components: want a list/],
    [{ ...valid, components: [{ replicas: 1, name: 'x'.repeat(300_000) }] }, /^components: at most /],
  ];
  for (const [given, fault] of rows) {
    const found = questionFault(given);
    if (fault) t.match(found, fault);
    else t.equal(found, undefined);
  }
  t.end();
});
