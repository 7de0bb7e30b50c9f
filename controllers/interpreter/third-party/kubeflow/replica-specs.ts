/** Jobs of Kubeflow have one pod template and a number of replicas for each role. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { DependentReference } from '../../interface.js';
import { templateDependencies, templateRequirements } from '../pod-template.js';
import { fieldAt, fieldIfAny } from '../read.js';
import type { ComponentValues } from '../replica-result.js';
import { toNumber } from '../values.js';

/** Returns a component for the role. Without a template, it requires nothing. */
export function roleComponent(name: string, spec: unknown, defaultReplicas: number): ComponentValues {
  const template = fieldAt(spec, 'template');
  return {
    name,
    replicas: toNumber(fieldAt(spec, 'replicas')) ?? defaultReplicas,
    replicaRequirements: template === undefined ? undefined : templateRequirements(template),
  };
}

/** Returns what the pods of the roles need. `field` of the object's spec has the roles. */
export const roleDependencies = (object: KubeObject, field: string, roles: readonly string[]): DependentReference[] =>
  roles.flatMap(role => {
    const template = fieldIfAny(object, 'spec', field, role, 'template');
    return template === undefined ? [] : templateDependencies(template, object.metadata.namespace);
  });
