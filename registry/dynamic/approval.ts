/** The approval that definitions in groups of the Kubernetes community need. */
import { goQuote } from '../../lib/go/go-text.js';
import { parseGoUrl, requestUriError } from '../../lib/go/go-url.js';
import type { CrdCondition } from './crd.js';

export const approvalAnnotation = 'api-approved.kubernetes.io';
const more = 'see https://github.com/kubernetes/enhancements/pull/1111';

type ApprovalState = 'missing' | 'bypassed' | 'approved' | 'invalid';

interface Approval {
  readonly state: ApprovalState;
  readonly reason: string;
}

/** Reports whether a group belongs to the Kubernetes community. as apiextensions-apiserver/pkg/apihelpers IsProtectedCommunityGroup */
export const isProtectedGroup = (group: string): boolean =>
  ['k8s.io', 'kubernetes.io'].some(domain => group === domain || group.endsWith(`.${domain}`));

/**
 * Returns whether the annotation approves a definition in a group of Kubernetes, with the reason.
 * as apiextensions-apiserver/pkg/apihelpers GetAPIApprovalState
 */
export function approvalOf(annotations: Readonly<Record<string, string>> | undefined): Approval {
  const text = annotations?.[approvalAnnotation] ?? '';
  const need = `protected groups must have approval annotation ${goQuote(approvalAnnotation)}`;
  if (text === '') return { state: 'missing', reason: `${need}, ${more}` };
  if (text.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${goQuote(text)}` };
  const url = parseGoUrl(text);
  if (requestUriError(text) === undefined && !('error' in url) && url.host !== '' && url.scheme !== '')
    return { state: 'approved', reason: `approved in ${text}` };
  return { state: 'invalid', reason: `${need} with either a URL or a reason starting with "unapproved", ${more}` };
}

const conditions: Readonly<Record<ApprovalState, Pick<CrdCondition, 'status' | 'reason'>>> = {
  approved: { status: 'True', reason: 'ApprovedAnnotation' },
  bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
  invalid: { status: 'False', reason: 'InvalidAnnotation' },
  missing: { status: 'False', reason: 'MissingAnnotation' },
};

/** Returns the condition of a definition in a protected group. */
export function approvalCondition({
  state,
  reason: message,
}: Approval): Required<Omit<CrdCondition, 'lastTransitionTime'>> {
  const { status, reason = '' } = conditions[state];
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message };
}
