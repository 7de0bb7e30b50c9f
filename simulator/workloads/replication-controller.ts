import type { ReplicationController } from '../../openapi/gen/core-v1.js';
import { nothing, selectorOfLabels } from '../../apimachinery/selectors/label-selectors.js';
import type { ControllerContext } from '../../client/runtime/interface.js';
import { replicationControllers } from '../../api/kubernetes/resources.js';
import type { Placement } from '../pods/placement.js';
import { startReplicas } from './replicas.js';

/** Runs as many Pods as a ReplicationController wants. */
export const startReplicationControllers = (context: ControllerContext, placement: Placement): void =>
  startReplicas<ReplicationController>(context, placement, {
    controller: 'replication-controller',
    resource: replicationControllers,
    kind: 'ReplicationController',
    selector: ({ spec }) => (spec?.selector ? selectorOfLabels(spec.selector) : nothing),
  });
