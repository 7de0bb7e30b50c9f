// as pkg/apis/scheduling/validation ValidatePriorityClass, ValidatePriorityClassUpdate
import type { Validate } from '../../../registry/interface.js';
import { immutable } from '../../shared/rules/immutable.js';
import { validate, validateChange } from '../../shared/rules/validate.js';
import type { PriorityClass } from '../../../api/kubernetes/scheduling.js';

const highest = 1_000_000_000;
export const systemClasses: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2 * highest + 1000],
  ['system-cluster-critical', 2 * highest],
]);
const preemptions = ['PreemptLowerPriority', 'Never'];

/** Returns why it is not one of the classes that the system creates. */
function systemError({ metadata, value = 0, globalDefault = false }: PriorityClass): string | undefined {
  const { name = '' } = metadata;
  const wanted = systemClasses.get(name);
  if (wanted === undefined) return `${name} is not a known system priority class`;
  if (wanted !== value) return `value of ${name} PriorityClass must be ${wanted}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export const priorityClassRules: readonly Validate[] = [
  validate<PriorityClass>(priorityClass => {
    const name = priorityClass.at('metadata').at('name');
    if (name.value?.startsWith('system-')) {
      const error = priorityClass.value && systemError(priorityClass.value);
      if (error !== undefined)
        name.forbidden(`priority class names with 'system-' prefix are reserved for system use only. error: ${error}`);
    } else if ((priorityClass.value?.value ?? 0) > highest)
      priorityClass.at('value').forbidden(`maximum allowed value of a user defined priority is ${highest}`);
    const policy = priorityClass.at('preemptionPolicy');
    if (policy.value === '') policy.required();
    else if (policy.isSet && !preemptions.includes(policy.value ?? '')) policy.notSupported(preemptions);
  }),
];

export const priorityClassChangeRules: readonly Validate[] = [
  validateChange<PriorityClass>((priorityClass, old) => {
    if ((priorityClass.value?.value ?? 0) !== (old.value ?? 0))
      priorityClass.at('value').forbidden('may not be changed in an update.');
    immutable(priorityClass.at('preemptionPolicy'), old.preemptionPolicy);
  }),
];
