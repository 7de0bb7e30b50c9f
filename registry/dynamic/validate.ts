/** What is wrong with a CustomResourceDefinition (CRD-001 to CRD-006). */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation
import type { Fault, KubeObject } from '../../openapi/interface.js';
import { child, index, invalidValue, key, notSupported, required } from '../../openapi/meta/faults.js';
import { checkDns1035Label, checkDns1123Subdomain } from '../../openapi/meta/names.js';
import type { SchemaProps } from '../../openapi/schema/schema-props.js';
import type { Tolerance } from '../../openapi/schema/schema-rules.js';
import { schemasIn } from '../../openapi/schema/tolerance.js';
import type { Validate } from '../interface.js';
import { approvalAnnotation, approvalOf, isProtectedGroup } from './approval.js';
import { columnFaults, deprecationFaults, subresourceFaults } from './version-faults.js';
import { conversionFaults } from './conversion-faults.js';
import { type CustomResourceDefinition, type Names, type Spec, type Version, asDefinition, isTrue } from './crd.js';
import { definitionEqual } from './definition-equal.js';
import { type Hoisted, hoist } from './hoist.js';
import { shownVersions } from './internal-version.js';
import { schemaFaults, schemaTolerance } from './schema-faults.js';
import { selectableFieldFaults } from './selectable-fields.js';

/** For `validateCreate`. */
export const validateDefinition: Validate = object => {
  const crd = asDefinition(object);
  return [
    ...nameFaults(crd),
    ...specFaults(crd, undefined),
    ...namesFaults(crd.status?.acceptedNames, 'status.acceptedNames'),
    ...storedVersionFaults(crd),
    ...approvalFaults(crd, undefined),
    ...preserveFaults(crd, undefined),
  ];
};

/** For `validateUpdate`. */
export const validateDefinitionUpdate: Validate = (object, stored) => {
  const crd = asDefinition(object);
  const old = stored && asDefinition(stored);
  return [
    ...specFaults(crd, old),
    ...immutableFaults(crd, old),
    ...namesFaults(crd.status?.acceptedNames, 'status.acceptedNames'),
    ...storedVersionFaults(crd),
    ...approvalFaults(crd, old),
    ...preserveFaults(crd, old),
  ];
};

/** For `validateUpdate` of `/status`. */
export const validateDefinitionStatus: Validate = (object: KubeObject) =>
  namesFaults(asDefinition(object).status?.acceptedNames, 'status.acceptedNames');

function nameFaults({ metadata, spec }: CustomResourceDefinition): Fault[] {
  const wanted = `${spec.names.plural}.${spec.group}`;
  return (['generateName', 'name'] as const).flatMap(field => {
    const name = metadata[field] ?? '';
    if (name === '' || name === wanted) return [];
    return [invalidValue(child('metadata', field), name, 'must be spec.names.plural+"."+spec.group')];
  });
}

/** What was wrong before is looked for only when something is wrong now: schemas are large. */
function specFaults({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
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

function namesFaults(names: Names | undefined, path: string): Fault[] {
  if (!names) return [];
  const faults: Fault[] = [];
  const check = (at: string, name: string, head = '', checked = name): void => {
    const wrong = checkDns1035Label(checked);
    if (wrong.length > 0) faults.push(invalidValue(at, name, head + wrong.join(',')));
  };
  const mixed = 'may have mixed case, but should otherwise match: ';
  const { plural, singular = '', kind, listKind = '' } = names;
  if (plural) check(child(path, 'plural'), plural);
  if (singular) check(child(path, 'singular'), singular);
  if (kind) check(child(path, 'kind'), kind, mixed, kind.toLowerCase());
  if (listKind) check(child(path, 'listKind'), listKind, mixed, listKind.toLowerCase());
  names.shortNames?.forEach((name, i) => check(index(child(path, 'shortNames'), i), name));
  if (kind !== '' && kind === listKind)
    faults.push(invalidValue(child(path, 'listKind'), listKind, 'kind and listKind may not be the same'));
  names.categories?.forEach((name, i) => check(index(child(path, 'categories'), i), name));
  return faults;
}

function immutableFaults({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  if (!old) return [];
  const faults: Fault[] = [];
  const same = (path: string, value: string, before: string): void => {
    if (value !== before) faults.push(invalidValue(path, value, 'field is immutable'));
  };
  if (isTrue(old, 'Established')) {
    same('spec.scope', spec.scope, old.spec.scope);
    same('spec.names.kind', spec.names.kind, old.spec.names.kind);
  }
  same('spec.group', spec.group, old.spec.group);
  same('spec.names.plural', spec.names.plural, old.spec.names.plural);
  return faults;
}

function storedVersionFaults({ spec, status }: CustomResourceDefinition): Fault[] {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0)
    return [invalidValue(path, status?.storedVersions ?? null, 'must have at least one stored version')];
  const faults: Fault[] = [];
  for (const { name, storage } of spec.versions)
    if (storage && !stored.includes(name))
      faults.push(invalidValue(path, stored, `must have the storage version ${name}`));
  stored.forEach((name, i) => {
    if (stored.lastIndexOf(name) > i || spec.versions.some(version => version.name === name)) return;
    const text = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    faults.push(invalidValue(index(path, i), name, text));
  });
  return faults;
}

function approvalFaults(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  if (!isProtectedGroup(crd.spec.group)) return [];
  const { state, reason } = approvalOf(crd.metadata.annotations);
  if (old && approvalOf(old.metadata.annotations).state === state) return [];
  const path = key('metadata.annotations', approvalAnnotation);
  if (state === 'missing') return [required(path, reason)];
  if (state === 'invalid') return [invalidValue(path, crd.metadata.annotations?.[approvalAnnotation] ?? '', reason)];
  return [];
}

function preserveFaults({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  if (!spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return [];
  const text =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return [invalidValue('spec.preserveUnknownFields', true, text)];
}
