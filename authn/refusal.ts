/** Builds the 403 of a request that the authorizer refused. */
import { forbidden, type StatusError } from '../apimachinery/errors/status.js';
import { goQuote } from '../lib/go/go-text.js';
import type { Identity } from '../apimachinery/identity.js';
import type { Attributes } from './interface.js';

/** Returns `User "u" cannot list resource "pods" in API group "" in the namespace "ns"`. */
function refusalText(user: Identity, attributes: Attributes): string {
  const who = `User ${goQuote(user.name)} cannot ${attributes.verb}`;
  if (attributes.type === 'path') return `${who} path ${goQuote(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `${who} resource ${goQuote(what)} in API group ${goQuote(group)} ${where}`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns 403 for a request that is not allowed. as staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go Forbidden */
export function refusal(user: Identity, attributes: Attributes, reason: string): StatusError {
  const text = refusalText(user, attributes).replace(/[&<>]/g, c => entities[c] ?? c);
  const whole = reason === '' ? text : `${text}: ${reason}`;
  if (attributes.type === 'path') return forbidden({ group: '', resource: '' }, '', whole);
  return forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, whole);
}
