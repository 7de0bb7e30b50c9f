import { checkPathSegmentName } from '../../../openapi/meta/names.js';
import { withStatusOnly } from '../../strategy/kinds.js';
import { strategy } from '../../strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../shared/cells.js';
import { age, name, printer, text } from '../shared/printer.js';
import type { APIService } from '../types/apiregistration.js';

export const apiService: NativeKind = {
  group: 'apiregistration.k8s.io',
  kind: 'APIService',
  storagePrefix: '/registry/apiregistration.k8s.io/apiservices',
  // `v1.` is the core group's.
  strategy: strategy(withStatusOnly, { nameFaults: name => checkPathSegmentName(name) }),
  printer: printer<APIService>([name, text('Service'), text('Available'), age], (api, now) => {
    const service = api.spec?.service;
    return [
      nameCell(api),
      service ? `${service.namespace ?? ''}/${service.name ?? ''}` : 'Local',
      available(api),
      ageCell(api, now),
    ];
  }),
};

function available({ status }: APIService): string {
  const condition = status?.conditions?.find(c => c.type === 'Available');
  if (!condition) return 'Unknown';
  const value = condition.status ?? '';
  return value !== 'True' && condition.reason ? `${value} (${condition.reason})` : value;
}
