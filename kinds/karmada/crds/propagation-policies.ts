/** Defines policy.karmada.io PropagationPolicy and ClusterPropagationPolicy. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { ageColumn, type PrinterColumn, type CustomResource, kindSchema } from './custom-resource.js';
import { labelSelector, placement } from './placement.js';
import { flag, int32, item, list, oneOf, struct, text, texts } from './schema.js';
import { conflictResolution, failover, policySuspension, preserveResourcesOnDeletion } from './shared.js';

export const resourceSelector: Schema = item(
  {
    'apiVersion!': text('The group and version of the resources: apps/v1.'),
    'kind!': text('The kind of the resources.'),
    namespace: text('The namespace of the resources. Empty: that of the policy; for a cluster-scoped policy: all.'),
    name: text('The name of one resource. Empty: all.'),
    'labelSelector?': labelSelector('Selects resources by their labels. Ignored if a name is given.'),
  },
  { typeName: 'v1alpha1.ResourceSelector' },
);

const spec = struct(
  'The resources and their placement.',
  {
    'resourceSelectors!': list('The resources that are propagated.', resourceSelector, { minItems: 1 }),
    association: flag('Deprecated: use propagateDeps.'),
    propagateDeps: flag(
      'Whether the dependencies of the resources, such as ConfigMaps and Secrets, are propagated with them.',
    ),
    'placement=': placement,
    'priority?': int32('The priority: the matching policy with the highest priority claims a resource.', {
      default: 0,
    }),
    preemption: oneOf(
      'Always: takes over resources that a policy of lower priority has claimed.',
      ['Always', 'Never'],
      {
        default: 'Never',
      },
    ),
    dependentOverrides: texts('The names of override policies that must exist before the resources are propagated.'),
    schedulerName: text('The scheduler that places the resources.', { default: 'default-scheduler' }),
    'failover?': failover,
    conflictResolution,
    activationPreference: oneOf(
      'Lazy: a change of the policy waits until the resource itself changes. Unset: it takes effect at once.',
      ['Lazy'],
    ),
    'suspension?': policySuspension,
    'preserveResourcesOnDeletion?': preserveResourcesOnDeletion,
    'schedulePriority?': struct(
      'The priority of the scheduling.',
      {
        'priorityClassSource!': oneOf(
          'The source of the priority class: KubePriorityClass is a PriorityClass of scheduling.k8s.io.',
          ['KubePriorityClass'],
        ),
        'priorityClassName!': text('The name of the priority class.'),
      },
      { typeName: 'v1alpha1.SchedulePriority' },
    ),
  },
  { typeName: 'v1alpha1.PropagationSpec' },
);

const columns: readonly PrinterColumn[] = [
  { name: 'CONFLICT-RESOLUTION', type: 'string', jsonPath: '.spec.conflictResolution' },
  { name: 'PRIORITY', type: 'string', jsonPath: '.spec.priority' },
  ageColumn('AGE'),
];

const policy = (kind: string, plural: string, shortName: string, scope: CustomResource['scope'], what: string) =>
  ({
    group: 'policy.karmada.io',
    ...{ kind, plural, shortName, scope },
    versions: [{ name: 'v1alpha1', schema: kindSchema(what, { 'spec!': spec }), columns, subresources: 'none' }],
  }) satisfies CustomResource;

export const propagationPolicy: CustomResource = policy(
  'PropagationPolicy',
  'propagationpolicies',
  'pp',
  'Namespaced',
  'Propagates resources of its namespace to member clusters.',
);

export const clusterPropagationPolicy: CustomResource = policy(
  'ClusterPropagationPolicy',
  'clusterpropagationpolicies',
  'cpp',
  'Cluster',
  'Propagates resources of any namespace, and those without one, to member clusters.',
);
