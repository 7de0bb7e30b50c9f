/** What is wrong with a CustomResourceDefinition (CRD-001 to CRD-006). */
// as apiextensions-apiserver/pkg/apis/apiextensions/validation
import type { Fault, KubeObject } from '../../openapi/interface.js';
import { child, index, invalidValue, key, notSupported, required } from '../../openapi/meta/faults.js';
import { semanticEqual } from '../../openapi/meta/equality.js';
import { checkDns1035Label, checkDns1123Subdomain } from '../../openapi/meta/names.js';
import type { Validate } from '../interface.js';
import { approvalAnnotation, approvalOf, isProtectedGroup } from './approval.js';
import { columnFaults, deprecationFaults, subresourceFaults } from './version-faults.js';
import { conversionFaults } from './conversion-faults.js';
import { type CustomResourceDefinition, type Names, type Spec, type Version, asDefinition, isTrue } from './crd.js';
import { type Hoisted, hoist } from './hoist.js';
import { schemaFaults } from './schema-faults.js';
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
  const { name = '' } = metadata;
  if (name === `${spec.names.plural}.${spec.group}`) return [];
  return [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

function specFaults(crd: CustomResourceDefinition, old: CustomResourceDefinition | undefined): Fault[] {
  const { spec } = crd;
  const { group, names, scope } = spec;
  const hoisted = hoist(spec);
  const faults: Fault[] = [...groupFaults(group)];
  if (!scope) faults.push(required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    faults.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  faults.push(...versionsFaults(spec, hoisted, old));
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const)
    if (!names[field]) faults.push(required(child('spec.names', field)));
  faults.push(...namesFaults(names, 'spec.names'));
  const { shared } = hoisted;
  const isUnchanged = unchangedSchemas(spec, old);
  const whole = { path: 'spec', schemaPath: 'spec.validation', unchanged: isUnchanged(spec.versions[0]?.name) };
  faults.push(...partFaults(shared, spec, whole));
  faults.push(...conversionFaults(spec, old));
  return faults;
}

function groupFaults(group: string): Fault[] {
  if (!group) return [required('spec.group')];
  const wrong = checkDns1123Subdomain(group);
  if (wrong.length > 0) return [invalidValue('spec.group', group, wrong.join(','))];
  if (group.includes('.')) return [];
  return [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function versionsFaults(spec: Spec, { shared, versions }: Hoisted, old: CustomResourceDefinition | undefined): Fault[] {
  const faults: Fault[] = [];
  const isUnchanged = unchangedSchemas(spec, old);
  if (!shared.schema?.openAPIV3Schema && (!old || old.spec.versions.every(v => v.schema?.openAPIV3Schema)))
    versions.forEach((version, i) => {
      if (!version.schema?.openAPIV3Schema)
        faults.push(required(child(index('spec.versions', i), 'schema.openAPIV3Schema')));
    });
  versions.forEach((version, i) => {
    const path = index('spec.versions', i);
    const wrong = checkDns1035Label(version.name);
    if (wrong.length > 0) faults.push(invalidValue(child(path, 'name'), version.name, wrong.join(',')));
    faults.push(...deprecationFaults(version, path));
    const place = { path, schemaPath: child(path, 'schema'), unchanged: isUnchanged(version.name) };
    faults.push(...partFaults(version, spec, place));
  });
  const names = versions.map(version => version.name);
  if (new Set(names).size < names.length)
    faults.push(invalidValue('spec.versions', versions.map(shownVersion), 'must contain unique version names'));
  if (versions.filter(version => version.storage).length !== 1) {
    const text = 'must have exactly one version marked as storage version';
    faults.push(invalidValue('spec.versions', versions.map(shownVersion), text));
  }
  const [first] = names;
  const wrong = first === undefined ? [] : checkDns1035Label(first);
  if (wrong.length > 0) faults.push(invalidValue('spec.version', first, wrong.join(',')));
  return faults;
}

/** Whether a version of this name had the same schema before. */
function unchangedSchemas(
  spec: Spec,
  old: CustomResourceDefinition | undefined,
): (name: string | undefined) => boolean {
  const schemaIn = (versions: readonly Version[], name: string | undefined): unknown =>
    versions.find(version => version.name === name)?.schema?.openAPIV3Schema;
  return name => {
    if (!old?.spec.versions.some(version => version.name === name)) return false;
    return semanticEqual(schemaIn(spec.versions, name), schemaIn(old.spec.versions, name));
  };
}

interface PartPlace {
  readonly path: string;
  readonly schemaPath: string;
  readonly unchanged: boolean;
}

/** What a version, or all of them, say of schema, subresources, columns and selectable fields. */
function partFaults(
  part: Pick<Version, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>,
  spec: Spec,
  { path, schemaPath, unchanged }: PartPlace,
): Fault[] {
  const schema = part.schema?.openAPIV3Schema;
  const faults: Fault[] = [];
  const status = spec.versions.some(version => version.subresources?.status);
  if (schema) faults.push(...schemaFaults(schema, { path: child(schemaPath, 'openAPIV3Schema'), status, unchanged }));
  faults.push(...subresourceFaults(part.subresources, child(path, 'subresources')));
  part.additionalPrinterColumns?.forEach((column, i) =>
    faults.push(...columnFaults(column, index(child(path, 'additionalPrinterColumns'), i))),
  );
  if (part.selectableFields?.length) {
    const shape = schema ?? spec.versions[0]?.schema?.openAPIV3Schema;
    faults.push(...selectableFieldFaults(part.selectableFields, shape, child(path, 'selectableFields')));
  }
  return faults;
}

/** As Go prints a version of the internal type, in which nothing is left out. */
function shownVersion(version: Version): Record<string, unknown> {
  return {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: version.schema ?? null,
    Subresources: version.subresources ?? null,
    AdditionalPrinterColumns: version.additionalPrinterColumns ?? null,
    SelectableFields: version.selectableFields ?? null,
  };
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
  if (stored.length === 0) return [invalidValue(path, stored, 'must have at least one stored version')];
  const faults: Fault[] = [];
  for (const { name, storage } of spec.versions)
    if (storage && !stored.includes(name))
      faults.push(invalidValue(path, stored, `must have the storage version ${name}`));
  stored.forEach((name, i) => {
    if (spec.versions.some(version => version.name === name)) return;
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
