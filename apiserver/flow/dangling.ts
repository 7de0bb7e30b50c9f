/** Computes the condition Dangling of a FlowSchema: whether its priority level is missing. */
import { formatTime } from '../../lib/go/time.js';
import type { FlowSchema } from '../../api/kubernetes/flowcontrol.js';

interface DanglingCondition {
  readonly type: 'Dangling';
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason: 'NotFound' | 'Found';
  readonly message: string;
}

/** Returns the condition that has to be written; undefined when the schema has it already. as apf_controller.go presyncFlowSchemaStatus */
export function danglingCondition(
  { spec, status }: FlowSchema,
  exists: (level: string) => boolean,
  now: Date,
): DanglingCondition | undefined {
  const level = spec?.priorityLevelConfiguration?.name ?? '';
  const found = exists(level);
  const head = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const desired: DanglingCondition = {
    type: 'Dangling',
    status: found ? 'False' : 'True',
    lastTransitionTime: formatTime(now),
    reason: found ? 'Found' : 'NotFound',
    message: found ? `${head} and it exists` : `${head} but there is no such object`,
  };
  const known = status?.conditions?.find(({ type }) => type === 'Dangling');
  const same = known?.status === desired.status && known.reason === desired.reason && known.message === desired.message;
  return same ? undefined : desired;
}
