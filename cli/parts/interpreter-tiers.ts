import type { KubeObject } from '../../apimachinery/interface.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import { kindKey, type Rules } from '../../controllers/interpreter/customized/rules.js';
import type { Interpreter, Operation } from '../../controllers/interpreter/interface.js';
import { nativeInterpreter } from '../../controllers/interpreter/native/native.js';
import { thirdPartyInterpreter } from '../../controllers/interpreter/third-party/third-party.js';
import { tieredInterpreter } from '../../controllers/interpreter/tiers.js';
import { keepingPriorityClasses } from '../../controllers/policy/interpret.js';

/** The function of the `kube` library with which scripts read the requirements of a pod template. */
const templateReader = 'accuratePodRequirements';

/** The groups of third-party kinds whose priority class is read from fields of their own, and not from a pod template. */
const groupsWithOwnFields: ReadonlySet<string> = new Set(['flink.apache.org', 'sparkoperator.k8s.io']);

/**
 * Returns the interpreter of all kinds. The first tier that knows a kind answers.
 * differs: a script that reads a pod template and sets the priority class itself loses it with the gate ResourceQuotaEstimate off.
 */
export function interpreterTiers(customized: Interpreter, rules: () => Rules, webhooks: Interpreter): Interpreter {
  const readsNoTemplate = ({ apiVersion, kind }: KubeObject, operation: Operation): boolean =>
    (rules().get(kindKey(apiVersion, kind))?.get(operation) ?? []).every(({ text }) => !text.includes(templateReader));
  return tieredInterpreter([
    keepingPriorityClasses(customized, readsNoTemplate),
    keepingPriorityClasses(webhooks),
    keepingPriorityClasses(thirdPartyInterpreter, object => groupsWithOwnFields.has(gvkOf(object).group)),
    nativeInterpreter,
  ]);
}
