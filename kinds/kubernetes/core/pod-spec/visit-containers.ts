import type { Field } from '../../../shared/rules/field.js';
import type { Container, PodSpec } from '../../../../api/kubernetes/core.js';

/** Returns all containers of a pod: init, main, ephemeral. */
export function containersOf(spec: PodSpec | undefined): readonly Container[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? []), ...(spec?.ephemeralContainers ?? [])];
}

/** Like `containersOf`, with the paths of the containers. */
export function containerFields(spec: Field<PodSpec>): readonly Field<Container>[] {
  return [
    ...spec.at('initContainers').items(),
    ...spec.at('containers').items(),
    ...spec.at('ephemeralContainers').items(),
  ];
}
