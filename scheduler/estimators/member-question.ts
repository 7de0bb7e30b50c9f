import type { BindingSpec, Cluster, Component, ReplicaRequirements } from '../../api/karmada/types.js';
import { isMap } from '../../lib/json/is-map.js';
import { jsonText } from '../../lib/json/json.js';
import type { EstimateQuery, EstimateTable } from '../interface.js';
import { componentsFault, requirementsFault, withAmountTexts } from './requirement-faults.js';

/** What a decision asks about members, as JSON for another process. */
export interface MemberQuestion {
  /** Names. */
  readonly clusters: readonly string[];
  /** What the estimates are for. */
  readonly resource: Pick<BindingSpec['resource'], 'kind' | 'namespace' | 'name'>;
  readonly requirements?: ReplicaRequirements;
  /** Present: how many sets of them fit is asked, and not how many replicas. */
  readonly components?: readonly Component[];
}

/** Estimates by cluster, as JSON. A cluster without an estimate is absent. */
export interface MemberAnswer {
  readonly estimates: Readonly<Record<string, number>>;
}

/** Maximum number of clusters of a question from outside. */
const maxClusters = 10_000;
/** Maximum length of the requirements, or of the components, of a question from outside, as JSON. */
const maxLength = 256 * 1024;

/** Returns what is in the question of a query: of clusters their names, of the binding the resource and its requirements. */
export function memberQuestionOf({ clusters, spec, components }: EstimateQuery): MemberQuestion {
  const { kind, namespace, name } = spec.resource;
  return {
    clusters: clusters.map(({ metadata }) => metadata.name ?? ''),
    resource: { kind, ...(namespace !== undefined && { namespace }), name },
    ...(spec.replicaRequirements && { requirements: spec.replicaRequirements }),
    ...(components && { components }),
  };
}

/** Returns the question with clusters that have only a name, which is all that estimators read of them. */
export function estimateQueryOf({ clusters, resource, requirements, components }: MemberQuestion): EstimateQuery {
  return {
    clusters: clusters.map((name): Cluster => ({
      apiVersion: '',
      kind: 'Cluster',
      metadata: { name },
      spec: { syncMode: 'Push' },
    })),
    spec: {
      resource: { apiVersion: '', ...resource },
      ...(requirements && { replicaRequirements: withAmountTexts(requirements) }),
    },
    ...(components && {
      components: components.map(({ replicaRequirements, ...others }) => ({
        ...others,
        ...(replicaRequirements && { replicaRequirements: withAmountTexts(replicaRequirements) }),
      })),
    }),
  };
}

/** Returns the estimates as JSON, for another process of this control plane. */
export const memberAnswerOf = (table: EstimateTable): MemberAnswer => ({ estimates: Object.fromEntries(table) });

/** Returns the estimates that another process of this control plane has sent. */
export const estimateTableOf = ({ estimates }: MemberAnswer): EstimateTable => new Map(Object.entries(estimates));

const isText = (value: unknown): boolean => value === undefined || typeof value === 'string';

/** Returns what is wrong with a question from outside; undefined for one that estimators can be asked. */
export function questionFault(value: unknown): string | undefined {
  if (!isMap(value)) return 'want an object';
  const { clusters, resource, requirements, components } = value;
  if (!Array.isArray(clusters) || !clusters.every(name => typeof name === 'string'))
    return 'clusters: want a list of names';
  if (clusters.length > maxClusters) return `clusters: at most ${maxClusters} may be asked about`;
  if (new Set(clusters).size < clusters.length) return 'clusters: a name is there twice';
  if (!isMap(resource) || typeof resource['kind'] !== 'string' || typeof resource['name'] !== 'string')
    return 'resource: want a kind, a name, and a namespace if it has one';
  if (!isText(resource['namespace'])) return 'resource.namespace: want a string';
  for (const [name, part] of Object.entries({ requirements, components }))
    if (part !== undefined && jsonText(part).length > maxLength)
      return `${name}: at most ${maxLength} characters of JSON`;
  return (
    (requirements === undefined ? undefined : requirementsFault('requirements', requirements)) ??
    (components === undefined ? undefined : componentsFault('components', components))
  );
}
