import { finalizeRules, namespaceRules, namespaceStatusRules } from './namespace-rules.js';
import { keepStatus, statusPart } from '../../../registry/strategy/parts.js';
import type { Prepare } from '../../../registry/interface.js';
import { checkDns1123Label } from '../../../apimachinery/meta/names.js';
import { nameRuleOf, strategy } from '../../../registry/strategy/strategy.js';
import type { NativeKind } from '../native-kind.js';
import { ageCell, nameCell } from '../../shared/print/cells.js';
import { ageTextColumn, name, printer, textColumn } from '../../../registry/printer.js';
import type { Namespace } from '../../../api/kubernetes/core.js';

export const namespace: NativeKind = {
  group: '',
  kind: 'Namespace',
  printer: printer<Namespace>([name, textColumn('Status'), ageTextColumn], (ns, now) => [
    nameCell(ns),
    ns.status?.phase ?? '',
    ageCell(ns, now),
  ]),
  selectableFields: { 'status.phase': object => (object as Namespace).status?.phase ?? '' },
  defaults: draft => fillNameLabel(draft),
  strategy: strategy({
    nameFaults: nameRuleOf(checkDns1123Label),
    prepareCreate: [startNamespace],
    prepareUpdate: [keepFinalizers, keepStatus],
    canonicalize: [draft => fillNameLabel(draft)],
    terminate: draft => {
      const namespace = draft as Namespace;
      namespace.status = { ...namespace.status, phase: 'Terminating' };
    },
    blocksDeletion: object => ((object as Namespace).spec?.finalizers ?? []).length > 0,
    returnsDeleted: true,
    resetFields: ['status'],
    validateCreate: namespaceRules,
    validateUpdate: namespaceRules,
    metadataRepeats: ['change', 'whole'],
  }),
  subresources: {
    status: statusPart({ validateUpdate: namespaceStatusRules }),
    finalize: {
      type: 'part',
      verbs: ['update'],
      prepareUpdate: [keepStatus],
      validateUpdate: finalizeRules,
      resetFields: ['status'],
    },
  },
};

const nameLabel = 'kubernetes.io/metadata.name';
const finalizer = 'kubernetes';

function fillNameLabel({ metadata }: Namespace): void {
  if (metadata.name) (metadata.labels ??= {})[nameLabel] = metadata.name;
}

/** A finalizer keeps a namespace until its content is deleted. */
function startNamespace(...[draft]: Parameters<Prepare>): void {
  const ns = draft as Namespace;
  ns.status = { phase: 'Active' };
  const finalizers = ns.spec?.finalizers ?? [];
  if (!finalizers.includes(finalizer)) (ns.spec ??= {}).finalizers = [...finalizers, finalizer];
}

/** Only `finalize` changes finalizers. */
function keepFinalizers(...[draft, old]: Parameters<Prepare>): void {
  const spec = ((draft as Namespace).spec ??= {});
  const finalizers = (old as Namespace | undefined)?.spec?.finalizers;
  if (finalizers === undefined) delete spec.finalizers;
  else spec.finalizers = finalizers;
}
