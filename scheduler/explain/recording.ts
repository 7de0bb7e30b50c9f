import type { BindingSpec, Placement, TargetCluster } from '../../api/karmada/types.js';
import type { Candidate, Decision, DecisionRecorder } from '../interface.js';
import { constraintOf, type Grouping, groupingsOf } from '../place/grouping.js';
import { groupsOf, hasSpread } from '../place/select.js';
import type { ExplainedCluster, ExplainedDecision, ExplainedRegion } from './explanation.js';

/** Maximum number of clusters in an explanation, over all its decisions. */
const maxClusters = 10_000;
/** Maximum number of decisions in an explanation. */
const maxDecisions = 50;

const byName = (a: ExplainedCluster, b: ExplainedCluster): number => (a.name < b.name ? -1 : 1);

/** Returns the constraint by whose groups the clusters are selected; undefined if there is none, or several that are satisfied together. */
function groupingOf(placement: Placement): Grouping | undefined {
  const groupings = hasSpread(placement) ? groupingsOf(placement) : [];
  return groupings.length === 1 ? groupings[0] : undefined;
}

/** Returns why a cluster that fits was not selected. Without spread constraints all of them are. */
function notSelected({ cluster }: Candidate, chosenGroups: ReadonlySet<string>, placement: Placement): string {
  const grouping = groupingOf(placement);
  if (grouping && chosenGroups.size > 0) {
    const value = grouping.groupNameOf(cluster);
    const { name } = grouping;
    if (value === undefined) return `the cluster has no ${name}`;
    if (!chosenGroups.has(value)) return `other sets of ${name}s are preferred to those with ${name} ${value}`;
  }
  const { maxGroups = 0 } = constraintOf(placement, 'cluster') ?? {};
  if (groupingsOf(placement).length > 1) return 'other clusters are preferred that satisfy the spread constraints';
  return `other clusters are preferred, and at most ${maxGroups} may be selected`;
}

/** Returns why a selected cluster gets no replicas. */
function withoutReplicas({ replicaScheduling: strategy }: Placement): string {
  if (strategy?.replicaDivisionPreference === 'Aggregated')
    return 'the replicas fit on fewer clusters, which the policy wants';
  if (strategy?.weightPreference?.dynamicWeight) return 'its share by available replicas is none';
  return 'its weight gives it no replicas';
}

/** Records decisions for an explanation, up to a limit. */
export class DecisionRecording implements DecisionRecorder {
  readonly decisions: ExplainedDecision[] = [];
  /** The number of decisions that were not recorded. */
  omitted = 0;
  readonly #spec: BindingSpec;
  /** How many more clusters may be recorded. */
  #left = maxClusters;
  #affinityName: string | undefined;
  #filtered: ExplainedCluster[] = [];
  #ranked: readonly Candidate[] = [];
  #selected: ReadonlySet<Candidate> = new Set();
  #omittedClusters = 0;

  constructor(spec: BindingSpec) {
    this.#spec = spec;
  }

  began(affinityName: string | undefined): void {
    this.#affinityName = affinityName;
    this.#filtered = [];
    this.#ranked = [];
    this.#selected = new Set();
    this.#omittedClusters = 0;
  }

  filtered(name: string, plugin: string, reason: string): void {
    if (this.#takes()) this.#filtered.push({ name, result: 'filtered', ...(plugin !== '' && { plugin }), reason });
  }

  ranked(candidates: readonly Candidate[]): void {
    this.#ranked = candidates;
  }

  selected(candidates: readonly Candidate[]): void {
    this.#selected = new Set(candidates);
  }

  ended(decision: Decision): void {
    if (this.decisions.length >= maxDecisions) {
      this.omitted++;
      return;
    }
    const regions = this.#regions();
    const label = groupingOf(this.#spec.placement ?? {})?.constraint.spreadByLabel;
    const targets =
      decision.type === 'placed' ? new Map(decision.clusters.map(target => [target.name, target])) : undefined;
    const chosenRegions = new Set(regions.flatMap(({ name, selected }) => (selected ? [name] : [])));
    const clusters = this.#ranked
      .filter(() => this.#takes())
      .map(candidate => this.#explained(candidate, chosenRegions, targets));
    this.decisions.push({
      ...(this.#affinityName !== undefined && { affinityName: this.#affinityName }),
      type: decision.type,
      ...(decision.type !== 'placed' && { message: decision.message }),
      clusters: [...clusters, ...this.#filtered.sort(byName)],
      ...(regions.length > 0 && { regions }),
      ...(label !== undefined && regions.length > 0 && { groupedBy: label }),
      ...(this.#omittedClusters > 0 && { omittedClusters: this.#omittedClusters }),
    });
  }

  #takes(): boolean {
    if (this.#left > 0) {
      this.#left--;
      return true;
    }
    this.#omittedClusters++;
    return false;
  }

  #regions(): ExplainedRegion[] {
    const placement = this.#spec.placement ?? {};
    const grouping = groupingOf(placement);
    if (!grouping) return [];
    const chosen = new Set([...this.#selected].map(({ cluster }) => grouping.groupNameOf(cluster)));
    return groupsOf(this.#ranked, this.#spec, grouping)
      .map(({ name, score, clusters }) => ({ name, score, clusters: clusters.length, selected: chosen.has(name) }))
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
  }

  /** `targets`: those of the decision; undefined if it has none. */
  #explained(
    candidate: Candidate,
    chosenRegions: ReadonlySet<string>,
    targets: ReadonlyMap<string, TargetCluster> | undefined,
  ): ExplainedCluster {
    const { name, score, overflowOrder: tier, available, cluster } = candidate;
    const { placement = {}, replicas = 0 } = this.#spec;
    const { region } = cluster.spec;
    const found = { ...(region && { region }), score, ...(tier > 0 && { tier }), ...(replicas > 0 && { available }) };
    if (!this.#selected.has(candidate)) {
      const reason = this.#selected.size > 0 ? { reason: notSelected(candidate, chosenRegions, placement) } : {};
      return { name, result: 'notSelected', ...found, ...reason };
    }
    if (!targets) return { name, result: 'selected', ...found };
    const target = targets.get(name);
    if (!target) return { name, result: 'selected', ...found, replicas: 0, reason: withoutReplicas(placement) };
    return { name, result: 'selected', ...found, ...(target.replicas !== undefined && { replicas: target.replicas }) };
  }
}
