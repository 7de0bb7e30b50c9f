/** Tracks the ownership of fields: the managedFields of every write. */
import type { KubeObject, ManagedFieldsEntry } from '../../apimachinery/interface.js';
import { deepEqualSteps, semanticEqualSteps } from '../../lib/json/equality-steps.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import { type Applied, apply, applyAsync } from '../../apimachinery/patch/apply.js';
import { sameButTimes } from '../../apimachinery/patch/managed-fields.js';
import { type TrackUpdate, trackUpdate, trackUpdateAsync } from '../../apimachinery/patch/update.js';
import type { Convert, ConvertAsync, Pause, Versioned } from '../../apimachinery/patch/patch-steps.js';
import type { ResetPath, VersionDefinition } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import type { PipelineDeps } from './context.js';
import { requestedApiVersion } from './stored/api-versions.js';
import type { RequestScope } from './interface.js';
import { stepsOf } from './pause.js';

/** Sets managedFields of the draft in place: the manager owns the fields that the request changes. Both objects have the requested version. */
export function ownUpdate(
  deps: PipelineDeps,
  call: RequestScope,
  live: KubeObject | undefined,
  draft: KubeObject,
  pause?: Pause,
): Maybe<KubeObject> {
  const input = trackedUpdate(deps, call, live, draft, pause);
  if (!isWebhook(call) && !pause) return withManagedFields(draft, trackUpdate(input, converter(call)));
  const tracked = trackUpdateAsync(input, asyncConverter(call));
  return tracked.then(entries => withManagedFields(draft, entries));
}

/** The applied configuration. */
interface Configuration {
  readonly applied: KubeObject;
  /** Takes fields of other managers. */
  readonly force: boolean;
}

/** Returns the applied configuration merged into the live object, not decoded, and without defaults. Throws 409 for conflicts. */
export async function ownApply(
  deps: PipelineDeps,
  call: RequestScope,
  live: KubeObject | undefined,
  configuration: Configuration,
  pause?: Pause,
): Promise<Applied> {
  const input = Object.assign(trackedUpdate(deps, call, live, configuration.applied, pause), configuration);
  if (isWebhook(call) || pause) return applyAsync(input, asyncConverter(call));
  return apply(input, converter(call));
}

/** Sets the managed fields in place, or removes them if there are none. Returns the same object. */
export function withManagedFields(draft: KubeObject, entries: ManagedFieldsEntry[] | undefined): KubeObject {
  if (entries === undefined) delete draft.metadata.managedFields;
  else draft.metadata.managedFields = entries;
  return draft;
}

/** Restores the stored managedFields, in place, if only their times have changed. */
// as apimachinery/pkg/util/managedfields IgnoreManagedFieldsTimestampsTransformer
export function keepManagedFieldsTimes(
  call: Pick<RequestScope, 'definition' | 'bodyBytes'>,
  draft: KubeObject,
  old: KubeObject,
): Maybe<void> {
  const { managedFields } = draft.metadata;
  const before = old.metadata.managedFields;
  if (before === undefined || managedFields === before || !sameButTimes(managedFields, before)) return undefined;
  const next = { ...draft, metadata: { ...draft.metadata, managedFields: before } };
  // In custom resources an empty object differs from an absent one.
  const steps = call.definition.wire.keys === 'sorted' ? deepEqualSteps(next, old) : semanticEqualSteps(next, old);
  return andThen(stepsOf(call, steps), isSame => {
    if (isSame) draft.metadata.managedFields = before;
  });
}

// hot: created field by field, since a spread is slow
function trackedUpdate(
  deps: PipelineDeps,
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
    now: new Date(deps.now()),
    pause,
  };
}

function resetFieldsOf(call: RequestScope): readonly ResetPath[] | undefined {
  if (call.subresource === '') return call.version.resetFields ?? call.definition.strategy.resetFields;
  const part = subresourceOf(call);
  return part?.type === 'part' ? part.resetFields : undefined;
}

/** Reports whether a webhook converts between the versions, so that conversion is asynchronous. */
const isWebhook = ({ definition }: RequestScope): boolean =>
  definition.convert !== undefined && definition.wire.keys === 'sorted';

function versionOf({ definition }: RequestScope, apiVersion: string): VersionDefinition | undefined {
  const { group } = definition;
  return definition.versions.find(v => v.served && apiVersionOf({ group, version: v.name }) === apiVersion);
}

const converter =
  (call: RequestScope): Convert =>
  (object, apiVersion) => {
    const version = versionOf(call, apiVersion);
    if (!version) return undefined;
    const found = call.definition.convert?.(object, version.name) ?? { ...object, apiVersion };
    if (found instanceof Promise) throw new Error('a built-in kind is converted at once');
    return { object: found, schema: version.schema };
  };

function asyncConverter(call: RequestScope): ConvertAsync {
  if (isWebhook(call)) return (object, version) => convertByWebhook(call, object, version);
  const convert = converter(call);
  return (object, version) => Promise.resolve(convert(object, version));
}

async function convertByWebhook(
  call: RequestScope,
  object: KubeObject,
  apiVersion: string,
): Promise<Versioned | undefined> {
  const version = versionOf(call, apiVersion);
  if (!version) return undefined;
  return { object: (await call.definition.convert?.(object, version.name)) ?? object, schema: version.schema };
}
