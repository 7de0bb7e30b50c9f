import { nodeChangeRules, nodeRules, nodeStatusRules, nodeWarnings } from './node-rules.js';
import type { Prepare } from '../../../../registry/interface.js';
import { keepStatus, keepAllButStatus, statusPart } from '../../../../registry/strategy/parts.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { ageCell, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn, wide } from '../../../../registry/printer.js';
import type { Node } from '../../../../api/kubernetes/core.js';

export const node: NativeKind = {
  group: '',
  kind: 'Node',
  storagePrefix: '/registry/minions',
  selectableFields: { 'spec.unschedulable': object => String((object as Node).spec?.unschedulable ?? false) },
  printer: printer<Node>(
    [
      name,
      textColumn('Status'),
      textColumn('Roles'),
      ageTextColumn,
      textColumn('Version'),
      wide('Internal-IP'),
      wide('External-IP'),
      wide('OS-Image'),
      wide('Kernel-Version'),
      wide('Container-Runtime'),
    ],
    (n, now) => {
      const info = n.status?.nodeInfo;
      const architecture = info?.architecture ? ` (${info.architecture})` : '';
      return [
        nameCell(n),
        status(n),
        roles(n),
        ageCell(n, now),
        info?.kubeletVersion ?? '',
        address(n, 'InternalIP'),
        address(n, 'ExternalIP'),
        info?.osImage || '<unknown>',
        (info?.kernelVersion || '<unknown>') + architecture,
        info?.containerRuntimeVersion || '<unknown>',
      ];
    },
  ),
  defaults: draft => fillCidrs(draft),
  strategy: strategy({
    prepareCreate: [dropConfigSource, dropUnusedConfig],
    resetFields: ['status'],
    prepareUpdate: [keepStatus, dropConfigSource],
    validateCreate: nodeRules,
    validateUpdate: nodeChangeRules,
    warnings: [nodeWarnings],
    metadataRepeats: ['change', 'whole'],
  }),
  subresources: {
    status: statusPart({ prepareUpdate: [keepAllButStatus, dropUnusedConfig], validateUpdate: nodeStatusRules }),
  },
};

function status(n: Node): string {
  const ready = n.status?.conditions?.findLast(c => c.type === 'Ready');
  const words = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown'];
  if (n.spec?.unschedulable) words.push('SchedulingDisabled');
  return words.join(',');
}

const rolePrefix = 'node-role.kubernetes.io/';

function roles(n: Node): string {
  const found = new Set<string>();
  for (const [key, value] of Object.entries(n.metadata.labels ?? {})) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) found.add(key.slice(rolePrefix.length));
    else if (key === 'kubernetes.io/role' && value !== '') found.add(value);
  }
  return [...found].sort().join(',') || '<none>';
}

function address(n: Node, type: string): string {
  return n.status?.addresses?.find(a => a.type === type)?.address ?? '<none>';
}

/** Configuration by a ConfigMap is obsolete: it stays only in objects that already have it. */
function dropConfigSource(...[draft, old]: Parameters<Prepare>): void {
  const { spec } = draft as Node;
  if (spec && (old as Node | undefined)?.spec?.configSource === undefined) delete spec.configSource;
}

/** The singular field is the first item of the plural one, and takes precedence if they differ. */
// as pkg/apis/core/v1 Convert_v1_NodeSpec_To_core_NodeSpec
function fillCidrs({ spec }: Node): void {
  if (!spec) return;
  if (spec.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]) spec.podCIDRs = [spec.podCIDR];
  const first = spec.podCIDRs?.[0];
  if (first !== undefined) spec.podCIDR = first;
}

/** The field belongs to a feature that was removed. */
function dropUnusedConfig(...[draft, old]: Parameters<Prepare>): void {
  if (!(old as Node | undefined)?.status?.config) delete (draft as Node).status?.config;
}
