import type { ReplicaSet } from '../../openapi/gen/apps-v1.js';
import { selectorOf } from '../../apimachinery/selectors/label-selectors.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { replicaSets } from '../../api/kubernetes/resources.js';
import type { Placement } from '../pods/placement.js';
import { startReplicas } from './replicas.js';

/** Runs as many Pods as a ReplicaSet wants. */
export const startReplicaSets = (context: ControllerContext, placement: Placement): void =>
  startReplicas<ReplicaSet>(context, placement, {
    controller: 'replicaset-controller',
    resource: replicaSets,
    kind: 'ReplicaSet',
    selector: ({ spec }) => selectorOf(spec?.selector),
    more: going => ({ terminatingReplicas: going }),
  });
