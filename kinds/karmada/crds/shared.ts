/** Holds schemas that several kinds share. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type Facets, flag, int32, int64, item, list, oneOf, struct, text, texts, time } from './schema.js';

/** Returns the schema of a selection of clusters by name. */
export const clusterNames = (description: string): Schema =>
  struct(description, { clusterNames: texts('The names of the clusters.') });

const statePreservation = struct(
  'The parts of the status of the failed workload that are passed to the workload that replaces it.',
  {
    'rules!': list(
      'The preserved values.',
      item({
        'aliasLabelName!': text('The label that carries the value.'),
        'jsonPath!': text('The JSONPath of the value below .status, for example {.applicationState.savepoint}.'),
      }),
    ),
  },
);

export const failover: Schema = struct(
  'The failover of applications to other clusters. Unset: applications stay.',
  {
    'application?': struct(
      'The failover of an application that stays unhealthy.',
      {
        'decisionConditions!': struct(
          'The conditions under which an application has failed.',
          {
            'tolerationSeconds?': int32(
              'The seconds for which the application may be unhealthy before it is migrated.',
              { default: 300 },
            ),
          },
          { typeName: 'v1alpha1.DecisionConditions' },
        ),
        purgeMode: oneOf(
          'The removal of the old application: at once, when the new one is healthy, or by the user.',
          ['Directly', 'Gracefully', 'Never'],
          { default: 'Gracefully' },
        ),
        'gracePeriodSeconds?': int32(
          'The maximum number of seconds for which the old application stays while the new one starts; for Gracefully.',
        ),
        'statePreservation?': statePreservation,
      },
      { typeName: 'v1alpha1.ApplicationFailoverBehavior' },
    ),
    'cluster?': struct(
      'The failover of a cluster.',
      {
        purgeMode: oneOf(
          'The removal of the resources from the cluster: at once, or when they are healthy in another one.',
          ['Directly', 'Gracefully'],
          { default: 'Gracefully' },
        ),
        'statePreservation?': statePreservation,
      },
      { typeName: 'v1alpha1.ClusterFailoverBehavior' },
    ),
  },
  { typeName: 'v1alpha1.FailoverBehavior' },
);

export const suspensionFields = {
  'dispatching?': flag('Suspends the dispatching to all clusters. Not together with dispatchingOnClusters.'),
  'dispatchingOnClusters?': clusterNames('Suspends the dispatching to these clusters.'),
};

export const policySuspension: Schema = struct('Suspends the propagation.', suspensionFields, {
  typeName: 'v1alpha1.Suspension',
});

export const conflictResolution: Schema = oneOf(
  'The resolution of a conflict with a resource that the cluster already has: Abort does not change it, Overwrite replaces it.',
  ['Abort', 'Overwrite'],
  { default: 'Abort' },
);

export const preserveResourcesOnDeletion: Schema = flag(
  'Whether the resources stay in the member clusters when they are deleted from the control plane.',
);

export const qualifiedName: Facets = {
  maxLength: 316,
  pattern:
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
};

export const reasonPattern = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

const condition = item({
  'type!': text('The type of the condition.', qualifiedName),
  'status!': oneOf('True, False or Unknown.', ['True', 'False', 'Unknown']),
  observedGeneration: int64('The generation of the object that the condition was computed from.', { minimum: 0 }),
  'lastTransitionTime!': time('The time of the last change of the status.'),
  'reason!': text('The reason of the status, as one word in CamelCase.', {
    maxLength: 1024,
    minLength: 1,
    pattern: reasonPattern,
  }),
  'message!': text('A message with details.', { maxLength: 32768 }),
});

/** Returns the schema of a list of metav1.Condition. */
export const conditions = (description: string, facets?: Facets): Schema => list(description, condition, facets);

export const byType: Facets = { 'x-kubernetes-list-map-keys': ['type'], 'x-kubernetes-list-type': 'map' };

/** Returns the schema of the health of an object in a cluster. */
export const health = (description: string): Schema => oneOf(description, ['Healthy', 'Unhealthy', 'Unknown']);

export const scaleTarget: Schema = struct('The resource that is scaled.', {
  apiVersion: text('The group and version of the resource.'),
  'kind!': text('The kind of the resource.'),
  'name!': text('The name of the resource.'),
});

/** Returns the schema of a list of clusters of which only the names are stored. */
export const nameOnly = (description: string): Schema =>
  list(description, item({ 'name!': text('The name of a cluster.') }));
