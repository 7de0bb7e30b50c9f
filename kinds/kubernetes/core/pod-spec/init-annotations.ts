/** Drops the annotations that contained init containers before there was a field. */
// as pkg/apis/core/v1 dropInitContainerAnnotations
const names = ['alpha', 'beta'].flatMap(stage => [
  `pod.${stage}.kubernetes.io/init-containers`,
  `pod.${stage}.kubernetes.io/init-container-statuses`,
]);

interface Annotated {
  readonly metadata?: { annotations?: Record<string, string> };
}

/**
 * Removes the annotations that once held init containers, in place: other writers may still set them.
 * as pkg/apis/core/v1 dropInitContainerAnnotations
 */
export function dropInitAnnotations({ metadata }: Annotated): void {
  const annotations = metadata?.annotations;
  if (!annotations || !names.some(name => name in annotations)) return;
  for (const name of names) delete annotations[name];
}
