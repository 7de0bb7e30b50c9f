/** Annotations of templates; those of objects are checked with their metadata. */
// as apimachinery/pkg/api/validation ValidateAnnotations
import type { Fault } from '../../../../openapi/interface.js';
import { invalidValue, tooLong } from '../../../../openapi/meta/faults.js';
import { byteLength, checkQualifiedName } from '../../../../openapi/meta/names.js';

export const mostAnnotationBytes = 256 * 1024;

export function annotationFaults(annotations: Readonly<Record<string, string>> | undefined, path: string): Fault[] {
  const entries = Object.entries(annotations ?? {});
  // Upper case is forgiven.
  const faults = entries.flatMap(([key]) =>
    checkQualifiedName(key.toLowerCase()).map(text => invalidValue(path, key, text)),
  );
  const bytes = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
  return bytes > mostAnnotationBytes ? [...faults, tooLong(path, mostAnnotationBytes)] : faults;
}
