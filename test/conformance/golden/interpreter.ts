import type { Operation } from '../../../controllers/interpreter/interface.js';
import { nativeInterpreter as interpreter } from '../../../controllers/interpreter/native/native.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import type { AggregatedStatusItem } from '../../../api/karmada/types.js';
import { check, fails } from './check.js';

interface Input {
  readonly tier: string;
  readonly operation: Operation;
  readonly object: KubeObject;
  readonly desired: KubeObject;
  readonly observed: KubeObject;
  readonly items: AggregatedStatusItem[];
  readonly replicas: number;
}

interface Output {
  readonly result?: unknown;
  readonly error?: string;
}

const operations: Partial<Record<Operation, (input: Input) => unknown>> = {
  InterpretReplica: ({ object }) => interpreter.replicas(object),
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

/** Returns the value without times of the run. */
const masked = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, v: unknown) => (/^last(Probe|Transition)Time$/.test(key) ? '<time>' : v)),
  );

export const nativeInterpretation = check<Input, Output>({
  area: 'interpreter',
  part: 'native kinds',
  covers: ({ tier }) => tier === 'native',
  async compare(input, { result, error }) {
    const run = operations[input.operation];
    if (!run) return { want: input.operation, got: 'no such operation' };
    if (error) return { want: 'an error', got: (await fails(() => run(input))) ? 'an error' : 'none' };
    if (!interpreter.has(gvkOf(input.object ?? input.desired), input.operation)) return { want: result, got: null };
    const nothing = input.operation === 'InterpretDependency' ? [] : null;
    return { want: masked(result ?? nothing), got: masked(await run(input)) };
  },
});
