import type { KubeObject } from '../../../apimachinery/interface.js';
import type { AggregatedStatusItem } from '../../../api/karmada/types.js';
import type { Interpreter, Operation } from '../../../controllers/interpreter/interface.js';
import { gvkOf } from '../../../apimachinery/meta/gvk.js';
import { UsageError } from '../../flags/flags.js';

/** What a rule is run with. */
interface RuleArguments {
  readonly desired: KubeObject | undefined;
  readonly observed: KubeObject | undefined;
  readonly items: readonly AggregatedStatusItem[];
  readonly replicas: number;
}

type Results = readonly (readonly [name: string, value: unknown])[];

/** Runs the operation on the object. Results have the names under which they are printed. */
type Run = (interpreter: Interpreter, object: KubeObject, args: RuleArguments) => Promise<Results>;

/** Operations in the order in which they are listed. as pkg/util/interpreter AllResourceInterpreterCustomizationRules */
const runs: Readonly<Record<Operation, Run>> = {
  Retain: async (i, desired, { observed }) => {
    if (!observed) throw new UsageError('observed, observed-file options are not set');
    return [['retained', await i.retain(desired, observed)]];
  },
  InterpretReplica: async (i, object) => {
    const { replicas, requirements } = await i.replicas(object);
    return [
      ['replica', replicas],
      ['requires', requirements ?? null],
    ];
  },
  InterpretComponent: async (i, object) => [['components', await i.components(object)]],
  ReviseReplica: async (i, object, { replicas }) => [['revised', await i.reviseReplica(object, replicas)]],
  InterpretStatus: async (i, object) => [['status', await i.reflectStatus(object)]],
  AggregateStatus: async (i, object, { items }) => [['aggregatedStatus', await i.aggregateStatus(object, items)]],
  InterpretHealth: async (i, object) => [['healthy', (await i.health(object)) === 'Healthy']],
  InterpretDependency: async (i, object) => [['dependencies', await i.dependencies(object)]],
};

export const ruleNames = Object.keys(runs) as readonly Operation[];

/** Returns the operation with the name in any case. Throws UsageError. */
export function ruleNamed(name: string): Operation {
  const found = ruleNames.find(rule => rule.toLowerCase() === name.toLowerCase());
  if (found) return found;
  throw new UsageError(`operation ${name} is not supported. Use one of: ${ruleNames.join(', ')}`);
}

/** Returns the object that an operation is about. as pkg/util/interpreter RuleArgs */
function objectFor(operation: Operation, { desired, observed }: RuleArguments): KubeObject {
  if (operation === 'Retain') {
    if (!desired) throw new UsageError('desired, desired-file options are not set');
    return desired;
  }
  if (desired && observed) throw new UsageError('you can not specify both desired-file and observed-file options');
  const object = desired ?? observed;
  if (!object) throw new UsageError('desired-file, observed-file options are not set');
  return object;
}

/** Runs an operation. Rejects with an Error whose message is for the user. as pkg/util/interpreter Rule.Run */
export async function runRule(operation: Operation, interpreter: Interpreter, args: RuleArguments): Promise<Results> {
  const object = objectFor(operation, args);
  if (!interpreter.has(gvkOf(object), operation)) throw new UsageError('rule is not enabled');
  return runs[operation](interpreter, object, args);
}
