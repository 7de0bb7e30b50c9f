/** Replays recorded requests with the tracking and apply functions. The recorded answers replace decoding, defaults and admission. */
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../apimachinery/interface.js';
import { StatusError } from '../../../apimachinery/errors/status.js';
import { atOnce } from '../../../lib/time-slice.js';
import { apply, checkApplied } from '../../../apimachinery/patch/apply.js';
import { applyMergePatch } from '../../../apimachinery/patch/merge-patch.js';
import { fromScaleSteps, scaleVersion, toScaleSteps } from '../../../apimachinery/patch/scale.js';
import { trackUpdate } from '../../../apimachinery/patch/update.js';
import type { Schema } from '../../../apimachinery/codec/interface.js';
import type { Step } from './corpus.js';
import { frozen } from './support.js';

const now = new Date('2026-01-02T03:04:05Z');
const written = '2026-01-02T03:04:05Z';

/** Returns entries with masked times, as in the recordings. */
export function masked(entries: readonly ManagedFieldsEntry[] | undefined): unknown {
  const all = (entries ?? []).map(({ time, ...entry }) => (time === undefined ? entry : { ...entry, time: '{time}' }));
  return all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function unmasked(object: KubeObject): KubeObject {
  const managedFields = object.metadata.managedFields?.map(entry => (entry.time ? { ...entry, time: written } : entry));
  return { ...object, metadata: { ...object.metadata, ...(managedFields && { managedFields }) } };
}

export function kindOf(object: KubeObject): { readonly schema: Schema; readonly version: string } {
  const [a = '', b] = object.apiVersion.split('/');
  const gvk = { group: b === undefined ? '' : a, version: b ?? a, kind: object.kind };
  const schema = nativeSchemaFor(gvk);
  if (!schema) throw new Error(`no schema for ${object.apiVersion} ${object.kind}`);
  return { schema, version: object.apiVersion };
}

interface Answer {
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
  readonly object?: JsonObject;
  readonly error?: StatusError;
}

function without(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns the object after a step whose answer was not recorded. */
function unanswered(live: KubeObject | undefined, step: Step): KubeObject | undefined {
  if (step.do.startsWith('POST')) return { ...(step.body as KubeObject) };
  if (!live || step.type !== 'application/merge-patch+json') return undefined;
  return applyMergePatch(live, step.body as JsonObject) as unknown as KubeObject;
}

/** Returns a server of one object, as a function that answers steps. */
export function replayer(): (step: Step) => Answer | undefined {
  let live: KubeObject | undefined;

  function scaled(step: Step, manager: string): Answer {
    if (!live) throw new Error('nothing to scale');
    const version = live.apiVersion;
    const paths = { [version]: '.spec.replicas' };
    const before = atOnce(toScaleSteps(live.metadata.managedFields, paths));
    const scale: KubeObject = {
      apiVersion: scaleVersion,
      kind: 'Scale',
      metadata: { name: 'd', uid: 'u', ...(before && { managedFields: before }) },
      spec: { replicas: (live.spec as JsonObject).replicas },
      status: { replicas: 0 },
    };
    const { schema } = kindOf(scale);
    const common = { live: frozen(scale), schema, version: scaleVersion, manager, subresource: 'scale', now };
    const body = step.body as JsonObject;
    const force = step.do.includes('force=true');
    const after = step.type?.includes('apply')
      ? apply({ ...common, applied: body as unknown as KubeObject, force }).managedFields
      : trackUpdate({
          ...common,
          next: applyMergePatch(scale, body) as unknown as KubeObject,
        });
    const managedFields = atOnce(fromScaleSteps(live.metadata.managedFields, after, version, paths));
    const spec = { ...(live.spec as JsonObject), replicas: (body.spec as JsonObject).replicas };
    live = { ...live, spec, metadata: { ...live.metadata, ...(managedFields && { managedFields }) } };
    return {};
  }

  function answer(step: Step): Answer | undefined {
    const want = step.want?.body as KubeObject | undefined;
    const manager =
      /fieldManager=([^&]+)/.exec(step.do)?.[1] ?? step.headers?.['user-agent']?.split('/')[0] ?? 'corpus';
    const dry = step.do.includes('dryRun');
    const found = want && want.kind !== 'Status' ? unmasked(want) : undefined;
    const subresource = /\/(status|scale)(\?|$)/.exec(step.do)?.[1] ?? '';
    if (subresource === 'scale') return scaled(step, manager);
    const resetFields = subresource === 'status' ? ['spec', 'metadata.labels'] : ['status'];
    if (step.type?.includes('apply')) {
      const applied = frozen(step.body) as KubeObject | undefined;
      if (!applied || !/configmaps|deployments|services|secrets/.test(step.do)) return undefined;
      const kind = { configmaps: 'ConfigMap', deployments: 'Deployment', services: 'Service', secrets: 'Secret' };
      const plural = /(configmaps|deployments|services|secrets)/.exec(step.do)?.[1] as keyof typeof kind;
      const group = plural === 'deployments' ? 'apps' : '';
      checkApplied(applied, { group, version: 'v1', kind: kind[plural] });
      const { schema, version } = kindOf(applied);
      const force = step.do.includes('force=true');
      const input = {
        live: live && frozen(live),
        applied,
        schema,
        version,
        manager,
        force,
        subresource,
        resetFields,
        now,
      };
      const result = apply(input);
      if (found && !dry) live = found;
      return { managedFields: result.managedFields, object: result.object as unknown as JsonObject };
    }
    if (step.do.startsWith('GET')) return undefined;
    const unseen = step.ignore && !found ? unanswered(live, step) : found;
    if (!unseen) return undefined;
    const { schema, version } = kindOf(unseen);
    const given = Array.isArray(step.body)
      ? (step.body as JsonObject[]).find(op => op.path === '/metadata/managedFields')?.value
      : undefined;
    const plain = without(unseen);
    const next = given ? { ...plain, metadata: { ...plain.metadata, managedFields: given as [] } } : plain;
    const input = {
      live: live && frozen(live),
      next: frozen(next),
      schema,
      version,
      manager,
      subresource,
      resetFields,
      now,
    };
    const managedFields = trackUpdate(input);
    const tracked = { ...plain, metadata: { ...plain.metadata, ...(managedFields && { managedFields }) } };
    if (!dry) live = found ?? tracked;
    return { managedFields };
  }

  return step => {
    try {
      return answer(step);
    } catch (error) {
      if (error instanceof StatusError) return { error };
      throw error;
    }
  };
}
