/** Prints the row of a pod: a one-word status from phases, reasons and container states. */
import type { Printer } from '../../../../registry/interface.js';
import { ageCell, nameCell, since } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn, wide } from '../../../../registry/printer.js';
import type { ContainerStateTerminated, ContainerStatus, Pod } from '../../../../api/kubernetes/core.js';
import { isConditionTrue } from '../../../../apimachinery/meta/conditions.js';
import { ownValue } from '../../../../lib/collections/own-value.js';

const columns: Printer = printer<Pod>(
  [
    name,
    textColumn('Ready'),
    textColumn('Status'),
    textColumn('Restarts'),
    ageTextColumn,
    wide('IP'),
    wide('Node'),
    wide('Nominated Node'),
    wide('Readiness Gates'),
  ],
  (pod, now) => {
    const { ready, total, reason, restarts, lastRestart } = summary(pod);
    const ago = restarts !== 0 && lastRestart !== '' ? ` (${since(lastRestart, now)} ago)` : '';
    return [
      nameCell(pod),
      `${ready}/${total}`,
      reason,
      `${restarts}${ago}`,
      ageCell(pod, now),
      pod.status?.podIPs?.[0]?.ip || '<none>',
      pod.spec?.nodeName || '<none>',
      pod.status?.nominatedNodeName || '<none>',
      readinessGates(pod),
    ];
  },
);

const endings: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

export const podPrinter: Printer = {
  ...columns,
  conditions: object => {
    const reason = (object as Pod).status?.phase ?? '';
    const message = ownValue(endings, reason);
    return message === undefined ? [] : [{ type: 'Completed', status: 'True', reason, message }];
  },
};

interface Restarts {
  restarts: number;
  /** When the last container ended; '' if none did. */
  lastRestart: string;
}

interface Summary extends Restarts {
  ready: number;
  total: number;
  reason: string;
}

// as pkg/printers/internalversion printPod
function summary(pod: Pod): Summary {
  const sidecars = new Set((pod.spec?.initContainers ?? []).filter(c => c.restartPolicy === 'Always').map(c => c.name));
  const init = initSummary(pod, sidecars);
  const out: Summary = {
    ready: init.ready,
    total: (pod.spec?.containers ?? []).length + sidecars.size,
    reason: init.reason ?? phaseReason(pod),
    restarts: init.all.restarts,
    lastRestart: init.all.lastRestart,
  };
  if (init.reason === undefined || isConditionTrue(pod.status?.conditions, 'Initialized'))
    mainSummary(pod, init.sidecars, out);
  if (pod.metadata.deletionTimestamp) {
    if (pod.status?.reason === 'NodeLost') out.reason = 'Unknown';
    else if (pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed') out.reason = 'Terminating';
  }
  return out;
}

function phaseReason({ status }: Pod): string {
  const gated = status?.conditions?.some(c => c.type === 'PodScheduled' && c.reason === 'SchedulingGated');
  return gated ? 'SchedulingGated' : status?.reason || (status?.phase ?? '');
}

/** Covers the init containers up to the first that is not done; `reason`: of its waiting state. */
function initSummary(
  pod: Pod,
  sidecars: ReadonlySet<string | undefined>,
): { ready: number; reason?: string; all: Restarts; sidecars: Restarts } {
  const all: Restarts = { restarts: 0, lastRestart: '' };
  const ofSidecars: Restarts = { restarts: 0, lastRestart: '' };
  let ready = 0;
  for (const [index, container] of (pod.status?.initContainerStatuses ?? []).entries()) {
    const isSidecar = sidecars.has(container.name);
    count(all, container);
    if (isSidecar) count(ofSidecars, container);
    const { terminated, waiting } = container.state ?? {};
    if (terminated && !terminated.exitCode) continue;
    if (isSidecar && container.started) {
      if (container.ready) ready++;
      continue;
    }
    let reason = `Init:${index}/${(pod.spec?.initContainers ?? []).length}`;
    if (terminated) reason = `Init:${endReason(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') reason = `Init:${waiting.reason}`;
    return { ready, reason, all, sidecars: ofSidecars };
  }
  return { ready, all, sidecars: ofSidecars };
}

/** Visits the containers from last to first, so that the reason of the first one is kept. */
function mainSummary(pod: Pod, sidecars: Restarts, out: Summary): void {
  out.restarts = sidecars.restarts;
  out.lastRestart = sidecars.lastRestart;
  let running = false;
  let failure = '';
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    count(out, container);
    const { waiting, terminated, running: isRunning } = container.state ?? {};
    if (waiting?.reason) out.reason = waiting.reason;
    else if (terminated) {
      out.reason = endReason(terminated);
      if (terminated.exitCode) failure = out.reason;
    } else if (container.ready && isRunning) {
      running = true;
      out.ready++;
    }
  }
  if (out.reason !== 'Completed') return;
  if (running && isConditionTrue(pod.status?.conditions, 'Ready')) out.reason = 'Running';
  else if (failure !== '') out.reason = failure;
  else if (running) out.reason = 'NotReady';
}

function count(restarts: Restarts, container: ContainerStatus): void {
  restarts.restarts += container.restartCount ?? 0;
  const finished = container.lastState?.terminated?.finishedAt ?? '';
  if (finished > restarts.lastRestart) restarts.lastRestart = finished;
}

function endReason({ reason, signal, exitCode }: ContainerStateTerminated): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`);
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(gate => status?.conditions?.find(c => c.type === gate.conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}
