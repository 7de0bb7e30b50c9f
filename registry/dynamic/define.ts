/** The definition of a custom resource, from the object that defines it. Pure. */
import { jsonPathText, parsePath } from '../../openapi/meta/jsonpath.js';
import { compareVersions } from '../../openapi/meta/gvk.js';
import type { KubeObject } from '../../openapi/interface.js';
import type { Schema } from '../../openapi/schema/interface.js';
import type { ResourceDefinition, Verb, VersionDefinition, WireTraits } from '../interface.js';
import { scalePart } from '../strategy/parts.js';
import { type CustomResourceDefinition, type Names, type Spec, type Version, schemaOf } from './crd.js';
import { customStatusPart, customStrategy, hasStatus } from './custom-strategy.js';
import { customPrinter, scalePrinter } from './printer.js';

const wire: WireTraits = { keys: 'sorted', itemsCarryType: true, strategicMerge: false, protobuf: false };

/** In the fixed order in which discovery lists them. */
const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** What is still offered while the definition is being deleted, though more than that works (CRD-060). */
const verbsOfTheDying = verbs.filter(verb => !['patch', 'create', 'update'].includes(verb));

type Subresources = ResourceDefinition['subresources'];

export interface DefineOptions {
  /** The names it got, which need not be those it asks for. */
  readonly names: Names;
  /** Asked for each create. */
  readonly isTerminating: () => boolean;
  /** Of a webhook; absent: versions differ in apiVersion only. */
  readonly convert?: NonNullable<ResourceDefinition['convert']>;
}

export function define(
  crd: CustomResourceDefinition,
  { names, isTerminating, convert }: DefineOptions,
): ResourceDefinition {
  const { group, scope } = crd.spec;
  const versions = [...crd.spec.versions].sort((a, b) => compareVersions(a.name, b.name));
  const stored = versions.find(version => version.storage) ?? versions[0];
  if (!stored) throw new Error(`${crd.metadata.name} has no version`);
  return {
    group,
    kind: names.kind,
    listKind: names.listKind || `${names.kind}List`,
    plural: names.plural,
    singular: names.singular || names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    versions: versions.map(version => versionOf(crd, names, version, stored)),
    storageVersion: stored.name,
    storagePrefix: `/registry/${group}/${names.plural}`,
    verbs,
    get discoveredVerbs() {
      return isTerminating() ? verbsOfTheDying : verbs;
    },
    strategy: customStrategy(crd.spec, stored, isTerminating),
    subresources: subresourcesOf(crd, stored, stored),
    ...(convert && { convert, mixedStorage: isMixed(crd, stored) }),
    wire,
  };
}

/** Were objects stored in other versions before? */
const isMixed = ({ status }: CustomResourceDefinition, { name }: Version): boolean =>
  (status?.storedVersions ?? []).some(version => version !== name);

const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function versionOf(crd: CustomResourceDefinition, names: Names, version: Version, stored: Version): VersionDefinition {
  const { spec } = crd;
  return {
    name: version.name,
    served: version.served,
    // Of old definitions nothing is pruned; validation has its own schema.
    schema: (spec.preserveUnknownFields ? undefined : schemaOf(version)) ?? anything,
    printer: customPrinter(version.additionalPrinterColumns),
    selectableFields: selectableFields(version),
    subresources: subresourcesOf(crd, stored, version),
    resetFields: hasStatus(version) ? ['status'] : [],
    ...(version.deprecated && { deprecation: version.deprecationWarning ?? usualDeprecation(spec, names, version) }),
  };
}

/** With what to use instead: the most preferred newer version that is served and not deprecated itself. */
// as apiextensions-apiserver/pkg/apiserver defaultDeprecationWarning
function usualDeprecation({ group, versions }: Spec, { kind }: Names, { name }: Version): string {
  const [better] = versions
    .filter(v => v.served && !v.deprecated && compareVersions(v.name, name) < 0)
    .map(v => v.name)
    .sort(compareVersions);
  const text = `${group}/${name} ${kind} is deprecated`;
  return better === undefined ? text : `${text}; use ${group}/${better} ${kind}`;
}

/** By the path without its first dot (CRD-036). */
function selectableFields({ selectableFields = [] }: Version): VersionDefinition['selectableFields'] {
  return Object.fromEntries(
    selectableFields.map(({ jsonPath }) => {
      const find = parsePath(jsonPath);
      return [jsonPath.replace(/^\./, ''), (object: KubeObject) => textOf(find(object)[0])];
    }),
  );
}

const textOf = (value: unknown): string => (value == null ? '' : jsonPathText(value));

function subresourcesOf({ spec }: CustomResourceDefinition, stored: Version, version: Version): Subresources {
  const { scale } = version.subresources ?? {};
  return {
    ...(hasStatus(version) && { status: customStatusPart(spec, stored) }),
    ...(scale && {
      scale: scalePart({
        specReplicas: scale.specReplicasPath,
        statusReplicas: scale.statusReplicasPath,
        selector: scale.labelSelectorPath || undefined,
        printer: scalePrinter,
      }),
    }),
  };
}
