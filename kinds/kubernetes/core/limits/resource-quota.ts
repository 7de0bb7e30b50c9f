import { statusPart } from '../../../../registry/strategy/parts.js';
import {
  resourceQuotaChangeRules,
  resourceQuotaRules,
  resourceQuotaStatusRules,
  resourceQuotaWarnings,
} from './resource-quota-rules.js';
import { withStatusOnly } from '../../../../registry/strategy/kinds.js';
import { strategy } from '../../../../registry/strategy/strategy.js';
import type { NativeKind } from '../../native-kind.js';
import { ageCell, nameCell } from '../../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../../registry/printer.js';
import type { ResourceQuota } from '../../../../api/kubernetes/core.js';

export const resourceQuota: NativeKind = {
  group: '',
  kind: 'ResourceQuota',
  printer: printer<ResourceQuota>([name, textColumn('Request'), textColumn('Limit'), ageTextColumn], (quota, now) => {
    const names = Object.keys(quota.status?.hard ?? {}).sort();
    const isLimit = (resource: string): boolean => resource.startsWith('limits.');
    const cell = (resources: readonly string[]): string => resources.map(r => usage(quota, r)).join(', ');
    return [nameCell(quota), cell(names.filter(r => !isLimit(r))), cell(names.filter(isLimit)), ageCell(quota, now)];
  }),
  strategy: strategy(withStatusOnly, {
    returnsDeleted: true,
    validateCreate: resourceQuotaRules,
    validateUpdate: resourceQuotaChangeRules,
    warnings: [resourceQuotaWarnings],
  }),
  subresources: { status: statusPart({ validateUpdate: resourceQuotaStatusRules }) },
};

function usage({ status }: ResourceQuota, resource: string): string {
  return `${resource}: ${status?.used?.[resource] ?? '0'}/${status?.hard?.[resource] ?? '0'}`;
}
