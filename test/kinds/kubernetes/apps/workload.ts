/** Validation cases that the workloads of apps/v1 share. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { FaultCase } from '../fault-table.js';

const labels = { a: 'b' };

/** Returns a valid workload whose pods have one container. */
export const workload = (kind: string, spec: object = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'n', namespace: 'space' },
  spec: {
    ...spec,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

const unlike = [
  'spec.template.metadata.labels',
  'Invalid value: {"a":"b"}: `selector` does not match template `labels`',
] as const;

export const noSelector: FaultCase = {
  name: 'no selector',
  given: { spec: { selector: null } },
  expect: [['spec.selector', 'Required value'], unlike],
};

export const selectorOfOtherLabels: FaultCase = {
  name: 'a selector of other labels',
  given: { spec: { selector: { matchLabels: { a: 'x' } } } },
  expect: [unlike],
};

export const anotherSelector: FaultCase = {
  name: 'a changed selector',
  old: {},
  given: { spec: { selector: { matchLabels: { a: 'c' } }, template: { metadata: { labels: { a: 'c' } } } } },
  expect: [['spec.selector', 'Invalid value: {"matchLabels":{"a":"c"}}: field is immutable']],
};
