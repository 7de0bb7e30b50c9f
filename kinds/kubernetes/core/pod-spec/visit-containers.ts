import type { Field } from '../../../shared/rules/field.js';
import type { Container, PodSpec } from '../../../../api/kubernetes/core.js';

/** The containers of a pod of all kinds: init, main, ephemeral. */
export function containersOf(spec: PodSpec | undefined): readonly Container[] {
  return [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...((spec?.ephemeralContainers ?? []) as Container[]),
  ];
}

/** As `containersOf`, with their places. */
export function containerFields(spec: Field<PodSpec>): readonly Field<Container>[] {
  return [
    ...spec.at('initContainers').items(),
    ...spec.at('containers').items(),
    ...(spec.at('ephemeralContainers').items() as unknown as Field<Container>[]),
  ];
}
