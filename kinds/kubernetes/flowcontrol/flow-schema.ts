import { flowSchemaRules, flowSchemaStatusRules } from './flow-schema-rules.js';
import { keepAllButStatus, keepMetadata, statusPart } from '../../../registry/strategy/parts.js';
import { rulesWithStatus } from '../../../registry/strategy/kinds.js';
import { strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { FlowSchema } from '../../../api/kubernetes/flowcontrol.js';

export const flowSchema: NativeKind = {
  group: 'flowcontrol.apiserver.k8s.io',
  kind: 'FlowSchema',
  printer: {
    ...printer<FlowSchema>(
      [
        name,
        textColumn('PriorityLevel'),
        textColumn('MatchingPrecedence'),
        textColumn('DistinguisherMethod'),
        ageTextColumn,
        textColumn('MissingPL'),
      ],
      (schema, now) => [
        nameCell(schema),
        schema.spec?.priorityLevelConfiguration?.name ?? '',
        schema.spec?.matchingPrecedence ?? 0,
        schema.spec?.distinguisherMethod ? (schema.spec.distinguisherMethod.type ?? '') : '<none>',
        ageCell(schema, now),
        dangling(schema),
      ],
    ),
    order: inPrecedence,
  },
  strategy: strategy(rulesWithStatus, {
    validateCreate: flowSchemaRules,
    validateUpdate: flowSchemaRules,
    metadataRepeats: ['whole'],
  }),
  subresources: {
    status: statusPart({
      prepareUpdate: [keepAllButStatus, keepMetadata],
      validateUpdate: flowSchemaStatusRules,
      metadataRepeats: [],
      resetFields: ['metadata', 'spec'],
    }),
  },
};

/** Schemas that are matched first come first. */
// as pkg/printers/internalversion printFlowSchemaList
function inPrecedence(a: FlowSchema, b: FlowSchema): number {
  const first = (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0);
  return first || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

function dangling({ status }: FlowSchema): string {
  const condition = status?.conditions?.find(c => c.type === 'Dangling');
  return condition ? (condition.status ?? '') : '?';
}
