/** Validates how pods are spread over zones and nodes. */
// as pkg/apis/core/validation validateTopologySpreadConstraints
import { labelSelectorFaults } from '../../../../apimachinery/selectors/label-faults.js';
import type { LabelSelector } from '../../../../apimachinery/selectors/label-selectors.js';
import { checkLabelKey } from '../../../../apimachinery/meta/names.js';
import type { Field } from '../../../shared/rules/field.js';
import { positive } from '../../../shared/rules/numbers.js';
import type { TopologySpreadConstraint } from '../../../../api/kubernetes/core.js';
import { labelKeys } from '../shared/affinity-rules.js';
import type { PodOptions } from '../shared/pod-options.js';

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const nodePolicies = ['Honor', 'Ignore'];

type Pair = Pick<TopologySpreadConstraint, 'topologyKey' | 'whenUnsatisfiable'>;

const pairOf = ({ topologyKey = '', whenUnsatisfiable = '' }: Pair): string =>
  JSON.stringify([topologyKey, whenUnsatisfiable]);

/** Checks the constraints. Two may not have the same key and action. as pkg/apis/core/validation validateTopologySpreadConstraints */
export function spreadConstraints(
  list: Field<TopologySpreadConstraint[]>,
  options: Pick<PodOptions, 'allowBadSpreadSelectors' | 'oldMatchLabelKeys'>,
): void {
  // hot: there may be tens of thousands
  const lastOf = new Map((list.value ?? []).map((constraint, i) => [pairOf(constraint), i]));
  for (const [i, constraint] of list.items().entries()) {
    const { topologyKey = '', whenUnsatisfiable: action = '' } = constraint.value ?? {};
    positive(constraint.at('maxSkew'));
    if (topologyKey === '') constraint.at('topologyKey').required('can not be empty');
    if (!actions.includes(action)) constraint.at('whenUnsatisfiable').notSupported(actions);
    if ((lastOf.get(pairOf({ topologyKey, whenUnsatisfiable: action })) ?? i) > i)
      constraint.as(`${constraint.path}.{topologyKey, whenUnsatisfiable}`).duplicate(`{${topologyKey}, ${action}}`);
    domains(constraint, action);
    for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy'] as const) {
      const policy = constraint.at(name);
      if (policy.isSet && !nodePolicies.includes(policy.value ?? '')) policy.notSupported(nodePolicies);
    }
    if (options.oldMatchLabelKeys) oldLabelKeys(constraint);
    else labelKeys(constraint);
    if (!options.allowBadSpreadSelectors)
      constraint.add(
        ...labelSelectorFaults(
          constraint.value?.labelSelector as LabelSelector | undefined,
          constraint.at('labelSelector').path,
        ),
      );
  }
}

function domains(constraint: Field<TopologySpreadConstraint>, action: string): void {
  const minDomains = constraint.at('minDomains');
  if (!minDomains.isSet) return;
  positive(minDomains);
  if (action !== 'DoNotSchedule')
    minDomains.invalid(`can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`);
}

// as pkg/apis/core/validation ValidateMatchLabelKeysInTopologySpread
function oldLabelKeys(constraint: Field<TopologySpreadConstraint>): void {
  const keys = constraint.at('matchLabelKeys');
  if (keys.isEmpty) return;
  const selector = constraint.value?.labelSelector;
  if (!selector) keys.forbidden('must not be specified when labelSelector is not set');
  const selected = new Set([
    ...Object.keys(selector?.matchLabels ?? {}),
    ...(selector?.matchExpressions ?? []).map(e => e.key ?? ''),
  ]);
  for (const key of keys.items()) {
    key.check(checkLabelKey);
    if (selected.has(key.value ?? '')) key.invalid('exists in both matchLabelKeys and labelSelector');
  }
}
