import t from 'tap';
import type { KubeObject } from '../../../apimachinery/interface.js';
import type { Prepare, StrategyContext } from '../../../registry/interface.js';
import {
  annotationsChanged,
  anyOf,
  bumpGeneration,
  bumpGenerationWhen,
  changedExcept,
  startGeneration,
} from '../../../registry/strategy/generation.js';
import { dropStatus, keep, keepAllBut, keepMetadata, keepMetadataFields } from '../../../registry/strategy/parts.js';

const object = (more: object, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'K',
  metadata: { name: 'a', generation: 4, ...metadata },
  ...more,
});

t.test('rules restore the fields that an endpoint must not change', t => {
  const cases: readonly { name: string; rule: Prepare; draft: KubeObject; old?: KubeObject; expect: object }[] = [
    {
      name: 'the status of a new object is dropped',
      rule: dropStatus,
      draft: object({ spec: 1, status: 2 }),
      expect: object({ spec: 1 }),
    },
    {
      name: 'a stored field is restored',
      rule: keep('status'),
      draft: object({ spec: 1, status: 2 }),
      old: object({ status: 3 }),
      expect: object({ spec: 1, status: 3 }),
    },
    {
      name: 'a field that is not stored is removed',
      rule: keep('status'),
      draft: object({ status: 2 }),
      old: object({}),
      expect: object({}),
    },
    {
      name: 'a subresource can change one field',
      rule: keepAllBut('status'),
      draft: object({ spec: 9, status: 2, extra: 1 }, { labels: { a: 'b' } }),
      old: object({ spec: 1, status: 1, data: 5 }),
      expect: object({ spec: 1, status: 2, data: 5 }, { labels: { a: 'b' } }),
    },
    {
      name: 'a field with the name of an inherited property',
      rule: keepAllBut('status'),
      draft: object({ constructor: 1 }),
      old: object({}),
      expect: object({}),
    },
    {
      name: 'metadata is restored except managedFields',
      rule: keepMetadata,
      draft: object({}, { labels: { a: 'b' }, managedFields: [] }),
      old: object({}, { labels: { c: 'd' } }),
      expect: object({}, { labels: { c: 'd' }, managedFields: [] }),
    },
    {
      name: 'some metadata is restored',
      rule: keepMetadataFields('labels', 'finalizers'),
      draft: object({}, { labels: { a: 'b' }, annotations: { a: 'b' }, finalizers: ['x/y'] }),
      old: object({}, { labels: { c: 'd' } }),
      expect: object({}, { labels: { c: 'd' }, annotations: { a: 'b' } }),
    },
    {
      name: 'the first generation',
      rule: startGeneration,
      draft: object({}, { generation: 9 }),
      expect: object({}, { generation: 1 }),
    },
    {
      name: 'a changed spec',
      rule: bumpGeneration,
      draft: object({ spec: { a: 1 } }),
      old: object({ spec: { a: 2 } }),
      expect: object({ spec: { a: 1 } }, { generation: 5 }),
    },
    {
      name: 'an equal spec',
      rule: bumpGeneration,
      draft: object({ spec: { a: 1, b: [] } }),
      old: object({ spec: { a: 1, c: {} } }),
      expect: object({ spec: { a: 1, b: [] } }),
    },
    {
      name: 'any field except the named ones',
      rule: bumpGenerationWhen(changedExcept('status')),
      draft: object({ status: 1 }),
      old: object({ status: 2, webhooks: [1] }),
      expect: object({ status: 1 }, { generation: 5 }),
    },
    {
      name: 'one of several changes',
      rule: bumpGenerationWhen(anyOf(changedExcept('status'), annotationsChanged)),
      draft: object({ status: 1 }, { annotations: { a: 'b' } }),
      old: object({ status: 2 }),
      expect: object({ status: 1 }, { annotations: { a: 'b' }, generation: 5 }),
    },
  ];
  for (const { name, rule, draft, old, expect } of cases) {
    const before = JSON.stringify(old);
    rule(draft, old, {} as StrategyContext);
    t.strictSame(draft, expect, name);
    t.equal(JSON.stringify(old), before, `${name}: the stored object does not change`);
  }
  t.end();
});
