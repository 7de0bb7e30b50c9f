import type { NativeKind } from '../native-kind.js';
import type { Pod } from '../types/core.js';
import { podPrinter } from './pod-printer.js';

export const pod: NativeKind = {
  group: '',
  kind: 'Pod',
  printer: podPrinter,
  selectableFields: {
    'spec.nodeName': object => (object as Pod).spec?.nodeName ?? '',
    'spec.restartPolicy': object => (object as Pod).spec?.restartPolicy ?? '',
    'spec.schedulerName': object => (object as Pod).spec?.schedulerName ?? '',
    'spec.serviceAccountName': object => (object as Pod).spec?.serviceAccountName ?? '',
    'spec.hostNetwork': object => String((object as Pod).spec?.hostNetwork ?? false),
    'status.phase': object => (object as Pod).status?.phase ?? '',
    'status.podIP': object => (object as Pod).status?.podIPs?.[0]?.ip ?? '',
    // Known, but no pod has a value for it.
    'status.podIPs': () => '',
    'status.nominatedNodeName': object => (object as Pod).status?.nominatedNodeName ?? '',
  },
};
