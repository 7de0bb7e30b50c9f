import type { NativeKind } from '../native-kind.js';
import { event as coreEvent } from '../core/event.js';
import { eventPrinter } from '../shared/event-printer.js';

export const event: NativeKind = {
  ...coreEvent,
  group: 'events.k8s.io',
  printer: eventPrinter,
};
