/** Builds a ConversionReview for a webhook, and validates its answer. */
import type { KubeObject } from '../../../apimachinery/interface.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { isMap } from '../../../lib/json/is-map.js';

type Plain = Record<string, unknown>;
type ReviewVersion = 'v1' | 'v1beta1';

/** An invalid answer of a webhook. `isCount` is true if it has too many objects or too few. */
export class ConversionFault extends Error {
  readonly isCount: boolean;
  constructor(text: string, isCount = false) {
    super(text);
    this.isCount = isCount;
  }
}

/** Builds a review in the first version that both sides support. Throws ConversionFault if there is none. */
export function conversionReview(
  versions: readonly string[] | undefined,
  uid: string,
  desiredAPIVersion: string,
  objects: readonly KubeObject[],
): { readonly review: object; readonly version: ReviewVersion } {
  const version = versions?.find((name): name is ReviewVersion => name === 'v1' || name === 'v1beta1');
  if (!version) throw new ConversionFault('no supported conversion review versions');
  const apiVersion = `apiextensions.k8s.io/${version}`;
  return { version, review: { kind: 'ConversionReview', apiVersion, request: { uid, desiredAPIVersion, objects } } };
}

const asObject = (value: unknown): Plain | undefined => (isMap(value) ? value : undefined);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the objects of an answer. Throws ConversionFault if it is invalid, or their number is not `count`. */
export function readConversion(
  answer: unknown,
  uid: string,
  version: ReviewVersion,
  count: number,
): readonly unknown[] {
  const review = asObject(answer);
  if (!review) throw new ConversionFault('the answer is no ConversionReview');
  const [apiVersion, kind] = [text(review['apiVersion']), text(review['kind'])];
  if (version === 'v1' && (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'ConversionReview')) {
    const got = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
    throw new ConversionFault(
      `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${got}, Kind=${kind}`,
    );
  }
  const response = asObject(review['response']);
  if (!response) throw new ConversionFault('no response provided');
  const got = text(response['uid']);
  if (version === 'v1' && got !== uid)
    throw new ConversionFault(`expected response.uid=${goQuote(uid)}, got ${goQuote(got)}`);
  const { status, message } = asObject(response['result']) ?? {};
  if (status !== 'Success')
    throw new ConversionFault(text(message) || `response.result.status was '${text(status)}', not 'Success'`);
  const objects = response['convertedObjects'] ?? [];
  if (!Array.isArray(objects)) throw new ConversionFault('response.convertedObjects is no list');
  if (objects.length !== count)
    throw new ConversionFault(`returned ${objects.length} objects, expected ${count}`, true);
  return objects as readonly unknown[];
}
