import type { JsonObject, KubeObject } from '../../../../apimachinery/interface.js';
import { secretSources } from '../../native/dependencies.js';
import { healthyIf } from '../health.js';
import type { KindInterpreter, KindTable } from '../kind.js';
import { PodReferences } from '../pod-references.js';
import { templateRequirements } from '../pod-template.js';
import { mapOf, fieldAt, fieldIfAny } from '../read.js';
import { replicasFrom } from '../replica-result.js';
import { entriesIn, isBlank } from '../values.js';

const specOf = (object: KubeObject): JsonObject => mapOf(fieldAt(object, 'spec'), 'spec');

/** In a Workflow the volume source `secret` is read as an object reference, as in Karmada, though its field for the name is `secretName`. */
const workflowSecretSources = { ...secretSources, secret: ['name'] };

/** Interprets an Argo Workflow: its replicas are the pods that may run at the same time. */
const workflow: KindInterpreter = {
  replicas: object => {
    const affinity = fieldAt(object, 'spec', 'affinity');
    const nodeSelector = fieldAt(object, 'spec', 'nodeSelector');
    const tolerations = fieldAt(object, 'spec', 'tolerations');
    const requirements = templateRequirements({ spec: { affinity, nodeSelector, tolerations } });
    return replicasFrom(fieldAt(object, 'spec', 'parallelism') ?? 1, requirements);
  },
  reviseReplica: (object, replicas) => ({ ...object, spec: { ...specOf(object), parallelism: replicas } }),
  retain: (desired, observed) => {
    const suspend = fieldAt(observed, 'spec', 'suspend');
    const status = fieldAt(observed, 'status');
    return {
      ...desired,
      ...(suspend !== undefined && { spec: { ...specOf(desired), suspend } }),
      ...(status !== undefined && { status }),
    };
  },
  dependencies: object => {
    const references = new PodReferences(workflowSecretSources);
    references.addPodFields(fieldAt(object, 'spec'));
    references.addServiceAccount(fieldIfAny(object, 'spec', 'executor', 'serviceAccountName'));
    const claims = fieldAt(object, 'spec', 'volumeClaimTemplates') ?? [];
    for (const [, claim] of entriesIn(claims, 'volumeClaimTemplates'))
      references.addClaim(fieldAt(claim, 'metadata', 'name'));
    return references.in(object.metadata.namespace);
  },
  health: healthyIf(object => {
    const phase = fieldIfAny(object, 'status', 'phase');
    return !isBlank(phase) && phase !== 'Error' && phase !== 'Failed';
  }),
};

export const argo: KindTable = { 'argoproj.io/v1alpha1/Workflow': workflow };
