import type { NewCondition } from '../../client/runtime/conditions.js';
import type { RemainingObjects } from './namespace-content.js';

/** What keeps a namespace. */
export interface Problems {
  readonly rest: readonly RemainingObjects[];
  readonly failures: readonly string[];
  /** The group versions whose discovery cannot be read. */
  readonly unreadable: readonly string[];
}

/** as client-go/discovery ErrGroupDiscoveryFailed */
function discoveryFailure(groupVersions: readonly string[]): string {
  const each = groupVersions.map(name => `${name}: stale GroupVersion discovery: ${name}`).join(', ');
  return `Discovery failed for some groups, ${groupVersions.length} failing: unable to retrieve the complete list of server APIs: ${each}`;
}

/** Returns the conditions of the namespace; one that is True is a problem. */
export function namespaceConditions({ rest, failures, unreadable }: Problems): NewCondition[] {
  const counts = rest
    .map(({ resource: { group, resource }, count }) => `${resource}.${group} has ${count} resource instances`)
    .sort();
  const failureText = `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`;
  const finalizers = new Map<string, number>();
  for (const [finalizer, count] of rest.flatMap(each => [...each.finalizers]))
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
  const finalizerCounts = [...finalizers].sort().map(([finalizer, n]) => `${finalizer} in ${n} resource instances`);
  const condition = (
    type: string,
    problem: boolean,
    [bad, good]: [string, string],
    [badMessage, goodMessage]: [string, string],
  ): NewCondition => ({
    type,
    status: problem ? 'True' : 'False',
    reason: problem ? bad : good,
    message: problem ? badMessage : goodMessage,
  });
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      unreadable.length > 0,
      ['DiscoveryFailed', 'ResourcesDiscovered'],
      [discoveryFailure(unreadable), 'All resources successfully discovered'],
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      ['', 'ParsedGroupVersions'],
      ['', 'All legacy kube types successfully parsed'],
    ),
    condition(
      'NamespaceDeletionContentFailure',
      failures.length > 0,
      ['ContentDeletionFailed', 'ContentDeleted'],
      [failureText, 'All content successfully deleted, may be waiting on finalization'],
    ),
    condition(
      'NamespaceContentRemaining',
      counts.length > 0,
      ['SomeResourcesRemain', 'ContentRemoved'],
      [`Some resources are remaining: ${counts.join(', ')}`, 'All content successfully removed'],
    ),
    condition(
      'NamespaceFinalizersRemaining',
      finalizerCounts.length > 0,
      ['SomeFinalizersRemain', 'ContentHasNoFinalizers'],
      [
        `Some content in the namespace has finalizers remaining: ${finalizerCounts.join(', ')}`,
        'All content-preserving finalizers finished',
      ],
    ),
  ];
}
