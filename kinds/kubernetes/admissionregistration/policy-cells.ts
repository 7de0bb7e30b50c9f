/** Formats table cells of admission policies and their bindings. */
import { labelSelectorGoText } from './label-selector-go-text.js';
import type { ParamKind, ParamRef } from '../../../api/kubernetes/admissionregistration.js';

/** Returns the cell for the kind of parameters. as pkg/printers/internalversion printValidatingAdmissionPolicy */
export function paramKindCell(kind: ParamKind | undefined): string {
  return kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : '<unset>';
}

/** Returns the cell for a parameter. Without a namespace it is unknown whether the parameter is cluster-scoped: `*` is printed for both. */
export function paramRefCell(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || '*'}/${ref.name}`;
  return ref?.selector ? labelSelectorGoText(ref.selector) : '<unset>';
}
