/** Annotations for fields that the served versions no longer have. */
// as pkg/apis/apps/v1/conversion.go
import type { KubeObject } from '../../../apimachinery/interface.js';
import { goQuote } from '../../../lib/go/go-text.js';
import { badRequest } from '../../../apimachinery/errors/status.js';

/** The template generation of a DaemonSet. */
export const templateGeneration = 'deprecated.daemonset.template.generation';
/** The revision to which a Deployment is to be rolled back. */
export const rollbackTo = 'deprecated.deployment.rollback.to';

const maxInt64 = 2n ** 63n - 1n;

/** as strconv.ParseInt(text, 10, 64): the number in canonical form, or the error. */
function readInteger(text: string): { readonly text: string } | { readonly error: string } {
  const fail = (why: string): { readonly error: string } => ({
    error: `strconv.ParseInt: parsing ${goQuote(text)}: ${why}`,
  });
  if (!/^[+-]?[0-9]+$/.test(text)) return fail('invalid syntax');
  const value = BigInt(text.replace(/^\+/, ''));
  return value > maxInt64 || value < -maxInt64 - 1n ? fail('value out of range') : { text: String(value) };
}

/** Normalizes the annotation to the form of its field. Throws the 400 of an object that cannot be read. */
export function settleIntegerAnnotation(object: KubeObject, key: string, explain = (error: string) => error): void {
  const { annotations } = object.metadata;
  const given = annotations?.[key];
  if (!annotations || given === undefined) return;
  const read = readInteger(given);
  if ('error' in read) {
    const version = object.apiVersion.replace(/^.*\//, '');
    throw badRequest(
      `${object.kind} in version ${goQuote(version)} cannot be handled as a ${object.kind}: ${explain(read.error)}`,
    );
  }
  annotations[key] = read.text;
}
