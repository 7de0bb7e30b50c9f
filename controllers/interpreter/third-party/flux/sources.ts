/** The kinds of Flux's source-controller. */
import type { KubeObject } from '../../../../apimachinery/interface.js';
import type { DependentReference } from '../../interface.js';
import { last, lastNonEmpty } from '../aggregate.js';
import type { KindTable } from '../kind.js';
import { secretInSpec, serviceAccountInSpec } from '../references.js';
import { fluxKind } from './reconciled.js';

const reasons = ['Succeeded'];
const secret = (object: KubeObject): DependentReference[] => secretInSpec(object, 'secretRef');
const verificationSecret = (object: KubeObject): DependentReference[] => secretInSpec(object, 'verify', 'secretRef');

export const sources: KindTable = {
  'source.toolkit.fluxcd.io/v1/GitRepository': fluxKind({
    reasons,
    aggregated: { artifact: last() },
    reflected: ['artifact', 'observedGeneration', 'observedIgnore', 'observedRecurseSubmodules'],
    dependencies: object => [...secret(object), ...verificationSecret(object)],
  }),
  'source.toolkit.fluxcd.io/v1beta2/Bucket': fluxKind({
    reasons,
    aggregated: { artifact: last(), url: lastNonEmpty('') },
    reflected: ['artifact', 'observedIgnore', 'observedGeneration', 'url'],
    dependencies: secret,
  }),
  'source.toolkit.fluxcd.io/v1beta2/HelmChart': fluxKind({
    reasons: [...reasons, 'ChartPullSucceeded'],
    aggregated: {
      artifact: last(),
      observedChartName: lastNonEmpty(''),
      observedSourceArtifactRevision: lastNonEmpty(''),
      url: lastNonEmpty(''),
    },
    // As in Karmada, whose script leaves observedGeneration out by mistake.
    reflected: ['artifact', 'observedChartName', 'observedSourceArtifactRevision', 'url'],
    dependencies: verificationSecret,
  }),
  'source.toolkit.fluxcd.io/v1beta2/HelmRepository': fluxKind({
    reasons,
    aggregated: { artifact: last(), url: lastNonEmpty('') },
    reflected: ['artifact', 'observedGeneration', 'url'],
    dependencies: secret,
  }),
  'source.toolkit.fluxcd.io/v1beta2/OCIRepository': fluxKind({
    reasons,
    aggregated: { artifact: last(), url: lastNonEmpty('') },
    reflected: ['artifact', 'url', 'observedGeneration', 'observedIgnore', 'observedLayerSelector'],
    dependencies: object => [
      ...secret(object),
      ...verificationSecret(object),
      ...secretInSpec(object, 'certSecretRef'),
      ...serviceAccountInSpec(object),
    ],
  }),
};
