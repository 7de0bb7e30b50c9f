/** Basic authorizers, and their union. */
import type { Identity } from '../../apimachinery/identity.js';
import type { Attributes, Authorizer, Decision } from '../interface.js';
import { systemMasters } from '../identity/system-users.js';

const allowed: Decision = { allowed: true, reason: '' };
const noOpinion: Decision = { allowed: false, reason: '' };

/** Allows everything to members of system:masters. It is the first authorizer. */
export const masters: Authorizer = user => (user.groups.includes(systemMasters) ? allowed : noOpinion);

/** Allows these paths to every user: exact ones, or prefixes with a `*` at the end. as apiserver/pkg/authorization/path NewAuthorizer */
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
 * Returns an authorizer that takes the first decision to allow or deny; the reasons of authorizers without opinion are joined. hot: makes no
 * promise unless an authorizer returns one.
 */
export function unionAuthorizers(...authorizers: readonly Authorizer[]): Authorizer {
  const from = (
    at: number,
    user: Identity,
    attributes: Attributes,
    reasons: readonly string[],
  ): ReturnType<Authorizer> => {
    let collected = reasons;
    for (let i = at; i < authorizers.length; i++) {
      const decision = authorizers[i]?.(user, attributes) ?? noOpinion;
      if (decision instanceof Promise)
        return decision.then(d => (decides(d) ? d : from(i + 1, user, attributes, add(collected, d))));
      if (decides(decision)) return decision;
      collected = add(collected, decision);
    }
    return collected.length === 0 ? noOpinion : { allowed: false, reason: collected.join('\n') };
  };
  return (user, attributes) => from(0, user, attributes, []);
}

const decides = (decision: Decision): boolean => decision.allowed || decision.denied === true;
const add = (reasons: readonly string[], { reason }: Decision): readonly string[] =>
  reason === '' ? reasons : [...reasons, reason];
