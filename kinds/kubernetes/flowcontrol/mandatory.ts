/** The objects that a server must have so that administrators can always get in: they may be written, but not changed. */
// as apiserver/pkg/apis/flowcontrol/bootstrap MandatoryFlowSchemas, MandatoryPriorityLevelConfigurations
import type { FlowSchemaSpec, PriorityLevelConfigurationSpec } from '../../../api/kubernetes/flowcontrol.js';

function everything(...groups: readonly string[]): NonNullable<FlowSchemaSpec['rules']> {
  const all = ['*'];
  return [
    {
      subjects: groups.map(name => ({ kind: 'Group', group: { name } })),
      resourceRules: [{ verbs: all, apiGroups: all, resources: all, namespaces: all, clusterScope: true }],
      nonResourceRules: [{ verbs: all, nonResourceURLs: all }],
    },
  ];
}

export const mandatorySchemas: ReadonlyMap<string, FlowSchemaSpec> = new Map<string, FlowSchemaSpec>([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: everything('system:masters'),
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: everything('system:unauthenticated', 'system:authenticated'),
    },
  ],
]);

export const mandatoryLevels: ReadonlyMap<string, PriorityLevelConfigurationSpec> = new Map<
  string,
  PriorityLevelConfigurationSpec
>([
  ['exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }],
  [
    'catch-all',
    {
      type: 'Limited',
      limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
    },
  ],
]);
