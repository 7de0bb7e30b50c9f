import type { Node } from '../../openapi/gen/core-v1.js';
import { timestamp } from '../../client/runtime/conditions.js';
import { find } from '../../client/find.js';
import { updateObject } from '../../client/runtime/update.js';
import type { Client } from '../../client/interface.js';
import { nodes } from '../../api/kubernetes/resources.js';
import {
  archLabel,
  betaArchLabel,
  betaOsLabel,
  hostnameLabel,
  notReadyTaint,
  osLabel,
} from '../../api/kubernetes/well-known.js';

/** The capacity of a member. */
export interface Hardware {
  readonly nodes: number;
  /** Quantities for each node. */
  readonly cpu: string;
  readonly memory: string;
  readonly pods: string;
}

/** The nodes of a member: their capacity, and the port of their kubelets. */
interface NodeSettings extends Hardware {
  readonly kubeletPort: number;
}

export const defaultHardware: Hardware = { nodes: 3, cpu: '64', memory: '256Gi', pods: '1k' };

/** Creates missing nodes, and updates those of an earlier start to the requested capacity. */
export async function ensureNodes(client: Client, cluster: string, settings: NodeSettings, now: number): Promise<void> {
  for (let index = 1; index <= settings.nodes; index++) {
    const node = nodeOf(`${cluster}-node-${index}`, index, settings, timestamp(now));
    const current =
      (await find(client, nodes, { name: node.metadata.name ?? '' })) ?? (await client.create(nodes, node));
    const untainted = await updateObject<Node>(client, nodes, current, removeNotReadyTaint);
    await updateObject<Node>(
      client,
      nodes,
      untainted,
      draft => {
        // Conditions that were set since are kept; everything else comes from the configuration.
        draft.status = { ...node.status, ...(draft.status?.conditions ? { conditions: draft.status.conditions } : {}) };
      },
      { subresource: 'status' },
    );
  }
}

/** Removes the taint that admission puts on new nodes until they are ready, which these are from the start. */
function removeNotReadyTaint(draft: Node): void {
  const taints = draft.spec?.taints?.filter(({ key }) => key !== notReadyTaint);
  if (!draft.spec || taints?.length === draft.spec.taints?.length) return;
  if (taints && taints.length > 0) draft.spec.taints = taints;
  else delete draft.spec.taints;
}

function nodeOf(name: string, index: number, { cpu, memory, pods, kubeletPort }: NodeSettings, now: string): Node {
  const capacity = { cpu, memory, pods, 'ephemeral-storage': '1Ti' };
  const conditions = [
    ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
    ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
    ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
    ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
  ].map(([type = '', status = '', reason = '', message = '']) => ({
    ...{ type, status, reason, message },
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        [hostnameLabel]: name,
        [osLabel]: 'linux',
        [archLabel]: 'amd64',
        [betaOsLabel]: 'linux',
        [betaArchLabel]: 'amd64',
      },
    },
    spec: { podCIDR: `10.${index}.0.0/16`, podCIDRs: [`10.${index}.0.0/16`] },
    status: {
      capacity,
      allocatable: capacity,
      conditions,
      addresses: [
        { type: 'InternalIP', address: `192.168.0.${index}` },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'simulated://1.0',
        kernelVersion: 'simulated',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.36.2',
        machineID: '',
        operatingSystem: 'linux',
        osImage: 'simulated',
        systemUUID: '',
      },
    },
  };
}
