import type { Printer } from '../../../registry/interface.js';
import { ageCell, firstFew, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../../api/kubernetes/autoscaling.js';

/** Prints autoscaling/v2 objects. */
export const hpaPrinter: Printer = printer<HorizontalPodAutoscaler>(
  [
    name,
    textColumn('Reference'),
    textColumn('Targets'),
    textColumn('MinPods'),
    textColumn('MaxPods'),
    textColumn('Replicas'),
    ageTextColumn,
  ],
  (hpa, now) => {
    const { spec, status } = hpa;
    return [
      nameCell(hpa),
      `${spec?.scaleTargetRef?.kind ?? ''}/${spec?.scaleTargetRef?.name ?? ''}`,
      targets(spec?.metrics ?? [], status?.currentMetrics ?? []),
      spec?.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
      spec?.maxReplicas ?? 0,
      status?.currentReplicas ?? 0,
      ageCell(hpa, now),
    ];
  },
);

// as pkg/printers/internalversion formatHPAMetrics
function targets(specs: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (specs.length === 0) return '<none>';
  return firstFew(
    specs.map((spec, i) => metric(spec, statuses[i] ?? {})),
    2,
    ', ',
  );
}

function metric(spec: MetricSpec, status: MetricStatus): string {
  switch (spec.type) {
    case 'External':
      return value(spec.external?.target, status.external?.current);
    case 'Object':
      return value(spec.object?.target, status.object?.current);
    case 'Pods':
      return `${average(status.pods?.current)}/${spec.pods?.target?.averageValue ?? '0'}`;
    case 'Resource':
      return `${spec.resource?.name ?? ''}: ${utilization(spec.resource?.target, status.resource?.current)}`;
    case 'ContainerResource':
      return `${spec.containerResource?.name ?? ''}: ${utilization(spec.containerResource?.target, status.containerResource?.current)}`;
    default:
      return '<unknown type>';
  }
}

function value(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? '<unknown>'}/${target.averageValue} (avg)`;
  return `${current ? (current.value ?? '0') : '<unknown>'}/${target?.value ?? '0'}`;
}

function average(current: MetricValueStatus | undefined): string {
  return current ? String(current.averageValue ?? '0') : '<unknown>';
}

function utilization(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${average(current)}/${target.averageValue}`;
  const percent = (n: number | undefined, otherwise: string): string => (n === undefined ? otherwise : `${n}%`);
  return `${percent(current?.averageUtilization, '<unknown>')}/${percent(target?.averageUtilization, '<auto>')}`;
}
