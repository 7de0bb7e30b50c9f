import { pathSegmentFaults } from '../../../registry/strategy/metadata.js';
import { eventRules } from './event-rules.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { eventPrinter } from './event-printer.js';
import type { Event } from '../../../api/kubernetes/core.js';

const about = (field: keyof NonNullable<Event['involvedObject']>) => (object: object) =>
  (object as Event).involvedObject?.[field] ?? '';

/** One hour. */
const eventTtlSeconds = 3600;

export const event: NativeKind = {
  group: '',
  kind: 'Event',
  ttlSeconds: () => eventTtlSeconds,
  printer: eventPrinter,
  selectableFields: {
    'involvedObject.kind': about('kind'),
    'involvedObject.namespace': about('namespace'),
    'involvedObject.name': about('name'),
    'involvedObject.uid': about('uid'),
    'involvedObject.apiVersion': about('apiVersion'),
    'involvedObject.resourceVersion': about('resourceVersion'),
    'involvedObject.fieldPath': about('fieldPath'),
    reason: object => (object as Event).reason ?? '',
    reportingComponent: object => (object as Event).reportingComponent ?? '',
    source: object => (object as Event).source?.component || (object as Event).reportingComponent || '',
    type: object => (object as Event).type ?? '',
  },
  strategy: strategy({
    createOnUpdate: true,
    defaultPropagation: 'Unsupported',
    nameFaults: pathSegmentFaults,
    validateCreate: eventRules,
    validateUpdate: eventRules,
    metadataLast: true,
    metadataRepeats: [],
    plainFinalizers: 'allow',
  }),
};
