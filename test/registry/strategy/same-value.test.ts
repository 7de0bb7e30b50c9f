import t from 'tap';
import type { Schema } from '../../../openapi/schema/interface.js';
import { nativeDefinitions } from '../../../registry/kinds/native.js';
import { optionalObjects, sameValue } from '../../../registry/strategy/same-value.js';

t.test('what is empty, and what is not there', async t => {
  const cases: readonly {
    readonly name: string;
    readonly given: readonly [unknown, unknown];
    readonly expect: boolean;
  }[] = [
    { name: 'nothing', given: [{}, undefined], expect: true },
    { name: 'lists', given: [{ args: [] }, {}], expect: true },
    { name: 'maps', given: [{ labels: {} }, { labels: null }], expect: true },
    { name: 'an object that is always there', given: [{ resources: {} }, {}], expect: true },
    { name: 'an object or none', given: [{ emptyDir: {} }, {}], expect: false },
    { name: 'one object or another', given: [[{ podSelector: {} }], [{ namespaceSelector: {} }]], expect: false },
    { name: 'the same object', given: [{ emptyDir: {} }, { emptyDir: {} }], expect: true },
    { name: 'null is none', given: [{ emptyDir: null }, {}], expect: true },
    { name: 'deep in what is not there', given: [{ spec: { securityContext: {} } }, {}], expect: false },
    { name: 'another value', given: [{ a: 1 }, { a: 2 }], expect: false },
  ];
  for (const { name, given, expect } of cases) {
    t.equal(sameValue(...given), expect, name);
    t.equal(sameValue(given[1], given[0]), expect, `${name}, the other way round`);
  }
});

t.test('the fields are those of the schemas', async t => {
  const uses = new Map<string, Set<string>>();
  const seen = new WeakSet<Schema>();
  function walk(schema: Schema): void {
    if (seen.has(schema)) return;
    seen.add(schema);
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const isStruct = field.type === 'object' && field.properties !== undefined;
      const use = isStruct && field.presence === 'pointer' ? 'optional' : 'other';
      uses.set(name, (uses.get(name) ?? new Set()).add(use));
      walk(field);
    }
    for (const inner of [schema.items, schema.additionalProperties]) if (typeof inner === 'object') walk(inner);
  }
  for (const { versions } of nativeDefinitions()) for (const { schema } of versions) walk(schema);
  const optional = [...uses].filter(([, kinds]) => kinds.size === 1 && kinds.has('optional')).map(([name]) => name);
  t.same([...optionalObjects].sort(), optional.sort());
});
