/** Validates the spec of a CustomResourceDefinition: its versions, and their schemas, columns, subresources and conversion. */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation
import { Strides, type InSteps } from '../../../lib/time-slice.js';
import type { Fault } from '../../../apimachinery/interface.js';
import { append } from '../../../lib/collections/append.js';
import { child, index, invalidValue, notSupported, required, tooMany } from '../../../apimachinery/errors/faults.js';
import { checkDns1035Label, checkDns1123Subdomain } from '../../../apimachinery/meta/names.js';
import type { SchemaProps } from '../../../openapi/schema/schema-props.js';
import type { Tolerance } from '../../../openapi/schema/schema-rules.js';
import { schemasIn } from '../../../openapi/schema/tolerance.js';
import { conversionFaults } from './conversion-faults.js';
import type { CustomResourceDefinition, Spec, Version } from '../crd.js';
import { definitionEqual, definitionEqualSteps } from '../definition-equal.js';
import { type SharedFields, splitSharedFields } from './shared-fields.js';
import { shownVersions } from './internal-version.js';
import { namesFaults } from './name-faults.js';
import { schemaFaults, schemaTolerance } from './schema-faults.js';
import { selectableFieldFaults } from './selectable-fields.js';
import { columnFaults, deprecationFaults, subresourceFaults } from './version-faults.js';

/**
 * Returns the faults of the spec of a definition, in steps. The old definition is validated only if the new one has faults, since schemas are
 * large.
 */
