import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { DependentReference } from '../../interface.js';
import { PodReferences } from '../pod-references.js';
import { fieldIfAny } from '../read.js';
import { entriesIn } from '../values.js';

/** Returns what the pods of a Ray cluster need, and those with the other pod specs. */
export function rayDependencies(object: KubeObject, cluster: unknown, ...others: unknown[]): DependentReference[] {
  const groups = entriesIn(fieldIfAny(cluster, 'workerGroupSpecs') ?? [], 'workerGroupSpecs');
  const specs = [
    fieldIfAny(cluster, 'headGroupSpec', 'template', 'spec'),
    ...groups.map(([, group]) => fieldIfAny(group, 'template', 'spec')),
    ...others,
  ];
  const references = new PodReferences();
  for (const spec of specs) if (spec !== undefined) references.addPodSpec(spec);
  return references.in(object.metadata.namespace);
}
