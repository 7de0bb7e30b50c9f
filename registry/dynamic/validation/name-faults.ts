/** Validates the name of a definition, and the names of its resource. */
import type { Fault } from '../../../apimachinery/interface.js';
import { child, index, invalidValue } from '../../../apimachinery/errors/faults.js';
import { checkDns1035Label } from '../../../apimachinery/meta/names.js';
import type { CustomResourceDefinition, Names } from '../crd.js';

/** Returns the faults of the name of a definition, which must be that of its resource. */
export function nameFaults({ metadata, spec }: CustomResourceDefinition): Fault[] {
  const expected = `${spec.names.plural}.${spec.group}`;
  return (['generateName', 'name'] as const).flatMap(field => {
    const name = metadata[field] ?? '';
    if (name === '' || name === expected) return [];
    return [invalidValue(child('metadata', field), name, 'must be spec.names.plural+"."+spec.group')];
  });
}

/** Returns the faults of the names of a resource, in the spec or in the status. */
export function namesFaults(names: Names | undefined, path: string): Fault[] {
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
