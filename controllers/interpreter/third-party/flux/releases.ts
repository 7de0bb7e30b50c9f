/** HelmRelease and Kustomization of Flux. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { DependentReference } from '../../interface.js';
import { type FieldRule, lastNonEmptyOrBefore, lastOrBefore, sum } from '../aggregate.js';
import type { KindTable } from '../kind.js';
import { fieldAt, itemsOf, numberOf } from '../read.js';
import { referenceTo, secretInSpec, serviceAccountInSpec } from '../references.js';
import { fluxKind } from './reconciled.js';

const reasons = ['ReconciliationSucceeded'];

/** Adds the failures in all clusters to those of the template. As in Karmada, a template without the field does not get it. */
const addedFailures: FieldRule = (reports, field, before) =>
  before === undefined ? undefined : numberOf(before, `status.${field}`) + sum(reports, field);

/** A ServiceAccount is optional. */
const serviceAccount = (object: KubeObject): DependentReference[] =>
  fieldAt(object, 'spec', 'serviceAccountName') === undefined ? [] : serviceAccountInSpec(object);

/** Returns the ConfigMaps and Secrets with values of a HelmRelease. */
function valueSources(object: KubeObject): DependentReference[] {
  const references = itemsOf(fieldAt(object, 'spec', 'valuesFrom') ?? [], 'spec.valuesFrom');
  return references.flatMap(reference => {
    const kind = fieldAt(reference, 'kind');
    return kind === 'Secret' || kind === 'ConfigMap' ? [referenceTo(object, kind, fieldAt(reference, 'name'))] : [];
  });
}

export const releases: KindTable = {
  'helm.toolkit.fluxcd.io/v2beta1/HelmRelease': fluxKind({
    reasons,
    aggregated: {
      lastAttemptedRevision: lastNonEmptyOrBefore,
      lastAppliedRevision: lastNonEmptyOrBefore,
      lastAttemptedValuesChecksum: lastNonEmptyOrBefore,
      helmChart: lastNonEmptyOrBefore,
      lastReleaseRevision: lastOrBefore,
      failures: addedFailures,
      upgradeFailures: addedFailures,
      installFailures: addedFailures,
    },
    reflected: [
      'observedGeneration',
      'lastAttemptedRevision',
      'lastAppliedRevision',
      'lastAttemptedValuesChecksum',
      'helmChart',
      'lastReleaseRevision',
      'failures',
      'upgradeFailures',
      'installFailures',
    ],
    dependencies: object => [
      ...valueSources(object),
      ...secretInSpec(object, 'chart', 'spec', 'verify', 'secretRef'),
      ...secretInSpec(object, 'kubeConfig', 'secretRef'),
      ...serviceAccount(object),
    ],
  }),
  'kustomize.toolkit.fluxcd.io/v1/Kustomization': fluxKind({
    reasons,
    aggregated: { lastAttemptedRevision: lastNonEmptyOrBefore, lastAppliedRevision: lastNonEmptyOrBefore },
    reflected: ['lastAppliedRevision', 'lastAttemptedRevision', 'observedGeneration'],
    dependencies: object => [
      ...secretInSpec(object, 'decryption', 'secretRef'),
      ...secretInSpec(object, 'kubeConfig', 'secretRef'),
      ...serviceAccount(object),
    ],
  }),
};
