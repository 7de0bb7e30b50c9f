/** Makes the ResourceDefinition of a custom resource from its CustomResourceDefinition. Pure. */
import { jsonPathText, parsePath } from '../../apimachinery/jsonpath/jsonpath.js';
import { compareVersions } from '../../apimachinery/meta/gvk.js';
import type { KubeObject } from '../../apimachinery/interface.js';
import type { Schema } from '../../apimachinery/codec/interface.js';
import type { ResourceDefinition, Verb, VersionDefinition, WireTraits } from '../interface.js';
import { scalePart } from '../strategy/parts.js';
import { type CustomResourceDefinition, type Names, type Spec, type Version, schemaOf } from './crd.js';
import { hasStatus } from './custom-rules.js';
import { customStatusPart, customStrategy } from './custom-strategy.js';
import { definitionEqual } from './definition-equal.js';
import type { VersionLookup } from './custom-rules.js';
import { customPrinter, customScalePrinter } from './printer.js';

const wire: WireTraits = { keys: 'sorted', itemsCarryType: true, strategicMerge: false, protobuf: false };

/** All verbs, in the fixed order of discovery. */
const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Verbs in discovery while the definition is being deleted. The others still work. */
const terminatingVerbs = verbs.filter(verb => !['patch', 'create', 'update'].includes(verb));

type Subresources = ResourceDefinition['subresources'];

/** Conversion by a webhook or built-in code, and the version of the rules. */
export type Conversion = Pick<ResourceDefinition, 'convertAll' | 'rulesVersion'> &
  Pick<Required<ResourceDefinition>, 'convert'>;

interface DefineOptions {
  /** The accepted names, which may differ from those of the spec. */
  readonly names: Names;
  /** Reports whether the definition is being deleted; called for each create. */
  readonly isTerminating: () => boolean;
  /** As `ResourceDefinition.establishedAt`. */
  readonly establishedAt?: () => number;
  /** If absent, versions differ in apiVersion and in the fields of their schemas only. */
  readonly conversion?: Conversion;
}

/** Returns the ResourceDefinition of a custom resource. Throws if it has no version. */
export function define(
  crd: CustomResourceDefinition,
  { names, isTerminating, establishedAt, conversion }: DefineOptions,
): ResourceDefinition {
  const { group, scope } = crd.spec;
  const versions = [...crd.spec.versions].sort((a, b) => compareVersions(a.name, b.name));
  const stored = versions.find(version => version.storage) ?? versions[0];
  if (!stored) throw new Error(`${crd.metadata.name} has no version`);
  const versionFor = versionLookup(crd.spec, conversion && !conversion.rulesVersion ? stored : undefined);
  return {
    group,
    kind: names.kind,
    listKind: names.listKind || `${names.kind}List`,
    plural: names.plural,
    singular: names.singular || names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    versions: versions.map(version => versionOf(crd, names, version, versionFor)),
    storageVersion: stored.name,
    storagePrefix: `/registry/${group}/${names.plural}`,
    verbs,
    get discoveredVerbs() {
      return isTerminating() ? terminatingVerbs : verbs;
    },
    strategy: customStrategy(crd.spec, versionFor, isTerminating),
    subresources: subresourcesOf(versionFor, stored),
    ...(conversion ?? { rulesVersion: 'requested' }),
    mixedStorage: isMixed(crd, stored) && (conversion !== undefined || isVaried(crd.spec)),
    wire,
    ...(establishedAt && { establishedAt }),
  };
}

/** Reports whether objects may be stored in other versions. */
const isMixed = ({ status }: CustomResourceDefinition, { name }: Version): boolean =>
  (status?.storedVersions ?? []).some(version => version !== name);

/** Reports whether versions have different schemas. */
const isVaried = ({ versions }: Spec): boolean =>
  versions.some(version => !definitionEqual(version.schema, versions[0]?.schema, 'schema'));

/** Returns the lookup of the version that validates objects: `only` if it is set, since rules see objects in it, else the requested one. */
function versionLookup({ versions }: Spec, only: Version | undefined): VersionLookup {
  return name => only ?? versions.find(version => version.name === name) ?? (versions[0] as Version);
}

const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function versionOf(
  crd: CustomResourceDefinition,
  names: Names,
  version: Version,
  versionFor: VersionLookup,
): VersionDefinition {
  const { spec } = crd;
  return {
    name: version.name,
    served: version.served,
    // With preserveUnknownFields (old definitions) nothing is pruned; validation has its own schema.
    schema: (spec.preserveUnknownFields ? undefined : schemaOf(version)) ?? anything,
    printer: customPrinter(version.additionalPrinterColumns),
    selectableFields: selectableFields(version),
    subresources: subresourcesOf(versionFor, version),
    resetFields: hasStatus(version) ? ['status'] : [],
    ...(version.deprecated && { deprecation: version.deprecationWarning ?? defaultDeprecation(spec, names, version) }),
  };
}

/** Returns the default warning, which names the preferred newer version that is served and not deprecated, if there is one. */
// as apiextensions-apiserver/pkg/apiserver defaultDeprecationWarning
function defaultDeprecation({ group, versions }: Spec, { kind }: Names, { name }: Version): string {
  const [better] = versions
    .filter(v => v.served && !v.deprecated && compareVersions(v.name, name) < 0)
    .map(v => v.name)
    .sort(compareVersions);
  const text = `${group}/${name} ${kind} is deprecated`;
  return better === undefined ? text : `${text}; use ${group}/${better} ${kind}`;
}

/** Returns the selectable fields by their paths without the first dot. */
function selectableFields({ selectableFields = [] }: Version): VersionDefinition['selectableFields'] {
  return Object.fromEntries(
    selectableFields.map(({ jsonPath }) => {
      const find = parsePath(jsonPath);
      return [jsonPath.replace(/^\./, ''), (object: KubeObject) => textOf(find(object)[0])];
    }),
  );
}

const textOf = (value: unknown): string => (value == null ? '' : jsonPathText(value));

function subresourcesOf(versionFor: VersionLookup, version: Version): Subresources {
  const { scale } = version.subresources ?? {};
  return {
    ...(hasStatus(version) && { status: customStatusPart(versionFor) }),
    ...(scale && {
      scale: scalePart({
        specReplicas: scale.specReplicasPath,
        statusReplicas: scale.statusReplicasPath,
        selector: scale.labelSelectorPath || undefined,
        printer: customScalePrinter,
      }),
    }),
  };
}
