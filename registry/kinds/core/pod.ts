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
    'status.podIPs': object => (object as Pod).status?.podIPs?.map(p => p.ip ?? '').join(',') ?? '',
    'status.nominatedNodeName': object => (object as Pod).status?.nominatedNodeName ?? '',
  },
};
