import type { Binding, TargetCluster } from '../../api/karmada/types.js';
import { shownList } from '../../lib/shown-list.js';
import { helpAgainst } from '../plugins/plugins.js';
import type { Attempt } from './attempt.js';
import { triggerText } from './causes.js';
import { type Committed, sameTargets } from './commit.js';
import type { Trigger } from './trigger.js';

/** Clusters that a sentence names. */
const maxNamed = 5;
/** Characters of a sentence. An Event has at most 1024. */
const maxLength = 1000;

function briefly(targets: readonly TargetCluster[]): string {
  const textOf = ({ name, replicas }: TargetCluster): string => (replicas ? `${name}: ${replicas}` : name);
  return targets.length === 0 ? 'none' : shownList(targets, maxNamed, textOf);
}

/** An attempt that has ended. */
interface Ended {
  readonly binding: Binding;
  readonly why: Trigger;
  /** The scheduler has asked for the attempt by itself, since a cluster has begun to serve the kind. */
  readonly isOvertaken: boolean;
  readonly result: Attempt;
  readonly refusal: Committed['refusal'];
}

/** Returns in one sentence why a binding has other targets than before, or what it waits for; undefined if there is nothing to tell. */
export function decisionText({ binding, why, isOvertaken, result, refusal }: Ended): string | undefined {
  const { decision } = result;
  if (decision.type !== 'placed') {
    const help = helpAgainst(new Set(decision.refusedBy));
    if (decision.type !== 'FitError') help.push('room in clusters');
    return `The scheduler waits for ${[...help, 'a change of the policy'].join(', or ')}.`.slice(0, maxLength);
  }
  if (refusal === 'QuotaExceeded') return 'The scheduler waits for a FederatedResourceQuota that allows the replicas.';
  // Another Event has the message of the server.
  if (refusal) return undefined;
  const before = binding.spec.clusters ?? [];
  if (before.length === 0 || sameTargets(before, decision.clusters)) return undefined;
  const cause = isOvertaken ? 'another cluster has begun to serve the kind' : triggerText(why, binding);
  const text = `The clusters have changed from ${briefly(before)} to ${briefly(decision.clusters)}: ${cause}`;
  return `${text.slice(0, maxLength)}.`;
}
