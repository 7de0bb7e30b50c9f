import { goQuote } from '../../../lib/go/go-text.js';
import { checkPathSegmentName } from '../../../apimachinery/meta/names.js';
import { badRequest } from '../../../apimachinery/errors/status.js';
import type { ResourceDefinition } from '../../interface.js';

/** Returns the prefix of the keys of a namespace, or of all namespaces for ''; it ends with a slash. */
export function prefixOf(definition: ResourceDefinition, namespace: string): string {
  return definition.namespaced && namespace !== ''
    ? `${definition.storagePrefix}/${namespace}/`
    : `${definition.storagePrefix}/`;
}

/** Returns the key of an object in the store. Throws 400 for a missing namespace or name and for names that cannot be part of a key. */
// as apiserver/pkg/registry/generic/registry NamespaceKeyFunc
export function storageKey(definition: ResourceDefinition, namespace: string, name: string): string {
  if (definition.namespaced && namespace === '') throw badRequest('Namespace parameter required.');
  if (name === '') throw badRequest('Name parameter required.');
  const wrong = checkPathSegmentName(name);
  if (wrong.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`);
  return prefixOf(definition, namespace) + name;
}
