/** The messages of estimators, compared with messages that are put together by their field numbers. */
import t from 'tap';
import { BlockReader } from '../../../../apiserver/negotiate/protobuf/block-reader.js';
import { encodeMessage } from '../../../../apiserver/negotiate/protobuf/message.js';
import type { Component, NodeClaim } from '../../../../api/karmada/types.js';
import { MessageReader, MessageWriter } from '../../../../lib/protobuf/message.js';
import { atOnce, inTimeSlices } from '../../../../lib/time-slice.js';
import {
  readNodeSelector,
  readQuantity,
  readToleration,
  writeNodeSelector,
  writeQuantity,
  writeToleration,
} from '../../../../scheduler/estimators/protocol/kubernetes-values.js';
import {
  readCount,
  readReplicasMessage,
  readSetsMessage,
  readUnschedulableMessage,
  writeCount,
  writeReplicasMessage,
  writeSetsMessage,
  writeUnschedulableMessage,
} from '../../../../scheduler/estimators/protocol/messages.js';
import { longestStall } from '../../../lib/longest-stall.js';

/** Returns a varint by the rules of the encoding, for numbers from 0. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

type Value = string | number | Buffer;

/** Returns a message of these fields. */
const message = (...fields: readonly (readonly [number: number, value: Value])[]): Buffer =>
  Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'number') return [varint(number * 8), varint(value)];
      const bytes = Buffer.from(value);
      return [varint(number * 8 + 2), varint(bytes.length), bytes];
    }),
  );

const affinity = {
  nodeSelectorTerms: [
    {
      matchExpressions: [
        { key: 'zone', operator: 'In', values: ['a', 'b'] },
        { key: 'ssd', operator: 'Exists' },
      ],
    },
    { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] },
  ],
};
const tolerations: NonNullable<NodeClaim['tolerations']> = [
  { key: 'k', operator: 'Equal', value: 'v', effect: 'NoExecute', tolerationSeconds: 300 },
  { operator: 'Exists' },
];
const claim: NodeClaim = { nodeSelector: { disk: 'ssd', os: '' }, hardNodeAffinity: affinity, tolerations };

const requirement = (key: string, operator: string, ...values: string[]): Buffer =>
  message([1, key], [2, operator], ...values.map((value): [number, Value] => [3, value]));
const affinityBytes = message(
  [1, message([1, requirement('zone', 'In', 'a', 'b')], [1, requirement('ssd', 'Exists')])],
  [1, message([2, requirement('metadata.name', 'NotIn', 'n1')])],
);
const claimBytes = message(
  [2, message([1, 'disk'], [2, 'ssd'])],
  [2, message([1, 'os'], [2, ''])],
  [4, affinityBytes],
  [5, message([1, 'k'], [2, 'Equal'], [3, 'v'], [4, 'NoExecute'], [5, 300])],
  [5, message([1, ''], [2, 'Exists'], [3, ''], [4, ''])],
);
const requestBytes = (name: string, quantity: string): Buffer => message([1, name], [2, message([1, quantity])]);

const components: Component[] = [
  {
    ...{ name: 'leader', replicas: 1 },
    replicaRequirements: { nodeClaim: claim, priorityClassName: 'high', resourceRequest: { cpu: '500m' } },
  },
  { name: 'worker', replicas: 300 },
];
const componentBytes = [
  message([1, 'leader'], [2, message([1, claimBytes], [3, 'high'], [4, requestBytes('cpu', '500m')])], [3, 1]),
  message([1, 'worker'], [3, 300]),
] as const;
const assumed = [{ namespace: 'other', components }];
const assumedBytes = message([1, 'other'], [2, componentBytes[0]], [2, componentBytes[1]]);

t.test('a request for replicas', t => {
  const requirements = {
    ...{ nodeClaim: claim, namespace: 'ns', priorityClassName: 'high' },
    resourceRequest: { cpu: '1', memory: '1Gi' },
  };
  const bytes = message(
    [1, 'member1'],
    [
      2,
      message(
        [1, claimBytes],
        [3, 'ns'],
        [4, 'high'],
        [5, requestBytes('cpu', '1')],
        [5, requestBytes('memory', '1Gi')],
      ),
    ],
    [3, assumedBytes],
  );
  const given = { cluster: 'member1', requirements, assumed };
  t.strictSame(writeReplicasMessage(given), bytes);
  t.strictSame(atOnce(readReplicasMessage(bytes)), given);
  const least = { cluster: 'm', requirements: undefined, assumed: [] };
  t.strictSame(writeReplicasMessage(least), message([1, 'm']));
  t.strictSame(atOnce(readReplicasMessage(message([1, 'm']))), least);
  t.strictSame(
    writeReplicasMessage({ cluster: 'm', requirements: { resourceRequest: { cpu: '1000m' } } }),
    message([1, 'm'], [2, message([5, requestBytes('cpu', '1')])]),
    'a quantity is canonical',
  );
  t.throws(() => writeReplicasMessage({ cluster: 'm', requirements: { resourceRequest: { cpu: 'x' } } }));
  t.end();
});

