import type { KubeObject } from '../../../apimachinery/interface.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import {
  controllerUidLabel,
  jobNameLabel,
  revisionAnnotation,
  serviceAccountTokenSecret,
  serviceAccountUidAnnotation,
} from '../../../api/kubernetes/well-known.js';

type Fields = Record<string, unknown>;
const fields = (value: unknown): Fields | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : undefined;

/** Fields that the API server fills in, or that belong only to the control plane's object. */
const ownMetadata = [
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
  'ownerReferences',
  'finalizers',
] as const;

const jobSelectorLabels = ['controller-uid', controllerUidLabel];
const jobTemplateLabels = [...jobSelectorLabels, 'job-name', jobNameLabel];

const byKind: Readonly<Record<string, (draft: KubeObject) => void>> = {
  Deployment({ metadata: { annotations } }) {
    for (const key of [revisionAnnotation, 'deployment.kubernetes.io/revision-history'])
      if (annotations) delete annotations[key];
  },
  Job(draft) {
    const spec = fields(draft['spec']);
    if (!spec) return;
    // A TTL controller in the member would delete the job and conflict with Karmada (karmada issue 2197).
    delete spec['ttlSecondsAfterFinished'];
    if (spec['manualSelector']) return;
    const selector = fields(fields(spec['selector'])?.['matchLabels']);
    for (const key of jobSelectorLabels) if (selector) delete selector[key];
    const template = fields(fields(fields(spec['template'])?.['metadata'])?.['labels']);
    for (const key of jobTemplateLabels) if (template) delete template[key];
  },
  Secret(draft) {
    if (draft['type'] !== serviceAccountTokenSecret) return;
    if (draft.metadata.annotations) delete draft.metadata.annotations[serviceAccountUidAnnotation];
    draft['data'] = null;
  },
  ServiceAccount(draft) {
    const secrets = draft['secrets'];
    if (!Array.isArray(secrets) || secrets.length === 0) return;
    const generated = `${draft.metadata.name}-token-`;
    draft['secrets'] = secrets.filter(secret => !String(fields(secret)?.['name'] ?? '').startsWith(generated));
  },
  Service(draft) {
    const spec = fields(draft['spec']);
    if (!spec || spec['clusterIP'] === undefined || spec['clusterIP'] === 'None') return;
    delete spec['clusterIP'];
    delete spec['clusterIPs'];
  },
  PersistentVolumeClaim({ metadata: { annotations } }) {
    if (annotations) delete annotations['volume.kubernetes.io/selected-node'];
  },
};

/**
 * Removes from a draft all fields that must not, or cannot, be sent to a member. as pkg/resourceinterpreter/default/native/prune
 * RemoveIrrelevantFields
 */
export function pruneManifest(draft: KubeObject): void {
  const metadata: Partial<Record<(typeof ownMetadata)[number], unknown>> = draft.metadata;
  for (const field of ownMetadata) delete metadata[field];
  delete draft['status'];
  ownValue(byKind, draft.kind)?.(draft);
}
