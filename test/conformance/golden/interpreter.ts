import type { Interpreter, Operation } from '../../../controllers/interpreter/interface.js';
import { nativeInterpreter } from '../../../controllers/interpreter/native/native.js';
import { thirdPartyInterpreter } from '../../../controllers/interpreter/third-party/third-party.js';
import type { KubeObject } from '../../../apimachinery/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import type { AggregatedStatusItem } from '../../../api/karmada/types.js';
import { check, type Check, type Comparison, fails } from './check.js';
import { thirdPartyFile, thirdPartyVectors, vectorsIn } from './third-party.js';

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

type Run = (interpreter: Interpreter, input: Input) => unknown;

const operations: Readonly<Record<Operation, Run>> = {
  InterpretReplica: (interpreter, { object }) => interpreter.replicas(object),
  InterpretComponent: (interpreter, { object }) => interpreter.components(object),
  ReviseReplica: (interpreter, { object, replicas }) => interpreter.reviseReplica(object, replicas),
  Retain: (interpreter, { desired, observed }) => interpreter.retain(desired, observed),
  AggregateStatus: (interpreter, { object, items }) => interpreter.aggregateStatus(object, items),
  InterpretStatus: (interpreter, { object }) => interpreter.reflectStatus(object),
  InterpretHealth: async (interpreter, { object }) => (await interpreter.health(object)) === 'Healthy',
  InterpretDependency: async (interpreter, { object }) => {
    const key = ({ kind, name = '' }: { kind: string; name?: string }): string => `${kind}/${name}`;
    return [...(await interpreter.dependencies(object))].sort((a, b) => (key(a) < key(b) ? -1 : 1));
  },
};

/** Returns the value without times of the run. */
const masked = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value ?? null, (key, v: unknown) => (/^last(Probe|Transition)Time$/.test(key) ? '<time>' : v)),
  );

const kindOf = ({ object, desired }: Input): KubeObject => object ?? desired;

async function compare(interpreter: Interpreter, input: Input, { result, error }: Output): Promise<Comparison> {
  const { operation } = input;
  const run = operations[operation];
  const isKnown = interpreter.has(gvkOf(kindOf(input)), operation);
  if (error) {
    const failed = isKnown && (await fails(() => run(interpreter, input)));
    return { want: 'an error', got: failed ? 'an error' : 'none' };
  }
  if (!isKnown) return { want: result, got: null };
  const nothing = operation === 'InterpretDependency' ? [] : null;
  return { want: masked(result ?? nothing), got: masked(await run(interpreter, input)) };
}

export const nativeInterpretation = check<Input, Output>({
  area: 'interpreter',
  part: 'native kinds',
  covers: ({ tier }) => tier === 'native',
  compare: (input, output) => compare(nativeInterpreter, input, output),
});

const missingFile = 'the vectors are not in the repository; GOLDEN_INTERPRETER names their file';

/** One check per third-party kind. */
export const thirdPartyInterpretations: readonly Check[] = Object.entries(thirdPartyVectors).map(([name, count]) => {
  const [apiVersion = '', kind = ''] = name.split(' ');
  return check<Input, Output>({
    area: 'interpreter',
    part: name,
    notRun: thirdPartyFile === undefined ? { count, reason: missingFile } : undefined,
    vectors: () => vectorsIn(thirdPartyFile),
    covers(input) {
      const object = kindOf(input);
      return input.tier === 'thirdparty' && object.apiVersion === apiVersion && object.kind === kind;
    },
    compare: (input, output) => compare(thirdPartyInterpreter, input, output),
  });
});
