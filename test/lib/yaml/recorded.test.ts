import t from 'tap';
import { readYaml } from '../../../lib/yaml/read-yaml.js';
import { recorded } from '../../data.js';

interface Case {
  readonly given: string;
  readonly value?: unknown;
  readonly error?: string;
}

const inOrder = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (_, part: unknown) => {
      if (typeof part === 'bigint') return Number(part);
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
      return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
    }),
  );

/** Recorded output of `kubectl label --local -o json` of 1.32 for a manifest with the text as one of its values. */
t.test('values and errors are those of kubectl', async t => {
  const different: unknown[] = [];
  for (const { given, ...expect } of recorded('yaml.json') as Case[]) {
    const read = readYaml(`apiVersion: v1\nkind: X\nmetadata: {name: name}\nv: ${given}\nz: 1\n`);
    const got =
      read.type === 'error' ? { error: read.text } : { value: inOrder((read.value as Record<string, unknown>)['v']) };
    const want = expect.error === undefined ? { value: inOrder(expect.value) } : expect;
    if (JSON.stringify(got) !== JSON.stringify(want)) different.push({ given, got, want });
  }
  t.same(different, []);
});
