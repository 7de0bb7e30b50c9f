/**
 * Karmada's kinds that are not custom resources: upstream serves them from its own API servers with compiled-in types, so they are written and
 * merged like native kinds.
 */
import { nativeSchemaFor } from '../../openapi/facts/native-schemas.js';
import type { Printer, ResourceDefinition, Strategy, Subresource, Verb, WireTraits } from '../../registry/interface.js';

const wire: WireTraits = { keys: 'declared', itemsCarryType: false, strategicMerge: true, protobuf: false };

export const storedVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** The operations of a proxy, as the verbs that are authorized. */
export const proxyVerbs: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];

interface CompiledKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly verbs: readonly Verb[];
  readonly printer: Printer;
  readonly strategy: Strategy;
  readonly subresources: Readonly<Record<string, Subresource>>;
}

/** Defines a cluster-scoped kind that has only v1alpha1. */
export function compiledKind(kind: CompiledKind): ResourceDefinition {
  const version = 'v1alpha1';
  const schema = nativeSchemaFor({ group: kind.group, version, kind: kind.kind });
  if (!schema) throw new Error(`no schema for ${kind.group}/${version} ${kind.kind}`);
  const { group, plural } = kind;
  return {
    group,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural,
    singular: kind.singular,
    shortNames: [],
    categories: [],
    namespaced: false,
    versions: [{ name: version, served: true, schema, printer: kind.printer, selectableFields: {} }],
    storageVersion: version,
    storagePrefix: `/registry/${group}/${plural}`,
    verbs: kind.verbs,
    strategy: kind.strategy,
    subresources: kind.subresources,
    wire,
  };
}
