/** The scale subresource: the replicas of an object, read and written as an autoscaling/v1 Scale. */
import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import { cloneJson, setKey } from '../../lib/json/clone.js';
import { cloneSteps } from '../../lib/json/clone-steps.js';
import { invalidValue } from '../../apimachinery/errors/faults.js';
import { apiVersionOf } from '../../apimachinery/meta/gvk.js';
import { type LabelSelector, selectorOf, selectorOfLabels } from '../../apimachinery/selectors/label-selectors.js';
import { internal, invalid, notFound } from '../../apimachinery/errors/status.js';
import { apply, applyAsync, checkApplied } from '../../apimachinery/patch/apply.js';
import type { ConvertAsync, Pause } from '../../apimachinery/patch/patch-steps.js';
import { type ReplicasPaths, fromScaleSteps, scaleVersion, toScaleSteps } from '../../apimachinery/patch/scale.js';
import { trackUpdate, trackUpdateAsync } from '../../apimachinery/patch/update.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { Patch } from '../../client/interface.js';
import { type Maybe, andThen } from '../../lib/maybe.js';
import type { Subresource } from '../interface.js';
import { subresourceOf } from '../subresources.js';
import { checkName, settleNamespace } from './conform.js';
import type { PipelineDeps } from './context.js';
import type { PatchTarget } from './decode-patched.js';
import { restoreAppliedSteps } from './decode.js';
import { mutate } from './finish.js';
import type { RequestScope, PatchParameters, WriteParameters } from './interface.js';
import { type Modified, modify } from './modify.js';
import { withManagedFields } from './ownership.js';
import { patchAndDecode } from './patch.js';
import { stepsOf } from './pause.js';
import { loadedObject } from './stored/loaded.js';
import { groupResourceOf } from '../group-resource.js';

type ScalePart = Extract<Subresource, { type: 'scale' }>;
type Plain = Record<string, unknown>;

const scaleKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** Returns the scale subresource that a request names; undefined if it names another one, or the object itself. */
export function scalePartOf(call: RequestScope): ScalePart | undefined {
  const part = subresourceOf(call);
  return part?.type === 'scale' ? part : undefined;
}

const fieldsOf = (path: string): string[] => path.replace(/^\./, '').split('.');

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const field of fieldsOf(path)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
    value = (value as Plain)[field];
  }
  return value;
}

function setAt(object: Plain, path: string, value: unknown): void {
  const fields = fieldsOf(path);
  const last = fields.pop() ?? '';
  let at = object;
  for (const field of fields) {
    // Inherited properties (`__proto__`, `constructor`) count as absent.
    if (at[field] == null || !Object.hasOwn(at, field)) setKey(at, field, {});
    at = at[field] as Plain;
  }
  setKey(at, last, value);
}

/** Returns the selector at a path as text. The value is a string, labels, or a label selector. */
function selectorText(object: KubeObject, path: string): string {
  const found = valueAt(object, path);
  if (typeof found === 'string') return found;
  if (typeof found !== 'object' || found === null) return '';
  const isSelector = 'matchLabels' in found || 'matchExpressions' in found;
  return (
    isSelector ? selectorOf(found as LabelSelector) : selectorOfLabels(found as Record<string, string>)
  ).toString();
}

/** Returns the Scale of an object. Throws 500 for a custom resource without spec replicas. */
export function scaleOf(call: RequestScope, part: ScalePart, object: KubeObject): KubeObject {
  const replicas = valueAt(object, part.specReplicas);
  if (replicas === undefined && call.definition.wire.keys === 'sorted')
    throw internal(`the spec replicas field ${JSON.stringify(part.specReplicas)} does not exist`);
  return viewOf(part, object);
}

function viewOf(part: ScalePart, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, part.specReplicas);
  const selector = part.selector === undefined ? '' : selectorText(object, part.selector);
  return {
    kind: 'Scale',
    apiVersion: scaleVersion,
    metadata: {
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(uid && { uid }),
      ...(resourceVersion && { resourceVersion }),
      ...(creationTimestamp && { creationTimestamp }),
    },
    spec: replicas ? { replicas } : {},
    status: { replicas: valueAt(object, part.statusReplicas) ?? 0, ...(selector && { selector }) },
  };
}

let schema: Schema | undefined;

function scaleSchema(): Schema {
  schema ??= nativeSchemaFor(scaleKind);
  if (!schema) throw new Error('no schema for autoscaling/v1 Scale');
  return schema;
}

/** Returns the paths of the spec replicas by apiVersion. */
function replicasPaths({ definition, subresource }: RequestScope): ReplicasPaths {
  const { group } = definition;
  const paths = definition.versions.flatMap(version => {
    const part = subresourceOf({ definition, version, subresource });
    return part?.type === 'scale' ? [[apiVersionOf({ group, version: version.name }), part.specReplicas]] : [];
  });
  return Object.fromEntries(paths) as ReplicasPaths;
}

