/** Holds schemas that several kinds share. */
import type { Schema } from '../../../apimachinery/codec/interface.js';
import { type Facets, flag, int32, int64, item, list, oneOf, struct, text, texts, time } from './schema.js';

export const clusterNames = (description: string): Schema =>
  struct(description, { clusterNames: texts('The names of the clusters.') });

const statePreservation = struct(
  'What is carried over from the status of the workload that fails to the one that takes its place.',
  {
    'rules!': list(
      'What is carried over.',
      item({
        'aliasLabelName!': text('The label that carries the value.'),
        'jsonPath!': text('Where the value stands, from .status on: {.applicationState.savepoint}.'),
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
          'When the old application is removed: at once, when the new one is healthy, or by hand.',
          ['Directly', 'Gracefully', 'Never'],
          { default: 'Gracefully' },
        ),
        'gracePeriodSeconds?': int32('How long the old application stays while the new one starts; for Gracefully.'),
        'statePreservation?': statePreservation,
      },
      { typeName: 'v1alpha1.ApplicationFailoverBehavior' },
    ),
    'cluster?': struct(
      'When the cluster fails.',
      {
        purgeMode: oneOf(
          'When the resources are removed from it: at once, or when they are healthy elsewhere.',
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
  'dispatching?': flag('Nothing is sent to any cluster. Not together with dispatchingOnClusters.'),
  'dispatchingOnClusters?': clusterNames('Nothing is sent to these clusters.'),
};

export const policySuspension: Schema = struct('Holds back what would be propagated.', suspensionFields, {
  typeName: 'v1alpha1.Suspension',
});

export const conflictResolution: Schema = oneOf(
  'What happens when a cluster has the resource already: Abort leaves it alone, Overwrite takes it over.',
  ['Abort', 'Overwrite'],
  { default: 'Abort' },
);

export const preserveResourcesOnDeletion: Schema = flag(
  'The resources stay in the clusters when they are deleted here.',
);

export const qualifiedName: Facets = {
  maxLength: 316,
  pattern:
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
};

export const reasonPattern = '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$';

const condition = item({
  'type!': text('What the condition says something about.', qualifiedName),
  'status!': oneOf('True, False or Unknown.', ['True', 'False', 'Unknown']),
  observedGeneration: int64('The generation of the object that was looked at.', { minimum: 0 }),
  'lastTransitionTime!': time('When the status last changed.'),
  'reason!': text('Why the status is what it is, as one word in CamelCase.', {
    maxLength: 1024,
    minLength: 1,
    pattern: reasonPattern,
  }),
  'message!': text('Details for people.', { maxLength: 32768 }),
});

export const conditions = (description: string, facets?: Facets): Schema => list(description, condition, facets);

export const byType: Facets = { 'x-kubernetes-list-map-keys': ['type'], 'x-kubernetes-list-type': 'map' };

export const health = (description: string): Schema => oneOf(description, ['Healthy', 'Unhealthy', 'Unknown']);

export const scaleTarget: Schema = struct('What is scaled.', {
  apiVersion: text('Its group and version.'),
  'kind!': text('Its kind.'),
  'name!': text('Its name.'),
});

export const nameOnly = (description: string): Schema =>
  list(description, item({ 'name!': text('The name of a cluster.') }));
