import t from 'tap';
import type { KubeObject } from '../../../../apimachinery/interface.js';
import { StatusError } from '../../../../apimachinery/errors/status.js';
import { definitionOf, faultTable } from '../fault-table.js';

const generation = 'deprecated.daemonset.template.generation';
const rollback = 'deprecated.deployment.rollback.to';
const parsing = 'strconv.ParseInt: parsing';

const cases = [
  { name: 'none', kind: 'DaemonSet', key: generation, given: undefined, expect: '0' },
  { name: 'a number', kind: 'DaemonSet', key: generation, given: '+07', expect: '7' },
  {
    name: 'not a number',
    ...{ kind: 'DaemonSet', key: generation, given: 'x' },
    expect: `400 DaemonSet in version "v1" cannot be handled as a DaemonSet: ${parsing} "x": invalid syntax`,
  },
  {
    name: 'a number that is too large',
    ...{ kind: 'DaemonSet', key: generation, given: '9223372036854775808' },
    expect: `400 DaemonSet in version "v1" cannot be handled as a DaemonSet: ${parsing} "9223372036854775808": value out of range`,
  },
  { name: 'an empty rollback revision', kind: 'Deployment', key: rollback, given: '', expect: undefined },
  { name: 'a rollback revision', kind: 'Deployment', key: rollback, given: '-0', expect: '0' },
  {
    name: 'an invalid rollback revision',
    ...{ kind: 'Deployment', key: rollback, given: '1.5' },
    expect: `400 Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[${rollback}]=1.5 as int64: ${parsing} "1.5": invalid syntax`,
  },
];

t.test('annotations become fields and back', async t => {
  for (const { name, kind, key, given, expect } of cases) {
    const annotations = given === undefined ? {} : { [key]: given };
    const object: KubeObject = { apiVersion: 'apps/v1', kind, metadata: { name: 'n', annotations } };
    t.equal(settled(object, key), expect, name);
  }
});

function settled(object: KubeObject, key: string): string | undefined {
  try {
    definitionOf('apps', object.kind).defaults?.(object, 'v1');
    return object.metadata.annotations?.[key];
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
}

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const deployment = {
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'n', namespace: 'space' } },
  spec: { selector: { matchLabels: { a: 'b' } }, template },
};

t.test(
  'a rollback revision below zero is refused',
  async t =>
    await faultTable(t, ['apps', 'Deployment'], deployment, [
      {
        name: 'below zero',
        given: { metadata: { annotations: { [rollback]: '-1' } } },
        expect: [['spec.rollback.version', 'Invalid value: -1: must be greater than or equal to 0']],
      },
    ]),
);
