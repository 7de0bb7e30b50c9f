/** Cells of admission policies and their bindings. */
import { labelSelectorGoText } from './label-selector-go-text.js';
import type { ParamKind, ParamRef } from '../../../api/kubernetes/admissionregistration.js';

export function paramKindCell(kind: ParamKind | undefined): string {
  return kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : '<unset>';
}

/** Without a namespace it cannot be told whether the parameter is cluster-scoped: `*` stands for both. */
export function paramRefCell(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`;
  return ref?.selector ? labelSelectorGoText(ref.selector) : '<unset>';
}
