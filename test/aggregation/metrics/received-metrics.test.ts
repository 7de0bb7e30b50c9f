/** What is taken from the metrics of a member, and what is refused. */
import t from 'tap';
import {
  receivedExternalValues,
  receivedMetrics,
  receivedNames,
  receivedValues,
  receivedVersions,
} from '../../../aggregation/metrics/received-metrics.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { atOnce } from '../../../lib/time-slice.js';

const refuse = (why: string): never => {
  throw new Error(why);
};

const time = { timestamp: '2026-01-02T03:04:05Z', window: '30s' };
const metrics = (fields: object): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: {}, ...time, ...fields });

t.test('objects of another form are refused with the field', t => {
  const rows: readonly (readonly [kind: string, fields: object, why: string])[] = [
    ['NodeMetrics', { timestamp: 5, usage: {} }, 'timestamp is not a text'],
    ['NodeMetrics', { window: 'x'.repeat(2000), usage: {} }, 'window is not a text'],
    ['NodeMetrics', { usage: [] }, 'usage is not a map'],
    ['NodeMetrics', { usage: { cpu: 'much' } }, 'usage is not a quantity'],
    ['PodMetrics', { containers: {} }, 'containers is not a list'],
    ['PodMetrics', { containers: ['a'] }, 'a container is not an object'],
  ];
  for (const [kind, fields, why] of rows)
    t.throws(() => receivedMetrics(kind, metrics(fields), 'm1', refuse), { message: why }, why);
  t.match(receivedMetrics('NodeMetrics', metrics({ usage: { cpu: '1' }, more: 1 }), 'm1', refuse), {
    kind: 'NodeMetrics',
    usage: { cpu: '1' },
  });
  t.end();
});

const value = { describedObject: { kind: 'Pod', name: 'a' }, metricName: 'm', timestamp: 't', value: '1' };

t.test('values of custom metrics, in both versions', t => {
  const read = (...items: unknown[]) => atOnce(receivedValues({ items }, refuse));
  t.strictSame(read({ ...value, window: 5, selector: { matchLabels: { a: 'b' } } }), [
    {
      describedObject: { kind: 'Pod', name: 'a' },
      metric: { name: 'm', selector: { matchLabels: { a: 'b' } } },
      timestamp: 't',
      windowSeconds: 5,
      value: '1',
    },
  ]);
  t.match(read({ ...value, metric: { name: 'n' }, windowSeconds: 0.5 }), [{ metric: { name: 'n' } }]);
  t.throws(() => read({ ...value, describedObject: 'a' }), { message: 'describedObject is not an object' });
  t.throws(() => read('a'), { message: 'it is not a list of values' });
  t.throws(() => atOnce(receivedValues([], refuse)), { message: 'it is not a list of values' });
  const matchLabels = Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`l${i}`, '']));
  for (const selector of [{ matchLabels }, matchLabels])
    t.throws(() => read({ ...value, selector }), { message: /a selector has more than 5000 members/ });
  t.end();
});

t.test('values of external metrics', t => {
  const read = (...items: unknown[]) => atOnce(receivedExternalValues({ items }, { cluster: 'm1' }, refuse));
  const { metricName, timestamp } = value;
  const plain = { metricName, timestamp, value: '1' };
  t.match(read({ ...plain, metricLabels: null }, { ...plain, metricLabels: { a: 'b', cluster: 'x' }, window: 7 }), [
    { metricLabels: { cluster: 'm1' } },
    { metricLabels: { a: 'b', cluster: 'm1' }, window: 7 },
  ]);
  t.throws(() => read({ ...plain, metricLabels: [] }), { message: 'metricLabels is not a map' });
  const metricLabels = Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`l${i}`, '']));
  t.throws(() => read({ ...plain, metricLabels }), { message: /metricLabels has more than 5000 members/ });
  t.end();
});

t.test('discovery documents of another form name nothing', t => {
  t.strictSame(receivedNames('x'), []);
  t.strictSame(receivedNames({ resources: [{ name: 'a', namespaced: true }, { name: '' }, { name: 5 }, 'x'] }), [
    { name: 'a', namespaced: true },
  ]);
  t.strictSame(receivedVersions({ versions: [{ version: 'v1' }, 'x'] }), ['v1']);
  t.strictSame(receivedVersions(null), []);
  t.end();
});
