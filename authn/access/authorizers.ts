/** Small authorizers, several as one, and the refusal as a client meets it. */
import { goQuote } from '../../openapi/meta/go-text.js';
import { forbidden, type StatusError } from '../../openapi/meta/status.js';
import type { Identity } from '../../registry/interface.js';
import type { Attributes, Authorizer, Decision } from '../interface.js';
import { systemMasters } from '../identity/union.js';

const allowed: Decision = { allowed: true, reason: '' };
const noOpinion: Decision = { allowed: false, reason: '' };

/** Members of system:masters may do everything. Stands first. */
export const masters: Authorizer = user => (user.groups.includes(systemMasters) ? allowed : noOpinion);

/** Allows these paths to everybody: exact, or up to a `*` at the end. as apiserver/pkg/authorization/path NewAuthorizer */
export function alwaysAllowPaths(paths: readonly string[]): Authorizer {
  const exact = new Set(paths.filter(path => !path.endsWith('*')));
  const stems = paths.filter(path => path.endsWith('*')).map(path => path.slice(0, -1));
  return (_user, attributes) => {
    if (attributes.type !== 'path') return noOpinion;
    const { path } = attributes;
    return exact.has(path) || stems.some(stem => path.startsWith(stem)) ? allowed : noOpinion;
  };
}

/**
 * The first that allows or denies decides; reasons of those without opinion are joined.
 * hot: no promise is made while none of them makes one.
 */
export function union(...authorizers: readonly Authorizer[]): Authorizer {
  const from = (
    at: number,
    user: Identity,
    attributes: Attributes,
    reasons: readonly string[],
  ): ReturnType<Authorizer> => {
    let heard = reasons;
    for (let i = at; i < authorizers.length; i++) {
      const decision = authorizers[i]?.(user, attributes) ?? noOpinion;
      if (decision instanceof Promise)
        return decision.then(d => (decides(d) ? d : from(i + 1, user, attributes, add(heard, d))));
      if (decides(decision)) return decision;
      heard = add(heard, decision);
    }
    return heard.length === 0 ? noOpinion : { allowed: false, reason: heard.join('\n') };
  };
  return (user, attributes) => from(0, user, attributes, []);
}

const decides = (decision: Decision): boolean => decision.allowed || decision.denied === true;
const add = (reasons: readonly string[], { reason }: Decision): readonly string[] =>
  reason === '' ? reasons : [...reasons, reason];

/** `User "u" cannot list resource "pods" in API group "" in the namespace "ns"`. */
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
