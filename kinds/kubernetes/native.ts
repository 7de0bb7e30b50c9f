import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import { type NativeResource, nativeResources } from '../../openapi/facts/resources.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type {
  Printer,
  ResourceDefinition,
  Subresource,
  Verb,
  VersionDefinition,
  WireTraits,
} from '../../registry/interface.js';
import { strategy } from '../../registry/strategy/strategy.js';
import type { NativeKind } from './native-kind.js';
import { nativeKinds } from './native-kinds.js';
import { nativeTypeDefaults } from './native-type-defaults.js';
import { plainPrinter } from '../../registry/printer.js';
import { type Fill, compileDefaults } from '../shared/defaults/type-defaults.js';
import { defaultSubresource } from './subresources.js';

/** Groups whose objects are stored as JSON upstream; all others are stored as protobuf. */
const storedAsJson = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

const wire: WireTraits = { keys: 'declared', itemsCarryType: false, strategicMerge: true, protobuf: true };

let definitions: readonly ResourceDefinition[] | undefined;

/**
 * Returns every resource that kube-apiserver 1.36 serves by default, in the order of its discovery: the facts, completed by the kind's own
 * module. Always returns the same objects.
 */
export function nativeDefinitions(): readonly ResourceDefinition[] {
  return (definitions ??= assemble());
}

function assemble(): readonly ResourceDefinition[] {
  const byResource = new Map<string, NativeResource[]>();
  for (const resource of nativeResources()) {
    if (!resource.onByDefault) continue;
    const id = `${resource.group}/${resource.plural}`;
    byResource.set(id, [...(byResource.get(id) ?? []), resource]);
  }
  const kinds = new Map(nativeKinds.map(kind => [`${kind.group}/${kind.kind}`, kind]));
  return [...byResource.values()].map(versions => define(versions, kinds));
}

/** `versions`: the versions of one resource, in order of preference. */
function define(versions: readonly NativeResource[], kinds: ReadonlyMap<string, NativeKind>): ResourceDefinition {
  const [first] = versions;
  if (!first) throw new Error('a resource without versions');
  const kind = kinds.get(`${first.group}/${first.kind}`) ?? { group: first.group, kind: first.kind };
  const { group, plural, singular, shortNames, categories, namespaced } = first;
  const otherGroup = first.storage && first.storage.group !== group ? first.storage.group : undefined;
  const stored = { group: otherGroup ?? group, version: kind.storageVersion ?? first.version };
  return {
    group,
    kind: first.kind,
    listKind: `${first.kind}List`,
    plural,
    singular,
    shortNames,
    categories,
    namespaced,
    versions: versions.map(version => defineVersion(version, kind, stored)),
    storageVersion: stored.version,
    ...(otherGroup !== undefined && { storageGroup: otherGroup }),
    storagePrefix: kind.storagePrefix ?? `/registry/${plural}`,
    verbs: first.verbs as readonly Verb[],
    strategy: kind.strategy ?? strategy(),
    subresources: subresources(first, kind),
    ...(kind.ttlSeconds && { ttlSeconds: kind.ttlSeconds }),
    ...(kind.updateDelayMs !== undefined && { updateDelayMs: kind.updateDelayMs }),
    ...(kind.convert && { convert: kind.convert }),
    defaults: defaultsOf(versions, kind),
    ...(kind.readStored && { readStored: kind.readStored }),
    ...(kind.writeStored && { writeStored: kind.writeStored }),
    ...(kind.indexedFields && { indexedFields: kind.indexedFields }),
    ...(kind.fieldAnnotations && { fieldAnnotations: kind.fieldAnnotations }),
    ...(kind.review && { review: kind.review }),
    wire: { ...wire, bareStore: !storedAsJson.has(group) },
  };
}

type Stored = Pick<NativeResource, 'group' | 'version'>;

/** Printers take objects in the storage version. */
function printerOf(resource: NativeResource, kind: NativeKind, stored: Stored): Printer {
  const { convert, printer = plainPrinter } = kind;
  if (!convert || (resource.version === stored.version && resource.group === stored.group)) return printer;
  const toGroup = stored.group === resource.group ? undefined : stored.group;
  return { columns: printer.columns, row: (object, now) => printer.row(convert(object, stored.version, toGroup), now) };
}

function defineVersion(resource: NativeResource, kind: NativeKind, stored: Stored): VersionDefinition {
  const deprecation = kind.deprecations?.[resource.version];
  return {
    name: resource.version,
    served: true,
    schema: schemaOf(resource),
    printer: printerOf(resource, kind, stored),
    selectableFields: kind.selectableFields ?? {},
    ...(deprecation !== undefined && { deprecation }),
  };
}

/** A kind's own defaults are applied before those of the types inside it. */
function defaultsOf(
  versions: readonly NativeResource[],
  kind: NativeKind,
): (draft: KubeObject, version: string) => void {
  const fills = new Map<string, Fill | undefined>();
  return (draft, version) => {
    kind.defaults?.(draft, version);
    if (!fills.has(version)) {
      const resource = versions.find(r => r.version === version);
      fills.set(version, resource && compileDefaults(schemaOf(resource), nativeTypeDefaults));
    }
    fills.get(version)?.(draft);
  };
}

function schemaOf({ group, version, kind }: NativeResource): Schema {
  const schema = nativeSchemaFor({ group, version, kind });
  if (!schema) throw new Error(`no schema for ${group}/${version} ${kind}`);
  return schema;
}

function subresources(resource: NativeResource, kind: NativeKind): Readonly<Record<string, Subresource>> {
  return Object.fromEntries(
    resource.subresources.map(fact => [fact.name, kind.subresources?.[fact.name] ?? defaultSubresource(fact)]),
  );
}
