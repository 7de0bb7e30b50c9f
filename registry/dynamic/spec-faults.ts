/** What is wrong with the spec of a CustomResourceDefinition: its versions, their schemas and what goes with them. */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation
import type { Fault } from '../../apimachinery/interface.js';
import { child, index, invalidValue, notSupported, required } from '../../apimachinery/errors/faults.js';
import { checkDns1035Label, checkDns1123Subdomain } from '../../apimachinery/meta/names.js';
import type { SchemaProps } from '../../openapi/schema/schema-props.js';
import type { Tolerance } from '../../openapi/schema/schema-rules.js';
import { schemasIn } from '../../openapi/schema/tolerance.js';
import { conversionFaults } from './conversion-faults.js';
import type { CustomResourceDefinition, Spec, Version } from './crd.js';
import { definitionEqual } from './definition-equal.js';
import { type Hoisted, hoist } from './hoist.js';
import { shownVersions } from './internal-version.js';
import { namesFaults } from './name-faults.js';
import { schemaFaults, schemaTolerance } from './schema-faults.js';
import { selectableFieldFaults } from './selectable-fields.js';
import { columnFaults, deprecationFaults, subresourceFaults } from './version-faults.js';

/** What was wrong before is looked for only when something is wrong now: schemas are large. */
export function specFaults({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  const known: Known = { spec, old, hoisted: hoist(spec), tolerance: {} };
  const faults = specFaultsOf(known);
  if (!old || faults.length === 0) return faults;
  const tolerance = toleranceFor(spec, old);
  return Object.values(tolerance).some(Boolean) ? specFaultsOf({ ...known, tolerance }) : faults;
}

function specFaultsOf(known: Known): Fault[] {
  const { spec, old, hoisted } = known;
  const { group, names, scope } = spec;
  const faults: Fault[] = [...groupFaults(group)];
  if (!scope) faults.push(required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    faults.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  faults.push(...missingSchemaFaults(known));
  if (
    spec.preserveUnknownFields &&
    specSchemas(spec).some(schema => has(schema, ({ default: value }) => value != null))
  ) {
    const text = 'must be false in order to use defaults in the schema';
    faults.push(invalidValue('spec.preserveUnknownFields', true, text));
  }
  faults.push(...versionsFaults(known));
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[field]) faults.push(required(child('spec.names', field)));
  faults.push(...namesFaults(names, 'spec.names'));
  const { shared } = hoisted;
  const status = spec.versions.some(version => version.subresources?.status);
  const place = { path: 'spec', schemaPath: 'spec.validation', version: spec.versions[0]?.name ?? '', status };
  faults.push(...partFaults(shared, known, place));
  faults.push(...selectableFaults(shared, known, place, 'may only be set when validations.schema is included'));
  const { conversion, preserveUnknownFields } = spec;
  if (preserveUnknownFields && conversion && conversion.strategy !== 'None') {
    const text = 'must be None if spec.preserveUnknownFields is true';
    faults.push(invalidValue('spec.conversion.strategy', conversion.strategy, text));
  }
  faults.push(...conversionFaults(spec, old));
  return faults;
}

/** What the parts of a definition are judged by. */
interface Known {
  readonly spec: Spec;
  readonly old: CustomResourceDefinition | undefined;
  readonly hoisted: Hoisted;
  readonly tolerance: Tolerance;
}

const specSchemas = ({ versions }: Spec): SchemaProps[] =>
  versions.flatMap(version => version.schema?.openAPIV3Schema ?? []);

const has = (schema: SchemaProps, test: (props: SchemaProps) => boolean): boolean => [...schemasIn(schema)].some(test);

/** What says that fields are pruned, defaulted or told apart: that needs a structural schema. */
const needsStructure = (props: SchemaProps): boolean =>
  props.default != null ||
  Boolean(props['x-kubernetes-embedded-resource']) ||
  props['x-kubernetes-preserve-unknown-fields'] !== undefined ||
  Boolean(props['x-kubernetes-int-or-string']) ||
  Boolean(props['x-kubernetes-list-map-keys']?.length) ||
  props['x-kubernetes-list-type'] !== undefined ||
  Boolean(props['x-kubernetes-validations']?.length);

// as apiextensions-apiserver/pkg/apis/apiextensions/validation validateCustomResourceDefinitionSpec
function toleranceFor(spec: Spec, old: CustomResourceDefinition): Tolerance {
  const tolerance = schemaTolerance(specSchemas(old.spec));
  const mustBeStructural = !spec.preserveUnknownFields || specSchemas(spec).some(schema => has(schema, needsStructure));
  return { ...tolerance, unstructural: tolerance.unstructural === true && !mustBeStructural };
}

function groupFaults(group: string): Fault[] {
  if (!group) return [required('spec.group')];
  const wrong = checkDns1123Subdomain(group);
  if (wrong.length > 0) return [invalidValue('spec.group', group, wrong.join(','))];
  if (group.includes('.')) return [];
  return [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

/** Every version has a schema; where some had none before, those that are served and pruned. */
function missingSchemaFaults({ spec, old, hoisted }: Known): Fault[] {
  if (hoisted.shared.schema?.openAPIV3Schema) return [];
  const always = !old || old.spec.versions.every(version => version.schema?.openAPIV3Schema);
  if (!always && spec.preserveUnknownFields) return [];
  return hoisted.versions.flatMap((version, i) => {
    if (version.schema?.openAPIV3Schema || (!always && !version.served)) return [];
    const at = child(index('spec.versions', i), 'schema.openAPIV3Schema');
    return [required(at, always ? '' : 'because otherwise all fields are pruned')];
  });
}

function versionsFaults(known: Known): Fault[] {
  const faults: Fault[] = [];
  const { shared, versions } = known.hoisted;
  versions.forEach((version, i) => {
    const path = index('spec.versions', i);
    const wrong = checkDns1035Label(version.name);
    if (wrong.length > 0) faults.push(invalidValue(child(path, 'name'), version.name, wrong.join(',')));
    faults.push(...deprecationFaults(version, path));
    const status = Boolean((shared.subresources ?? version.subresources)?.status);
    const place = { path, schemaPath: child(path, 'schema'), version: version.name, status };
    faults.push(...partFaults(version, known, place));
    const text = 'may only be set when `version.schema.openAPIV3Schema` is not included';
    faults.push(...selectableFaults(version, known, place, text));
  });
  const names = versions.map(version => version.name);
  if (new Set(names).size < names.length)
    faults.push(
      invalidValue('spec.versions', shownVersions(known.spec, versions), 'must contain unique version names'),
    );
  if (versions.filter(version => version.storage).length !== 1) {
    const text = 'must have exactly one version marked as storage version';
    faults.push(invalidValue('spec.versions', shownVersions(known.spec, versions), text));
  }
  const [first] = names;
  const wrong = first === undefined ? [] : checkDns1035Label(first);
  if (wrong.length > 0) faults.push(invalidValue('spec.version', first, wrong.join(',')));
  return faults;
}

/** Whether a version of this name had the same schema before. */
function isUnchanged({ spec, old }: Known, name: string): boolean {
  const versionIn = (versions: readonly Version[]): Version | undefined => versions.find(v => v.name === name);
  const before = old && versionIn(old.spec.versions);
  if (!before) return false;
  return definitionEqual(versionIn(spec.versions)?.schema?.openAPIV3Schema, before.schema?.openAPIV3Schema);
}

interface PartPlace {
  readonly path: string;
  readonly schemaPath: string;
  readonly version: string;
  /** The version, or any where this is about all, has the status subresource. */
  readonly status: boolean;
}

type Part = Pick<Version, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>;

/** What a version, or all of them, say of schema, subresources and columns. */
function partFaults(part: Part, known: Known, { path, schemaPath, version, status }: PartPlace): Fault[] {
  const schema = part.schema?.openAPIV3Schema;
  const faults: Fault[] = [];
  if (schema) {
    const unchanged = isUnchanged(known, version);
    const at = child(schemaPath, 'openAPIV3Schema');
    faults.push(...schemaFaults(schema, { path: at, status, unchanged, tolerance: known.tolerance }));
  }
  faults.push(...subresourceFaults(part.subresources, child(path, 'subresources')));
  part.additionalPrinterColumns?.forEach((column, i) =>
    faults.push(...columnFaults(column, index(child(path, 'additionalPrinterColumns'), i))),
  );
  return faults;
}

/**
 * Quirk: the schema must stand in the same place as the fields, which are hoisted each for itself. So versions with the same fields
 * and different schemas are refused, and versions with the same schema and different fields.
 */
function selectableFaults(
  { selectableFields: fields = [], schema }: Part,
  { old, hoisted }: Known,
  { path, version }: PartPlace,
  noSchema: string,
): Fault[] {
  if (fields.length === 0) return [];
  const at = child(path, 'selectableFields');
  if (!schema?.openAPIV3Schema) return [invalidValue(at, '', noSchema)];
  const before = old && hoist(old.spec);
  const isWhole = path === 'spec';
  const had = isWhole ? before?.shared : before?.versions.find(v => v.name === version);
  const now = isWhole ? hoisted.shared.selectableFields : fields;
  const anyNumber = definitionEqual(had?.selectableFields, now);
  return selectableFieldFaults(fields, schema.openAPIV3Schema, { path: at, anyNumber });
}
