import { goTime } from '../../shared/go-text/go-time.js';
import type { Prepare } from '../../../registry/interface.js';
import { keepAllButStatus, keepMetadataFields, keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import { apiServiceRules, apiServiceStatusRules } from './api-service-rules.js';
import { checkPathSegmentName } from '../../../apimachinery/meta/names.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { APIService } from '../../../api/kubernetes/apiregistration.js';

export const apiService: NativeKind = {
  group: 'apiregistration.k8s.io',
  kind: 'APIService',
  storagePrefix: '/registry/apiregistration.k8s.io/apiservices',
  // `v1.` belongs to the core group.
  strategy: strategy({
    nameFaults: name => checkPathSegmentName(name),
    prepareCreate: [startStatus],
    prepareUpdate: [keepStatus],
    resetFields: ['status'],
    validateCreate: apiServiceRules,
    validateUpdate: apiServiceRules,
    unconditionalUpdate: false,
    metadataRepeats: ['change', 'whole'],
    plainFinalizers: 'allow',
  }),
  defaults: draft => {
    const service = (draft as APIService).spec?.service;
    if (service) service.port ??= 443;
  },
  printer: printer<APIService>([name, textColumn('Service'), textColumn('Available'), ageTextColumn], (api, now) => {
    const service = api.spec?.service;
    return [
      nameCell(api),
      service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
      available(api),
      ageCell(api, now),
    ];
  }),
  subresources: {
    status: statusPart({
      prepareUpdate: [keepAllButStatus, keepMetadataFields('labels', 'annotations', 'finalizers', 'ownerReferences')],
      validateUpdate: apiServiceStatusRules,
      resetFields: ['spec', 'metadata'],
    }),
  },
};

function available({ status }: APIService): string {
  const condition = status?.conditions?.find(c => c.type === 'Available');
  if (!condition) return 'Unknown';
  const value = condition.status ?? '';
  return value !== 'True' && condition.reason ? `${value} (${condition.reason})` : value;
}

/** What this server serves itself is available immediately. */
function startStatus(...[draft, _, { now }]: Parameters<Prepare>): void {
  const api = draft as APIService;
  delete api.status;
  if (api.spec?.service) return;
  const text = 'Local APIServices are always available';
  api.status = {
    conditions: [
      { type: 'Available', status: 'True', lastTransitionTime: goTime(now), reason: 'Local', message: text },
    ],
  };
}
