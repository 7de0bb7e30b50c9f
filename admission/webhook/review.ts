/** AdmissionReview: the request to a webhook, and its response. */
// as apiserver/pkg/admission/plugin/webhook/request admissionreview.go
import type { KubeObject } from '../../apimachinery/interface.js';
import { goQuote } from '../../lib/go/go-text.js';
import { isInt64 } from '../../lib/json/json.js';
import { type InSteps, Strides } from '../../lib/time-slice.js';
import type { AdmissionRequest } from '../../registry/admission-plugin.js';
import type { RequestTarget } from '../matching/request-target.js';
import { reviewRequest } from '../matching/review-request.js';
import type { Denial } from '../webhook-refusal.js';

type ReviewVersion = 'v1' | 'v1beta1';

/** Returns the first version that this server supports, too; undefined if there is none. */
export const reviewVersionOf = (versions: readonly string[] | undefined): ReviewVersion | undefined =>
  versions?.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');

interface ReviewInput {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly request: AdmissionRequest;
  readonly target: RequestTarget;
  readonly object: KubeObject | undefined;
  readonly old: KubeObject | undefined;
}

/** Returns the AdmissionReview of a request. */
export function reviewOf({ uid, version, request, target, object, old }: ReviewInput): object {
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...reviewRequest(request, target), object: object ?? null, oldObject: old ?? null },
  };
}

export interface AdmissionResponse {
  readonly allowed: boolean;
  readonly status: Denial | undefined;
  /** Base64, as received; '' without a patch. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly annotations: AuditAnnotations;
}

/** The audit annotations of a response. It may have so many that even to list their keys takes long, so this is done once. */
interface AuditAnnotations {
  readonly keys: readonly string[];
  readonly values: Readonly<Record<string, string>>;
}

type Plain = Record<string, unknown>;

/** Thrown for an invalid response; the message says why. */
export class ReviewFault extends Error {}

const goKinds: Readonly<Record<string, string>> = { boolean: 'bool', bigint: 'number' };

function wrongType(value: unknown, field: string, type: string): never {
  const kind = Array.isArray(value) ? 'array' : (goKinds[typeof value] ?? typeof value);
  throw new ReviewFault(`json: cannot unmarshal ${kind} into Go struct field ${field} of type ${type}`);
}

function reader(of: Plain, type: string) {
  const field = (name: string): string => `${type}.${name}`;
  return {
    text(name: string, goType = 'string'): string {
      const value = of[name] ?? '';
      return typeof value === 'string' ? value : wrongType(value, field(name), goType);
    },
    flag(name: string): boolean {
      const value = of[name] ?? false;
      return typeof value === 'boolean' ? value : wrongType(value, field(name), 'bool');
    },
    number(name: string): number {
      const value = of[name] ?? 0;
      return typeof value === 'number' && isInt64(value) ? value : wrongType(value, field(name), 'int32');
    },
    object(name: string, goType: string): Plain | undefined {
      const value = of[name] ?? undefined;
      if (value === undefined) return undefined;
      return typeof value === 'object' && !Array.isArray(value)
        ? (value as Plain)
        : wrongType(value, field(name), goType);
    },
    list(name: string): readonly string[] {
      const value = of[name] ?? [];
      if (!Array.isArray(value)) return wrongType(value, field(name), '[]string');
      return value.map(item => (typeof item === 'string' ? item : wrongType(item, field(name), 'string')));
    },
  };
}

function statusOf(value: Plain | undefined): Denial | undefined {
  if (!value) return undefined;
  const status = reader(value, 'Status');
  const details = status.object('details', 'v1.StatusDetails');
  return {
    message: status.text('message'),
    reason: status.text('reason', 'v1.StatusReason'),
    code: status.number('code'),
    ...(details && { details }),
  };
}

/** Annotations that are checked in one step. */
const stepAnnotations = 1024;

/** Checks the annotations in steps, without copying them. */
function* annotationsOf(found: Plain = {}): InSteps<AuditAnnotations> {
  const keys = Object.keys(found);
  const strides = new Strides(stepAnnotations);
  for (const key of keys) {
    const text = found[key];
    if (typeof text !== 'string') wrongType(text, 'AdmissionResponse.response.auditAnnotations', 'string');
    if (strides.isOver) yield;
  }
  return { keys, values: found as Record<string, string> };
}

/** Parses the response to the review with this uid. Throws ReviewFault. */
export function* readReview(
  answer: unknown,
  uid: string,
  version: ReviewVersion,
  mutating: boolean,
): InSteps<AdmissionResponse> {
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  const review = isObject ? (answer as Plain) : wrongType(answer, 'AdmissionReview', `${version}.AdmissionReview`);
  const head = reader(review, 'AdmissionReview');
  const response = head.object('response', `${version}.AdmissionResponse`);
  if (!response) throw new ReviewFault('webhook response was absent');
  const body = reader(response, 'AdmissionResponse.response');
  const [patch, patchType] = [body.text('patch', '[]uint8'), body.text('patchType', `${version}.PatchType`)];
  if (version === 'v1') {
    if (body.text('uid', 'types.UID') !== uid)
      throw new ReviewFault(`expected response.uid=${goQuote(uid)}, got ${goQuote(body.text('uid'))}`);
    checkType(head.text('apiVersion'), head.text('kind'));
    checkPatch(patch, patchType, response['patchType'] != null, mutating);
  }
  return {
    allowed: body.flag('allowed'),
    status: statusOf(body.object('status', 'v1.Status')),
    patch: mutating ? patch : '',
    // v1beta1 has no other type, and does not require it.
    patchType: version === 'v1' ? patchType : patch && 'JSONPatch',
    warnings: body.list('warnings'),
    annotations: yield* annotationsOf(body.object('auditAnnotations', 'map[string]string')),
  };
}

function checkType(apiVersion: string, kind: string): void {
  if (apiVersion === 'admission.k8s.io/v1' && kind === 'AdmissionReview') return;
  const got = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  throw new ReviewFault(
    `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}, Kind=${kind}`,
  );
}

function checkPatch(patch: string, type: string, typed: boolean, mutating: boolean): void {
  if (!mutating) {
    if (patch !== '') throw new ReviewFault('validating webhook may not return response.patch');
    if (typed) throw new ReviewFault('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && !typed) throw new ReviewFault('webhook returned response.patch but not response.patchType');
  if (patch === '' && typed) throw new ReviewFault('webhook returned response.patchType but not response.patch');
  if (typed && type === '') throw new ReviewFault(`webhook returned invalid response.patchType of ${goQuote(type)}`);
}
