/** Reads creates from the recorded requests and runs them without a server: decoding, defaults, the rules of the kind. */
import type { Fault, KubeObject, Status, StatusCause } from '../../../apimachinery/interface.js';
import { canonical } from '../../../apimachinery/codec/canonical.js';
import { causesOf } from '../../../apimachinery/errors/status.js';
import type { ResourceDefinition, StrategyContext, VersionDefinition } from '../../../registry/interface.js';
import { nativeDefinitions } from '../../../kinds/kubernetes/native.js';
import { metadataFaults } from '../../../registry/strategy/metadata.js';
import { recorded } from '../../data.js';
import { faultsFrom, rulesFor } from './faults.js';

interface Step {
  readonly do: string;
  readonly body?: KubeObject;
  readonly ignore?: boolean;
  readonly want?: { readonly status: number; readonly body: unknown; readonly warnings?: readonly string[] };
}

export interface Create {
  readonly name: string;
  readonly definition: ResourceDefinition;
  readonly version: VersionDefinition;
  readonly namespace: string;
  readonly body: KubeObject;
  readonly want: NonNullable<Step['want']>;
}

const names = { ns: 'space', id: 'x1' };
const uid = '00000000-0000-4000-8000-000000000000';
export const now = new Date('2026-11-21T10:00:00Z');

function filled<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value).replaceAll('{ns}', names.ns).replaceAll('{id}', names.id).replaceAll('{uid}', uid),
  ) as T;
}

const post = /^POST \/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([a-z]+)(?:\?dryRun=All)?$/;

/** Returns the cases of an area whose first step creates an object of a native kind and has a recorded answer. */
export function creates(area: string): Create[] {
  const { cases } = recorded(`corpus/${area}.json`) as { cases: { name: string; steps: Step[] }[] };
  return cases.flatMap(({ name, steps }) => {
    const step = steps.find(s => s.want && s.body);
    if (!step?.want || !step.body || step !== steps[0]) return [];
    const [, group = '', version, namespace = '', plural] = post.exec(filled(step.do)) ?? [];
    const definition = nativeDefinitions().find(d => d.group === group && d.plural === plural);
    const found = definition?.versions.find(v => v.name === version);
    if (!definition || !found) return [];
    return [{ name, definition, version: found, namespace, body: filled(step.body), want: filled(step.want) }];
  });
}

interface Outcome {
  readonly object: KubeObject;
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

/** Returns the object in the version of the request, with the faults and warnings of the rules of its kind. */
export async function outcomeOf({ definition, version, namespace, body }: Create): Promise<Outcome> {
  const warnings: string[] = [];
  const given = canonical<KubeObject>(body, version.schema).object;
  definition.defaults?.(given, version.name);
  const { storageVersion, storageGroup } = definition;
  const isStored = storageGroup === undefined && version.name === storageVersion;
  const draft = isStored ? given : (definition.convert?.(given, storageVersion, storageGroup) ?? given);
  if (draft instanceof Promise) throw new Error('built-in kinds are converted at once');
  Object.assign(draft.metadata, { uid, creationTimestamp: '2026-11-21T10:00:00Z' });
  if (definition.namespaced) draft.metadata.namespace = namespace;
  const context: StrategyContext = {
    user: { name: 'admin', groups: [] },
    operation: 'create',
    namespace,
    subresource: '',
    version: version.name,
    dryRun: true,
    now,
    warn: text => warnings.push(text),
  };
  const { strategy } = definition;
  for (const prepare of strategy.prepareCreate) prepare(draft, undefined, context);
  const faults = [
    ...metadataFaults(draft.metadata, { namespaced: definition.namespaced, nameFaults: strategy.nameFaults }),
    ...(await faultsFrom(rulesFor(strategy, 'create'), draft, undefined, context)),
  ];
  for (const rule of strategy.warnings) warnings.push(...rule(draft, undefined));
  for (const canonicalize of strategy.canonicalize) canonicalize(draft, undefined, context);
  return { object: canonical<KubeObject>(draft, version.schema).object, faults, warnings };
}

export function wantedCauses({ want }: Create): readonly StatusCause[] {
  return (want.body as Status).details?.causes ?? [];
}

export const causes = (faults: readonly Fault[]): unknown => causesOf(faults);
