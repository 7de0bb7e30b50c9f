import type { Prepare } from '../../interface.js';
import { keepStatus } from '../../strategy/parts.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text, wide } from '../shared/printer.js';
import type { Node } from '../types/core.js';

export const node: NativeKind = {
  group: '',
  kind: 'Node',
  storagePrefix: '/registry/minions',
  selectableFields: { 'spec.unschedulable': object => String((object as Node).spec?.unschedulable ?? false) },
  printer: printer<Node>(
    [
      name,
      text('Status'),
      text('Roles'),
      age,
      text('Version'),
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
  strategy: strategy({
    prepareCreate: [dropConfigSource],
    prepareUpdate: [keepStatus, dropConfigSource],
    resetFields: ['status'],
  }),
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

/** Configuration by a ConfigMap is a thing of the past: it stays only where it already is. */
function dropConfigSource(...[draft, old]: Parameters<Prepare>): void {
  const { spec } = draft as Node;
  if (spec && (old as Node | undefined)?.spec?.configSource === undefined) delete spec.configSource;
}
