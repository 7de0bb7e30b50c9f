/** Defines cluster.karmada.io Cluster: a member cluster. */
import { formatTime } from '../../../lib/go/time.js';
import type { Prepare, Printer, ResourceDefinition } from '../../../registry/interface.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { statusPart } from '../../../registry/strategy/parts.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn, wide } from '../../../registry/printer.js';
import { validate } from '../../shared/rules/validate.js';
import { checkClusterName, cluster as clusterRules } from './cluster-rules.js';
import { compiledKind, proxyVerbs, storedVerbs } from '../compiled-kind.js';
import { findCondition } from '../conditions.js';
import type { FeatureGates } from '../feature-gates.js';
import { defaultResourceModels, standardizeResourceModels } from './resource-models.js';
import type { Cluster } from '../../../api/karmada/types.js';

const orNone = (value: string | undefined): string => value || '<none>';

// as pkg/printers/internalversion printCluster
const clusterPrinter: Printer = printer<Cluster>(
  [
    name,
    textColumn('Version'),
    textColumn('Mode'),
    textColumn('Ready'),
    ageTextColumn,
    wide('Zones'),
    wide('Region'),
    wide('Provider'),
    wide('API-Endpoint'),
    wide('Proxy-URL'),
  ],
  (cluster, now) => {
    const { spec, status } = cluster;
    return [
      nameCell(cluster),
      status?.kubernetesVersion ?? '',
      spec.syncMode,
      findCondition(status?.conditions, 'Ready')?.status ?? 'Unknown',
      ageCell(cluster, now),
      orNone(spec.zones?.join(',')),
      orNone(spec.region),
      orNone(spec.provider),
      spec.apiEndpoint ?? '',
      orNone(spec.proxyURL),
    ];
  },
);

const fillModels: Prepare = draft => {
  const { spec } = draft as Cluster;
  if (!spec.resourceModels?.length) spec.resourceModels = defaultResourceModels();
};

const standardizeModels: Prepare = draft => {
  const { spec } = draft as Cluster;
  if (!spec.resourceModels?.length) return;
  // Clones what a draft shares with the stored object, which must not change.
  spec.resourceModels = structuredClone(spec.resourceModels);
  standardizeResourceModels(spec.resourceModels);
};

/** Sets the time from which NoExecute taints evict pods. */
const stampTaints: Prepare = (draft, _old, { now }) => {
  const { spec } = draft as Cluster;
  spec.taints = spec.taints?.map(taint =>
    taint.effect === 'NoExecute' && !taint.timeAdded ? { ...taint, timeAdded: formatTime(now.getTime()) } : taint,
  ) as NonNullable<typeof spec.taints>;
  if (!spec.taints) delete spec.taints;
};

const zoneToZones: Prepare = draft => {
  const { spec } = draft as Cluster;
  if (!spec.zone || spec.zones?.length) return;
  spec.zones = [spec.zone];
  delete spec.zone;
};

const rules = validate<Cluster>(clusterRules);

/** Returns the kind Cluster. With the gate CustomizedClusterResourceModeling, new clusters get the default resource models. */
export function clusterDefinition(gates: FeatureGates): ResourceDefinition {
  const graded = gates.CustomizedClusterResourceModeling;
  return compiledKind({
    group: 'cluster.karmada.io',
    kind: 'Cluster',
    plural: 'clusters',
    singular: 'cluster',
    verbs: storedVerbs,
    printer: clusterPrinter,
    strategy: strategy(rulesWithStatus, {
      nameFaults: checkClusterName,
      prepareCreate: [...rulesWithStatus.prepareCreate, ...(graded ? [fillModels, standardizeModels] : [])],
      prepareUpdate: [...rulesWithStatus.prepareUpdate, ...(graded ? [standardizeModels] : [])],
      validateCreate: [rules],
      validateUpdate: [rules],
      canonicalize: [stampTaints, zoneToZones],
      metadataRepeats: ['change', 'whole'],
    }),
    subresources: {
      proxy: {
        type: 'connect',
        verbs: proxyVerbs,
        kind: { group: 'cluster.karmada.io', version: 'v1alpha1', kind: 'ClusterProxyOptions' },
      },
      // differs: upstream's lets the spec through unchecked.
      status: statusPart(),
    },
  });
}
