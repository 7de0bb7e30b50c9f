import type { KubeObject } from '../../apimachinery/interface.js';
import { errorText } from '../../apimachinery/errors/error-text.js';
import { gvkOf } from '../../apimachinery/meta/gvk.js';
import type { Component, ReplicaRequirements } from '../../api/karmada/types.js';
import { andThen, type Maybe } from '../../lib/maybe.js';
import { isPassing } from '../../client/runtime/failures.js';
import type { Interpreter, Operation } from '../interpreter/interface.js';
import type { TemplateFacts } from './binding.js';
import type { DetectorDeps, DetectorGates } from './interface.js';

/**
 * Returns the components of a template (gate MultiplePodTemplatesScheduling), or its replicas if its kind has no components, and reports either on
 * the template. as pkg/detector ResourceDetector.applyReplicaInterpretation
 */
export async function interpret(
  template: KubeObject,
  deps: Pick<DetectorDeps, 'interpreter' | 'gates' | 'recorder'>,
): Promise<Pick<TemplateFacts, 'replicas' | 'requirements' | 'components'>> {
  const { interpreter, gates } = deps;
  const kind = gvkOf(template);
  if (gates.MultiplePodTemplatesScheduling && interpreter.has(kind, 'InterpretComponent')) {
    const components = await reported(template, 'components', () => interpreter.components(template), deps);
    return components.length > 0 ? { components: components.map(component => gatedComponent(component, gates)) } : {};
  }
  if (!interpreter.has(kind, 'InterpretReplica')) return {};
  const { replicas, requirements } = await reported(template, 'replicas', () => interpreter.replicas(template), deps);
  const { namespace } = template.metadata;
  return { replicas, requirements: requirements && gatedRequirements(requirements, namespace, gates) };
}

/** Interprets a template, and records an Event with the result: `GetReplicasSucceed`, or `GetReplicasFailed` with the error, which is thrown. */
async function reported<T>(
  template: KubeObject,
  what: 'replicas' | 'components',
  read: () => Maybe<T>,
  { recorder }: Pick<DetectorDeps, 'recorder'>,
): Promise<T> {
  const reason = what === 'replicas' ? 'GetReplicas' : 'GetComponents';
  try {
    const result = await read();
    recorder.event(template, 'Normal', `${reason}Succeed`, `Get ${what} of resource template successfully.`);
    return result;
  } catch (error) {
    if (!isPassing(error)) recorder.event(template, 'Warning', `${reason}Failed`, errorText(error));
    throw error;
  }
}

/** Requirements whose priority class is the interpreter's own answer, and not that of a pod template. */
const answered = new WeakSet<ReplicaRequirements>();

/**
 * Returns an interpreter whose answers keep their priority class with the gate ResourceQuotaEstimate off, if `answers` holds for the object: only
 * what is read from pod templates is without it then. as pkg/util/helper GenerateReplicaRequirements
 */
export function keepingPriorityClasses(
  interpreter: Interpreter,
  answers: (object: KubeObject, operation: Operation) => boolean = () => true,
): Interpreter {
  const keep = (requirements: ReplicaRequirements | undefined): void =>
    void (requirements && answered.add(requirements));
  return {
    ...interpreter,
    replicas: object =>
      andThen(interpreter.replicas(object), found => {
        if (answers(object, 'InterpretReplica')) keep(found.requirements);
        return found;
      }),
    components: object =>
      andThen(interpreter.components(object), found => {
        if (answers(object, 'InterpretComponent'))
          for (const { replicaRequirements } of found) keep(replicaRequirements);
        return found;
      }),
  };
}

/**
 * Returns requirements with what the estimation of quotas needs, or without it.
 * as pkg/detector ResourceDetector.applyReplicaInterpretation and pkg/util/helper GenerateReplicaRequirements
 */
function gatedRequirements(
  requirements: ReplicaRequirements,
  namespace: string | undefined,
  { ResourceQuotaEstimate }: DetectorGates,
): ReplicaRequirements {
  if (ResourceQuotaEstimate)
    return requirements.namespace || !namespace ? requirements : { ...requirements, namespace };
  if (answered.has(requirements)) return requirements;
  const { priorityClassName: _, ...others } = requirements;
  return others;
}

/** Returns a component as the API has it: its requirements have no namespace. */
function gatedComponent(component: Component, { ResourceQuotaEstimate }: DetectorGates): Component {
  if (!component.replicaRequirements) return component;
  const { namespace: _, priorityClassName, ...others } = component.replicaRequirements;
  const isKept = ResourceQuotaEstimate || answered.has(component.replicaRequirements);
  const kept = isKept && priorityClassName !== undefined ? { priorityClassName } : {};
  return { ...component, replicaRequirements: { ...others, ...kept } };
}