export function* specFaults(
  { spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): InSteps<Fault[]> {
  const split = yield* splitSharedFields(spec);
  yield undefined;
  const input = { spec, old, split, now: byName(spec), before: old && byName(old.spec) };
  const faults: Fault[] = [];
  yield* specFaultsOf({ ...input, tolerance: {} }, faults);
  if (!old || faults.length === 0) return faults;
  const tolerance = yield* toleranceFor(spec, old);
  if (!Object.values(tolerance).some(Boolean)) return faults;
  const remaining: Fault[] = [];
  yield* specFaultsOf({ ...input, tolerance }, remaining);
  return remaining;
}

/** Returns the first version of each name. */
const byName = ({ versions }: Spec): ReadonlyMap<string, Version> =>
  new Map([...versions].reverse().map(version => [version.name, version]));

function* specFaultsOf(input: SpecInput, faults: Fault[]): InSteps<void> {
  const { spec, old, split } = input;
  const { group, names, scope } = spec;
  append(faults, groupFaults(group));
  if (!scope) faults.push(required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    faults.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  append(faults, missingSchemaFaults(input));
  if (spec.preserveUnknownFields && (yield* someSchema(spec, ({ default: value }) => value != null))) {
    const text = 'must be false in order to use defaults in the schema';
    faults.push(invalidValue('spec.preserveUnknownFields', true, text));
  }
  yield* versionsFaults(input, faults);
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[field]) faults.push(required(child('spec.names', field)));
  append(faults, namesFaults(names, 'spec.names'));
  const { shared } = split;
  const status = spec.versions.some(version => version.subresources?.status);
  const place = { path: 'spec', schemaPath: 'spec.validation', version: spec.versions[0]?.name ?? '', status };
  yield* partFaults(shared, input, place, faults);
  append(faults, yield* selectableFaults(shared, input, place, 'may only be set when validations.schema is included'));
  const { conversion, preserveUnknownFields } = spec;
  if (preserveUnknownFields && conversion && conversion.strategy !== 'None') {
    const text = 'must be None if spec.preserveUnknownFields is true';
    faults.push(invalidValue('spec.conversion.strategy', conversion.strategy, text));
  }
  append(faults, conversionFaults(spec, old));
}

/** The input of the validation. */
interface SpecInput {
  readonly spec: Spec;
  readonly old: CustomResourceDefinition | undefined;
  readonly split: SharedFields;
  readonly tolerance: Tolerance;
  /** Versions by name, of the spec and of the old one. */
  readonly now: ReadonlyMap<string, Version>;
  readonly before: ReadonlyMap<string, Version> | undefined;
}

const specSchemas = ({ versions }: Spec): SchemaProps[] =>
  versions.flatMap(version => version.schema?.openAPIV3Schema ?? []);

/** Reports, in steps, whether the test is true for any schema of the spec, or a schema inside it. */
function* someSchema(spec: Spec, test: (props: SchemaProps) => boolean): InSteps<boolean> {
  const strides = new Strides();
  for (const root of specSchemas(spec))
    for (const schema of schemasIn(root)) {
      if (test(schema)) return true;
      if (strides.isOver) yield undefined;
    }
  return false;
}

/** Reports whether a schema has a property that needs a structural schema: for pruning, defaults or list types. */
const needsStructure = (props: SchemaProps): boolean =>
  props.default != null ||
  Boolean(props['x-kubernetes-embedded-resource']) ||
  props['x-kubernetes-preserve-unknown-fields'] !== undefined ||
  Boolean(props['x-kubernetes-int-or-string']) ||
  Boolean(props['x-kubernetes-list-map-keys']?.length) ||
  props['x-kubernetes-list-type'] !== undefined ||
  Boolean(props['x-kubernetes-validations']?.length);

// as apiextensions-apiserver/pkg/apis/apiextensions/validation validateCustomResourceDefinitionSpec
function* toleranceFor(spec: Spec, old: CustomResourceDefinition): InSteps<Tolerance> {
  const tolerance = yield* schemaTolerance(specSchemas(old.spec));
  const mustBeStructural = !spec.preserveUnknownFields || (yield* someSchema(spec, needsStructure));
  return { ...tolerance, unstructural: tolerance.unstructural === true && !mustBeStructural };
}

function groupFaults(group: string): Fault[] {
  if (!group) return [required('spec.group')];
  const wrong = checkDns1123Subdomain(group);
  if (wrong.length > 0) return [invalidValue('spec.group', group, wrong.join(','))];
  if (group.includes('.')) return [];
  return [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

/** Returns faults for versions without schema. If the old definition had such versions, only served and pruned ones need a schema. */
function missingSchemaFaults({ spec, old, split }: SpecInput): Fault[] {
  if (split.shared.schema?.openAPIV3Schema) return [];
  const always = !old || old.spec.versions.every(version => version.schema?.openAPIV3Schema);
  if (!always && spec.preserveUnknownFields) return [];
  return split.versions.flatMap((version, i) => {
    if (version.schema?.openAPIV3Schema || (!always && !version.served)) return [];
    const at = child(index('spec.versions', i), 'schema.openAPIV3Schema');
    return [required(at, always ? '' : 'because otherwise all fields are pruned')];
  });
}

function* versionsFaults(input: SpecInput, faults: Fault[]): InSteps<void> {
  const { shared, versions } = input.split;
  for (const [i, version] of versions.entries()) {
    yield undefined;
    const path = index('spec.versions', i);
    const wrong = checkDns1035Label(version.name);
    if (wrong.length > 0) faults.push(invalidValue(child(path, 'name'), version.name, wrong.join(',')));
    append(faults, deprecationFaults(version, path));
    const status = Boolean((shared.subresources ?? version.subresources)?.status);
    const place = { path, schemaPath: child(path, 'schema'), version: version.name, status };
    yield* partFaults(version, input, place, faults);
    const text = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    append(faults, yield* selectableFaults(version, input, place, text));
  }
  yield undefined;
  append(faults, numberFaults(input));
  const [first] = versions;
  const wrong = first === undefined ? [] : checkDns1035Label(first.name);
  if (wrong.length > 0) faults.push(invalidValue('spec.version', first?.name, wrong.join(',')));
}

/**
 * The largest number of versions. differs: upstream has no limit. Each version has its own paths in discovery and OpenAPI, so a definition of
 * megabytes would become gigabytes there.
 */
const maxVersions = 100;

/** Returns the faults of the list of versions. Its length may exceed the limit if it does not grow. */
function numberFaults({ spec, old, split: { versions } }: SpecInput): Fault[] {
  const faults: Fault[] = [];
  if (versions.length > Math.max(maxVersions, old?.spec.versions.length ?? 0))
    faults.push(tooMany('spec.versions', versions.length, maxVersions));
  if (new Set(versions.map(version => version.name)).size < versions.length)
    faults.push(invalidValue('spec.versions', shownVersions(spec, versions), 'must contain unique version names'));
  if (versions.filter(version => version.storage).length !== 1) {
    const text = 'must have exactly one version marked as storage version';
    faults.push(invalidValue('spec.versions', shownVersions(spec, versions), text));
  }
  return faults;
}

/** Reports whether the old version of this name has the same schema. */
function* isUnchanged({ now, before }: SpecInput, name: string): InSteps<boolean> {
  const old = before?.get(name);
  if (!old) return false;
  return yield* definitionEqualSteps(now.get(name)?.schema?.openAPIV3Schema, old.schema?.openAPIV3Schema);
}

interface PartPlace {
  readonly path: string;
  readonly schemaPath: string;
  readonly version: string;
  /** The version has the status subresource; for shared fields, any version. */
  readonly status: boolean;
}

type Part = Pick<Version, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>;

/** Appends the faults of schema, subresources and columns of a version, or of the shared ones. */
function* partFaults(
  part: Part,
  input: SpecInput,
  { path, schemaPath, version, status }: PartPlace,
  faults: Fault[],
): InSteps<void> {
  const schema = part.schema?.openAPIV3Schema;
  if (schema) {
    const unchanged = yield* isUnchanged(input, version);
    yield undefined;
    const at = child(schemaPath, 'openAPIV3Schema');
    append(faults, yield* schemaFaults(schema, { path: at, status, unchanged, tolerance: input.tolerance }));
  }
  append(faults, subresourceFaults(part.subresources, child(path, 'subresources')));
  const at = child(path, 'additionalPrinterColumns');
  const strides = new Strides();
  for (const [i, column] of (part.additionalPrinterColumns ?? []).entries()) {
    append(faults, columnFaults(column, index(at, i)));
    if (strides.isOver) yield undefined;
  }
}

/**
 * Returns the faults of selectable fields. Quirk: schema and fields must both be shared, or both be different, so versions with the same fields and
 * different schemas are refused, and versions with the same schema and different fields.
 */
function* selectableFaults(
  { selectableFields: fields = [], schema }: Part,
  { old, split }: SpecInput,
  { path, version }: PartPlace,
  noSchema: string,
): InSteps<Fault[]> {
  if (fields.length === 0) return [];
  const at = child(path, 'selectableFields');
  if (!schema?.openAPIV3Schema) return [invalidValue(at, '', noSchema)];
  const before = old && (yield* splitSharedFields(old.spec));
  const isShared = path === 'spec';
  const oldPart = isShared ? before?.shared : before?.versions.find(v => v.name === version);
  const now = isShared ? split.shared.selectableFields : fields;
  const anyNumber = definitionEqual(oldPart?.selectableFields, now);
  return selectableFieldFaults(fields, schema.openAPIV3Schema, { path: at, anyNumber });
}
