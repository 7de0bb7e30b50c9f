import t from 'tap';
import { nativeInterpreter as interpreter } from '../../../controllers/interpreter/native/native.js';
import type { KubeObject } from '../../../openapi/interface.js';
import { gvkOf } from '../../../openapi/meta/gvk.js';
import type { Operation } from '../../../controllers/interpreter/interface.js';
import type { AggregatedStatusItem } from '../../../registry/kinds/karmada/types.js';
import { golden } from '../../data.js';

interface Input {
  operation: Operation;
  object: KubeObject;
  desired: KubeObject;
  observed: KubeObject;
  items: AggregatedStatusItem[];
  replicas: number;
}

/** Times that are taken when the function runs. */
const masked = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, v: unknown) => (/^last(Probe|Transition)Time$/.test(key) ? '<time>' : v)),
  );

const operations: Partial<Record<Operation, (input: Input) => unknown>> = {
  InterpretReplica: async ({ object }) => {
    const { replicas, requirements = null } = await interpreter.replicas(object);
    return { replicas, requirements };
  },
  ReviseReplica: ({ object, replicas }) => interpreter.reviseReplica(object, replicas),
  Retain: ({ desired, observed }) => interpreter.retain(desired, observed),
  AggregateStatus: ({ object, items }) => interpreter.aggregateStatus(object, items),
  InterpretStatus: ({ object }) => interpreter.reflectStatus(object),
  InterpretHealth: async ({ object }) => (await interpreter.health(object)) === 'Healthy',
  InterpretDependency: async ({ object }) => {
    const key = ({ kind, name = '' }: { kind: string; name?: string }): string => `${kind}/${name}`;
    return [...(await interpreter.dependencies(object))].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  },
};

t.test('native kinds are interpreted as in Karmada', async t => {
  for (const { name, input, output } of golden<Input, { result?: unknown; error?: string }>('interpreter').cases) {
    const run = operations[input.operation];
    if (!run) {
      t.fail(`${name}: ${input.operation} is not covered`);
      continue;
    }
    const before = JSON.stringify(input);
    if (output.error) await t.rejects(async () => run(input), name);
    else if (!interpreter.has(gvkOf(input.object ?? input.desired), input.operation)) t.same(null, output.result, name);
    else
      t.same(
        masked(await run(input)),
        masked(output.result ?? (input.operation === 'InterpretDependency' ? [] : null)),
        name,
      );
    if (JSON.stringify(input) !== before) t.fail(`${name}: the input was changed`);
  }
});
