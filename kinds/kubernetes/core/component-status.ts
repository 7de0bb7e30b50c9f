import type { NativeKind } from '../native-kind.js';
import { nameCell } from '../../shared/print/cells.js';
import { name, printer, textColumn } from '../../../registry/printer.js';
import type { ComponentStatus } from '../../../api/kubernetes/core.js';

const health: Readonly<Record<string, string>> = { True: 'Healthy' };

export const componentStatus: NativeKind = {
  group: '',
  kind: 'ComponentStatus',
  printer: printer<ComponentStatus>(
    [name, textColumn('Status'), textColumn('Message'), textColumn('Error')],
    component => {
      const healthy = component.conditions?.find(c => c.type === 'Healthy');
      const status = healthy ? (health[healthy.status ?? ''] ?? 'Unhealthy') : 'Unknown';
      return [nameCell(component), status, healthy?.message ?? '', healthy?.error ?? ''];
    },
  ),
  deprecations: { v1: 'v1 ComponentStatus is deprecated in v1.19+' },
};