/** Returns the Scale that a request makes of the current one, both with their managedFields. */
type Next = (scale: KubeObject, pause: Pause | undefined) => Maybe<KubeObject>;

async function change(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  next: Next,
  write: WriteParameters,
): Promise<Modified> {
  const part = scalePartOf(call);
  if (!part) throw new Error(`${call.definition.plural} has no scale`);
  const paths = replicasPaths(call);
  const modified = await modify(
    deps,
    call,
    name,
    {
      creates: false,
      admissionView: object => viewOf(part, object),
      async build(live, pause) {
        if (!live) throw notFound(groupResourceOf(call), name);
        const view = viewOf(part, live);
        const { managedFields } = live.metadata;
        const before = await stepsOf(call, toScaleSteps(managedFields, paths));
        const scale = await next(withManagedFields(cloneJson(view), before), pause);
        settleNamespace(call, scale.metadata);
        checkName(scale.metadata, name);
        await mutate(deps, call, { name, object: scale, old: view }, write);
        const after = fromScaleSteps(managedFields, scale.metadata.managedFields, live.apiVersion, paths);
        const entries = await stepsOf(call, after);
        return withManagedFields(scaled(part, await stepsOf(call, cloneSteps(live)), scale), entries);
      },
    },
    write,
  );
  const { answer, created } = modified;
  const object = await ('stored' in answer ? loadedObject(answer.stored) : answer.object);
  return { answer: { object: viewOf(part, object) }, created };
}

/** Sets the replicas of the Scale in the draft, and its resourceVersion and uid if it has them. Throws 422 for negative replicas. */
function scaled(part: ScalePart, draft: KubeObject, scale: KubeObject): KubeObject {
  const replicas = (scale.spec as { replicas?: number } | undefined)?.replicas ?? 0;
  if (replicas < 0) {
    const fault = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid(scaleKind, scale.metadata.name ?? '', [fault]);
  }
  setAt(draft, part.specReplicas, replicas);
  if (scale.metadata.resourceVersion) draft.metadata.resourceVersion = scale.metadata.resourceVersion;
  if (scale.metadata.uid) draft.metadata.uid = scale.metadata.uid;
  return draft;
}

const tracking = (deps: PipelineDeps, call: RequestScope) => ({
  schema: scaleSchema(),
  version: scaleVersion,
  manager: call.fieldManager,
  subresource: call.subresource,
  now: new Date(deps.now()),
});

/** A Scale has one version. */
const noConversion: ConvertAsync = () => Promise.resolve(undefined);

/** Sets the managedFields of the new Scale in place. */
function owned(
  deps: PipelineDeps,
  call: RequestScope,
  live: KubeObject,
  scale: KubeObject,
  pause: Pause | undefined,
): Maybe<KubeObject> {
  const input = { ...tracking(deps, call), live, next: scale, pause };
  const entries = pause ? trackUpdateAsync(input, noConversion) : trackUpdate(input);
  return andThen(entries, entries => withManagedFields(scale, entries));
}

/** Handles the PUT of a Scale. */
export function updateScale(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  body: KubeObject,
  write: WriteParameters,
): Promise<Modified> {
  const next: Next = (live, pause) =>
    andThen(stepsOf(call, cloneSteps(body)), scale => owned(deps, call, live, scale, pause));
  return change(deps, call, name, next, write);
}

/** Handles the PATCH of a Scale. */
export function patchScale(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  body: Patch,
  write: PatchParameters,
): Promise<Modified> {
  if (body.type === 'apply') return applyScale(deps, call, name, body, write);
  const target: PatchTarget = {
    ...scaleKind,
    apiVersion: scaleVersion,
    schema: scaleSchema(),
    keys: 'declared',
    convert: scale => ({ ...scale, apiVersion: scaleVersion }),
    warn: text => call.warn(text),
  };
  const next: Next = (live, pause) =>
    andThen(stepsOf(call, patchAndDecode(target, live, body, write)), ({ object }) =>
      owned(deps, call, live, object, pause),
    );
  return change(deps, call, name, next, write);
}

function applyScale(
  deps: PipelineDeps,
  call: RequestScope,
  name: string,
  { patch, force = false, validationError }: Extract<Patch, { type: 'apply' }>,
  write: WriteParameters,
): Promise<Modified> {
  const applied = patch as KubeObject;
  checkApplied(applied, scaleKind);
  const next: Next = async (live, pause) => {
    const input = { ...tracking(deps, call), live, applied, force, pause };
    const { object, managedFields } = pause ? await applyAsync(input, noConversion) : apply(input);
    if (validationError) throw validationError;
    const scale = await stepsOf(call, restoreAppliedSteps(object, applied, scaleSchema()));
    return withManagedFields(scale, managedFields);
  };
  return change(deps, call, name, next, write);
}
