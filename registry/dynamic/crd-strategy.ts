/** The strategy of CustomResourceDefinition objects. */
import type { KubeObject } from '../../apimachinery/interface.js';
import type { InSteps } from '../../lib/time-slice.js';
import type { Prepare, ResourceDefinition, Strategy } from '../interface.js';
import { bumpGenerationAfter } from '../strategy/generation.js';
import { rulesWithStatus } from '../strategy/kinds.js';
import { keepStatus, statusPart } from '../strategy/parts.js';
import { strategy } from '../strategy/strategy.js';
import { type Spec, type CrdStatus, asDefinition, cleanupFinalizer, withCrdCondition } from './crd.js';
import { definitionEqualSteps } from './definition-equal.js';
import { formatWarnings } from './validation/format-warnings.js';
import { validateDefinition, validateDefinitionStatus } from './validation/validate.js';
import { formatTime } from '../../lib/go/time.js';

type Draft = KubeObject & { spec: Spec; status?: CrdStatus };

/** Sets the defaults of a definition in place. */
// as apiextensions-apiserver/pkg/apis/apiextensions/v1 SetDefaults_CustomResourceDefinition
export const completeDefinition: NonNullable<ResourceDefinition['defaults']> = draft => {
  const { spec, status } = draft as { spec?: DraftSpec; status?: { storedVersions?: string[] } };
  if (!spec) return;
  const { names } = spec;
  if (names) {
    names.singular ||= (names.kind ?? '').toLowerCase();
    if (!names.listKind && names.kind) names.listKind = `${names.kind}List`;
  }
  const conversion = (spec.conversion ??= { strategy: 'None' });
  // as apiextensions-apiserver/pkg/apis/apiextensions/v1 Convert_apiextensions_CustomResourceConversion_To_v1_CustomResourceConversion
  if (!conversion.webhook?.clientConfig && !conversion.webhook?.conversionReviewVersions?.length)
    delete conversion.webhook;
  const { service } = conversion.webhook?.clientConfig ?? {};
  if (service) service.port ??= 443;
  if (status && !status.storedVersions?.length) status.storedVersions = storageVersions(draft as Draft);
};

interface DraftSpec {
  names?: { singular?: string; kind?: string; listKind?: string };
  conversion?: {
    strategy: string;
    webhook?: { clientConfig?: { service?: { port?: number } }; conversionReviewVersions?: readonly string[] | null };
  };
}

function storageVersions({ spec }: Pick<Draft, 'spec'>): string[] {
  const stored = spec.versions?.find(version => version.storage);
  return stored ? [stored.name] : [];
}

/** Sets the status of a new definition: without accepted names and conditions. */
const resetStatus: Prepare = draft => {
  const stored = storageVersions(draft as Draft);
  draft.status = {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: stored.length > 0 ? stored : null,
  };
};

/** Adds the storage version to status.storedVersions, which also has the former ones. */
const addStoredVersion: Prepare = draft => {
  const stored = asDefinition(draft).status?.storedVersions ?? [];
  const added = storageVersions(draft as Draft).filter(name => !stored.includes(name));
  if (added.length > 0) draft.status = { ...(draft.status as object), storedVersions: [...stored, ...added] };
};

/** Marks a definition as terminating, with a finalizer until its objects have been removed. */
const beginCleanup: NonNullable<Strategy['terminate']> = (draft, _old, { now }) => {
  const finalizers = draft.metadata.finalizers ?? [];
  if (!finalizers.includes(cleanupFinalizer)) draft.metadata.finalizers = [...finalizers, cleanupFinalizer];
  const pending = {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  } as const;
  const { status } = asDefinition(draft);
  draft.status = { ...status, conditions: withCrdCondition(status?.conditions, pending, formatTime(now)) };
};

function* specChanged(draft: KubeObject, old: KubeObject): InSteps<boolean> {
  return !(yield* definitionEqualSteps(draft['spec'], old['spec']));
}

export const definitionStrategy: Strategy = strategy(rulesWithStatus, {
  unconditionalUpdate: false,
  plainFinalizers: 'allow',
  prepareCreate: [...rulesWithStatus.prepareCreate, resetStatus],
  prepareUpdate: [keepStatus, bumpGenerationAfter(specChanged), addStoredVersion],
  validateLong: validateDefinition,
  warnings: [formatWarnings],
  terminate: beginCleanup,
});

/** The rules of `/status` of a definition. As upstream, probably by accident, it updates metadata, too. */
export const definitionStatus = statusPart({ validateUpdate: [validateDefinitionStatus] });
