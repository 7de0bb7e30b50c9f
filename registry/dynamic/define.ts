/** The definition of a custom resource, from the object that defines it. Pure. */
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
import type { Judging } from './custom-rules.js';
import { customPrinter, scalePrinter } from './printer.js';

const wire: WireTraits = { keys: 'sorted', itemsCarryType: true, strategicMerge: false, protobuf: false };

/** In the fixed order in which discovery lists them. */
const verbs: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** Discovery still offers these verbs while the definition is being deleted, though more than that works. */
const verbsOfTheDying = verbs.filter(verb => !['patch', 'create', 'update'].includes(verb));

type Subresources = ResourceDefinition['subresources'];

/** Of somebody else, and in which version the rules of the kind see its objects. */
export type Conversion = Pick<ResourceDefinition, 'convertAll' | 'rules'> &
  Pick<Required<ResourceDefinition>, 'convert'>;

export interface DefineOptions {
  /** The names it got, which need not be those it asks for. */
  readonly names: Names;
  /** Asked for each create. */
  readonly isTerminating: () => boolean;
  /** Milliseconds since the epoch. */
  readonly establishedAt?: () => number;
  /** Absent: versions differ in apiVersion, and in what their schemas know. */
  readonly conversion?: Conversion;
}

export function define(
  crd: CustomResourceDefinition,
  { names, isTerminating, establishedAt, conversion }: DefineOptions,
): ResourceDefinition {
  const { group, scope } = crd.spec;
  const versions = [...crd.spec.versions].sort((a, b) => compareVersions(a.name, b.name));
  const stored = versions.find(version => version.storage) ?? versions[0];
  if (!stored) throw new Error(`${crd.metadata.name} has no version`);
  const judging = judgingOf(crd.spec, conversion && !conversion.rules ? stored : undefined);
  return {
    group,
    kind: names.kind,
    listKind: names.listKind || `${names.kind}List`,
    plural: names.plural,
    singular: names.singular || names.kind.toLowerCase(),
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === 'Namespaced',
    versions: versions.map(version => versionOf(crd, names, version, judging)),
    storageVersion: stored.name,
    storagePrefix: `/registry/${group}/${names.plural}`,
    verbs,
    get discoveredVerbs() {
      return isTerminating() ? verbsOfTheDying : verbs;
    },
    strategy: customStrategy(crd.spec, judging, isTerminating),
    subresources: subresourcesOf(judging, stored),
    ...(conversion ?? { rules: 'spoken' }),
    mixedStorage: isMixed(crd, stored) && (conversion !== undefined || isVaried(crd.spec)),
    wire,
    ...(establishedAt && { establishedAt }),
  };
}

/** Were objects stored in other versions before? */
const isMixed = ({ status }: CustomResourceDefinition, { name }: Version): boolean =>
  (status?.storedVersions ?? []).some(version => version !== name);

/** Do versions know different fields? */
const isVaried = ({ versions }: Spec): boolean =>
  versions.some(version => !definitionEqual(version.schema, versions[0]?.schema, 'schema'));

/** By what an object of a version is judged: by that version, or by the one that is stored when the rules see objects in that. */
function judgingOf({ versions }: Spec, only: Version | undefined): Judging {
  return name => only ?? versions.find(version => version.name === name) ?? (versions[0] as Version);
}

const anything: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function versionOf(crd: CustomResourceDefinition, names: Names, version: Version, judging: Judging): VersionDefinition {
  const { spec } = crd;
  return {
    name: version.name,
    served: version.served,
    // Of old definitions nothing is pruned; validation has its own schema.
    schema: (spec.preserveUnknownFields ? undefined : schemaOf(version)) ?? anything,
    printer: customPrinter(version.additionalPrinterColumns),
    selectableFields: selectableFields(version),
    subresources: subresourcesOf(judging, version),
    resetFields: hasStatus(version) ? ['status'] : [],
    ...(version.deprecated && { deprecation: version.deprecationWarning ?? defaultDeprecation(spec, names, version) }),
  };
}

/** With what to use instead: the most preferred newer version that is served and not deprecated itself. */
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

function subresourcesOf(judging: Judging, version: Version): Subresources {
  const { scale } = version.subresources ?? {};
  return {
    ...(hasStatus(version) && { status: customStatusPart(judging) }),
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