t.test('a request for sets', t => {
  const bytes = message([1, 'member1'], [2, componentBytes[0]], [2, componentBytes[1]], [3, 'ns'], [4, assumedBytes]);
  const given = { cluster: 'member1', namespace: 'ns', components, assumed };
  t.strictSame(writeSetsMessage(given), bytes);
  t.strictSame(atOnce(readSetsMessage(bytes)), given);
  t.end();
});

t.test('a request for unschedulable replicas', t => {
  const resource = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'ns', name: 'web' };
  const bytes = message(
    [1, 'member1'],
    [2, message([1, 'apps/v1'], [2, 'Deployment'], [3, 'ns'], [4, 'web'])],
    [3, 300_000_000_000],
  );
  const given = { cluster: 'member1', resource, thresholdMs: 300_000 };
  t.strictSame(writeUnschedulableMessage(given), bytes);
  t.strictSame(readUnschedulableMessage(bytes), given);
  t.strictSame(readUnschedulableMessage(message([3, -5_000_000])), {
    cluster: '',
    resource: undefined,
    thresholdMs: -5,
  });
  t.end();
});

t.test('a response', t => {
  for (const [count, bytes] of [
    [7, message([1, 7])],
    [0, message()],
    [2_147_483_647, message([1, 2_147_483_647])],
    [-1, message([1, -1])],
  ] as const) {
    t.strictSame(writeCount(count), bytes);
    t.equal(readCount(bytes), count);
  }
  t.end();
});

t.test('values of Kubernetes are written as its API server writes them', t => {
  const written = (write: (writer: MessageWriter) => void): Buffer => {
    const writer = new MessageWriter(16);
    write(writer);
    return Buffer.from(writer.finish());
  };
  const core = 'io.k8s.api.core.v1';
  const selector = written(writer => writeNodeSelector(writer, affinity));
  t.strictSame(selector, encodeMessage(`${core}.NodeSelector`, affinity));
  t.strictSame(readNodeSelector(selector), affinity);
  for (const toleration of tolerations) {
    const bytes = written(writer => writeToleration(writer, toleration));
    t.strictSame(bytes, encodeMessage(`${core}.Toleration`, { ...toleration }));
    t.strictSame(readToleration(new MessageReader(bytes)), toleration);
  }
  const quantity = written(writer => writeQuantity(writer, '1.5Gi'));
  t.strictSame(new BlockReader(quantity.subarray(2)).text(), '1536Mi');
  t.equal(readQuantity(new MessageReader(quantity)), '1536Mi');
  t.equal(readQuantity(new MessageReader(Buffer.alloc(0))), '0');
  t.end();
});

t.test('fields that are not known are skipped', t => {
  const unknown: [number, Value][] = [
    [99, 'text'],
    [98, 1],
  ];
  t.strictSame(atOnce(readReplicasMessage(message(...unknown, [1, 'm'], [2, message([2, 'removed'], ...unknown)]))), {
    ...{ cluster: 'm', requirements: {}, assumed: [] },
  });
  t.strictSame(
    atOnce(
      readSetsMessage(
        message([2, message([2, message([1, message([1, 'removed'], [2, message(...unknown)], ...unknown)])])]),
      ),
    ),
    {
      ...{ cluster: '', namespace: '', assumed: [] },
      components: [{ name: '', replicas: 0, replicaRequirements: { nodeClaim: { nodeSelector: { '': '' } } } }],
    },
  );
  const reference = { apiVersion: '', kind: '', namespace: '', name: '' };
  t.strictSame(readUnschedulableMessage(message(...unknown, [2, message(...unknown)])), {
    ...{ cluster: '', resource: reference, thresholdMs: 0 },
  });
  t.equal(readCount(message(...unknown)), 0);
  t.strictSame(readNodeSelector(message(...unknown, [1, message(...unknown, [1, message(...unknown)])])), {
    nodeSelectorTerms: [{ matchExpressions: [{ key: '', operator: '' }] }],
  });
  t.strictSame(readToleration(new MessageReader(message(...unknown))), {});
  t.equal(readQuantity(new MessageReader(message(...unknown))), '0');
  t.end();
});

t.test('malformed and too large messages are refused', async t => {
  t.throws(() => atOnce(readReplicasMessage(Buffer.from([0x0a, 0x05, 0x61]))), { message: /unexpected EOF/ });
  t.throws(() => readCount(Buffer.from([0x17])), { message: /illegal wireType/ });
  const long = Array.from({ length: 20_000 }, (_, i): [number, Value] => [5, requestBytes(`example.com/r${i}`, '1')]);
  t.throws(() => atOnce(readReplicasMessage(message([2, message(...long)]))), { message: /too long/ });
  const many = Array.from({ length: 20_001 }, (): [number, Value] => [2, componentBytes[0]]);
  const bytes = message([4, message(...many)]);
  const read = async (): Promise<void> =>
    void (await t.rejects(async () => inTimeSlices(readSetsMessage(bytes)), { message: /too many components/ }));
  const stall = await longestStall(100, read);
  t.ok(stall < 100, `${stall.toFixed(0)} ms`);
  const key = atOnce(readReplicasMessage(message([2, message([5, requestBytes('__proto__', '1')])])));
  t.strictSame(Object.keys(key.requirements?.resourceRequest ?? {}), ['__proto__']);
});
