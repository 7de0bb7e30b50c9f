import type { Printer } from '../../../registry/interface.js';
import type { Event } from '../../../api/kubernetes/core.js';
import { nameCell, since } from '../../shared/print/cells.js';
import { printer, textColumn, wide } from '../../../registry/printer.js';

/** Prints core events; events of both groups are stored in this form. */
// as pkg/printers/internalversion printEvent
export const eventPrinter: Printer = printer<Event>(
  [
    textColumn('Last Seen'),
    textColumn('Type'),
    textColumn('Reason'),
    textColumn('Object'),
    wide('Subobject'),
    wide('Source'),
    textColumn('Message'),
    wide('First Seen'),
    wide('Count'),
    { name: 'Name', type: 'string', format: 'name', priority: 1 },
  ],
  (event, now) => {
    const first = since(event.firstTimestamp ?? event.eventTime, now);
    return [
      lastSeen(event, first, now),
      event.type ?? '',
      event.reason ?? '',
      target(event),
      event.involvedObject?.fieldPath ?? '',
      source(event),
      (event.message ?? '').trim(),
      first,
      event.series ? (event.series.count ?? 0) : event.count || 1,
      nameCell(event),
    ];
  },
);

function lastSeen(event: Event, first: string, now: Date): string {
  if (event.series) return since(event.series.lastObservedTime, now);
  return event.lastTimestamp ? since(event.lastTimestamp, now) : first;
}

function target({ involvedObject }: Event): string {
  const kind = (involvedObject?.kind ?? '').toLowerCase();
  return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
}

function source(event: Event): string {
  const component = event.source?.component || event.reportingComponent || '';
  const instance = event.source?.host || event.reportingInstance || '';
  return instance === '' ? component : `${component}, ${instance}`;
}
