/** Tracks who owns which fields: managedFields of every write. */
import type { KubeObject, ManagedFieldsEntry } from '../../apimachinery/interface.js';
import { deepEqual, semanticEqual } from '../../lib/json/equality.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import type { Maybe } from '../../lib/maybe.js';
import { type Applied, apply, applyAsync } from '../../apimachinery/patch/apply.js';
import { sameButTimes } from '../../apimachinery/patch/managed-fields.js';
import { type TrackUpdate, trackUpdate, trackUpdateAsync } from '../../apimachinery/patch/update.js';
import type { Convert, ConvertAsync, Pause, Versioned } from '../../apimachinery/patch/versions.js';
import type { ResetPath, ResourceDefinition, VersionDefinition } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import type { Parts } from './context.js';
import { requestedApiVersion } from './stored/api-versions.js';
import type { RequestScope } from './interface.js';

/** The draft with the fields that this call changed owned by its manager, in place. Both are of the version of the call. */
export function ownUpdate(
  parts: Parts,
  call: RequestScope,
  live: KubeObject | undefined,
  draft: KubeObject,
  pause?: Pause,
): Maybe<KubeObject> {
  const input = trackedUpdate(parts, call, live, draft, pause);
  if (!isWebhook(call) && !pause) return withManagedFields(draft, trackUpdate(input, converted(call)));
  const tracked = trackUpdateAsync(input, convertedOnce(call));
  return tracked.then(entries => withManagedFields(draft, entries));
}

/** The applied object merged into the live one: not yet decoded or defaulted. */
export async function ownApply(
  parts: Parts,
  call: RequestScope,
  live: KubeObject | undefined,
  applied: KubeObject,
  force: boolean,
  pause?: Pause,
): Promise<Applied> {
  const input = { ...trackedUpdate(parts, call, live, applied, pause), applied, force };
  if (isWebhook(call) || pause) return applyAsync(input, convertedOnce(call));
  return apply(input, converted(call));
}

export function withManagedFields(draft: KubeObject, entries: ManagedFieldsEntry[] | undefined): KubeObject {
  if (entries === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = entries;
  return draft;
}

/** When nothing but the times of managedFields changed, they did not change either; in place. */
// as apimachinery/pkg/util/managedfields IgnoreManagedFieldsTimestampsTransformer
export function keepManagedFieldsTimes({ wire }: ResourceDefinition, draft: KubeObject, old: KubeObject): void {
  const { managedFields } = draft.metadata;
  const before = old.metadata.managedFields;
  if (before === undefined || managedFields === before || !sameButTimes(managedFields, before)) return;
  // Of plain JSON an empty object is something.
  const equal = wire.keys === 'sorted' ? deepEqual : semanticEqual;
  const same = equal({ ...draft, metadata: { ...draft.metadata, managedFields: before } }, old);
  if (same) draft.metadata.managedFields = before;
}

// hot: field by field, for a spread is slow
function trackedUpdate(
  parts: Parts,
  call: RequestScope,
  live: KubeObject | undefined,
  next: KubeObject,
  pause: Pause | undefined,
): TrackUpdate {
  return {
    live,
    next,
    schema: call.version.schema,
    version: requestedApiVersion(call),
    manager: call.fieldManager,
    subresource: call.subresource,
    resetFields: resetFieldsOf(call),
    now: new Date(parts.now()),
    pause,
  };
}

function resetFieldsOf(call: RequestScope): readonly ResetPath[] | undefined {
  if (call.subresource === '') return call.version.resetFields ?? call.definition.strategy.resetFields;
  const part = subresourceOf(call);
  return part?.type === 'part' ? part.resetFields : undefined;
}

/** Does conversion between the versions have to be waited for? */
const isWebhook = ({ definition }: RequestScope): boolean =>
  definition.convert !== undefined && definition.wire.keys === 'sorted';

function versionOf({ definition }: RequestScope, apiVersion: string): VersionDefinition | undefined {
  const { group } = definition;
  return definition.versions.find(v => v.served && apiVersionOf({ group, version: v.name }) === apiVersion);
}

const converted =
  (call: RequestScope): Convert =>
  (object, apiVersion) => {
    const version = versionOf(call, apiVersion);
    if (!version) return undefined;
    const found = call.definition.convert?.(object, version.name) ?? { ...object, apiVersion };
    if (found instanceof Promise) throw new Error('a built-in kind is converted at once');
    return { object: found, schema: version.schema };
  };

function convertedOnce(call: RequestScope): ConvertAsync {
  if (isWebhook(call)) return (object, version) => convertedLater(call, object, version);
  const convert = converted(call);
  return (object, version) => Promise.resolve(convert(object, version));
}

async function convertedLater(
  call: RequestScope,
  object: KubeObject,
  apiVersion: string,
): Promise<Versioned | undefined> {
  const version = versionOf(call, apiVersion);
  if (!version) return undefined;
  return { object: (await call.definition.convert?.(object, version.name)) ?? object, schema: version.schema };
}
