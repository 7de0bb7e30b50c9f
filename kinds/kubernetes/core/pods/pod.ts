import type { Int64 } from '../../../../lib/json/json.js';
import type { NativeKind } from '../../native-kind.js';
import { bumpGeneration, startGeneration } from '../../../../registry/strategy/generation.js';
import {
  keepAllBut,
  keepAllButStatus,
  resetMetadata,
  keepMetadataFields,
  keepStatus,
  statusPart,
} from '../../../../registry/strategy/parts.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { Prepare } from '../../../../registry/interface.js';
import type { Pod, PodSpec } from '../../../../api/kubernetes/core.js';
import { dropDisabledFields, dropDisabledStatusFields } from '../pod-spec/disabled-fields.js';
import { fillPod } from '../pod-spec/pod-defaults.js';
import { keepObserved, startPod } from './pod-prepare.js';
import { podBinding } from './pod-binding.js';
import { podEviction } from './pod-eviction.js';
import { podPrinter } from './pod-printer.js';
import { keepAllButResources, resizeRules } from './pod-resize-rules.js';
import { ephemeralContainersRules, podChangeRules, podRules } from './pod-rules.js';
import { podStatusRules } from './pod-status-rules.js';
import { podWarnings } from '../pod-spec/pod-warnings.js';

const dropDisabled = dropDisabledFields(object => (object as Pod).spec);

/** Returns the seconds until the kubelet kills the pod; 0 if the pod is not on a node or has ended. */
// as pkg/registry/core/pod CheckGracefulDelete
function graceOf(pod: Pod, requested: Int64 | undefined): Int64 {
  const phase = pod.status?.phase;
  if (!pod.spec?.nodeName || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

export const pod: NativeKind = {
  group: '',
  kind: 'Pod',
  printer: podPrinter,
  selectableFields: {
    'spec.nodeName': object => (object as Pod).spec?.nodeName ?? '',
    // For clients from before v1. as pkg/apis/core/v1 addFieldLabelConversions
    'spec.host': object => (object as Pod).spec?.nodeName ?? '',
    'spec.restartPolicy': object => (object as Pod).spec?.restartPolicy ?? '',
    'spec.schedulerName': object => (object as Pod).spec?.schedulerName ?? '',
    'spec.serviceAccountName': object => (object as Pod).spec?.serviceAccountName ?? '',
    'spec.hostNetwork': object => String((object as Pod).spec?.hostNetwork ?? false),
    'status.phase': object => (object as Pod).status?.phase ?? '',
    'status.podIP': object => (object as Pod).status?.podIPs?.[0]?.ip ?? '',
    // The label exists, but no pod has a value for it.
    'status.podIPs': () => '',
    'status.nominatedNodeName': object => (object as Pod).status?.nominatedNodeName ?? '',
  },
  indexedFields: ['spec.nodeName'],
  defaults: draft => fillPod(draft),
  strategy: strategy({
    prepareCreate: [startGeneration, startPod, dropDisabled],
    prepareUpdate: [keepStatus, dropDisabled, bumpGeneration],
    validateCreate: podRules,
    validateUpdate: podChangeRules,
    warnings: [podWarnings],
    gracePeriod: (object, requested) => graceOf(object, requested),
    returnsDeleted: true,
    resetFields: ['status'],
    metadataRepeats: ['change', 'whole'],
  }),
  subresources: {
    status: statusPart({
      prepareUpdate: [keepAllButStatus, keepMetadataFields('ownerReferences'), keepObserved, dropDisabledStatusFields],
      validateUpdate: podStatusRules,
      resetFields: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
    }),
    binding: podBinding,
    eviction: podEviction,
    ephemeralcontainers: {
      type: 'part',
      verbs: ['get', 'patch', 'update'],
      prepareUpdate: [keepAllBut('spec'), resetMetadata, keepAllButEphemeral, dropDisabled, bumpGeneration],
      validateUpdate: ephemeralContainersRules,
      resetFields: ['status', 'metadata'],
      metadataRepeats: ['change', 'whole'],
    },
    resize: {
      type: 'part',
      verbs: ['get', 'patch', 'update'],
      prepareUpdate: [keepAllBut('spec'), resetMetadata, keepAllButResources, dropDisabled, bumpGeneration],
      validateUpdate: resizeRules,
      resetFields: ['status', 'metadata'],
      metadataRepeats: ['change', 'whole'],
    },
  },
};

function keepAllButEphemeral(...[draft, old]: Parameters<Prepare>): void {
  const pod = draft as Pod;
  const spec: PodSpec = { ...(old as Pod | undefined)?.spec };
  const added = pod.spec?.ephemeralContainers;
  delete spec.ephemeralContainers;
  if (added) spec.ephemeralContainers = added;
  pod.spec = spec;
}
