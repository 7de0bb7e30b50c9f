/** Fills in defaults that apply to pods but not to pod templates. */
// as pkg/apis/core/v1 SetDefaults_Pod
import { quantityText } from '../../../../apimachinery/quantity/quantity.js';
import { limitsToRequests } from './limits-to-requests.js';
import { isHugePages, isOvercommitAllowed, isPodLevelResource } from '../../../shared/rules/resource-names.js';
import type { Container, Pod, PodSpec } from '../../../../api/kubernetes/core.js';
import { dropInitAnnotations } from './init-annotations.js';
import { aggregated } from './pod-amounts.js';

/** Sets the defaults that a Pod has beyond those of a template, in place. as pkg/apis/core/v1 SetDefaults_Pod */
export function fillPod(pod: Pod): void {
  const { spec } = pod;
  dropInitAnnotations(pod);
  if (!spec) return;
  // Only for pods: templates keep the given value.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  for (const container of containers) limitsToRequests(container.resources);
  if (spec.resources) fillPodResources(spec);
  spec.enableServiceLinks ??= true;
  if (spec.hostNetwork) for (const container of containers) sameHostPorts(container);
}

/** In the network of the host, a port of a container is the same port of the host. */
function sameHostPorts(container: Container): void {
  for (const port of container.ports ?? [])
    if (!port.hostPort && port.containerPort) port.hostPort = port.containerPort;
}

function fillPodResources(spec: PodSpec): void {
  const resources = (spec.resources ??= {});
  const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0;
  if (isEmpty(resources.limits) && isEmpty(resources.requests)) return;
  const limits = { ...resources.limits };
  for (const [name, amount] of aggregated(spec, 'limits'))
    if (isHugePages(name) && resources.requests?.[name] === undefined) limits[name] ??= quantityText(amount);
  if (!isEmpty(limits)) resources.limits = limits;
  if (isEmpty(resources.limits)) return;
  const requests = { ...resources.requests };
  for (const [name, amount] of aggregated(spec, 'requests'))
    if (isPodLevelResource(name) && isOvercommitAllowed(name)) requests[name] ??= quantityText(amount);
  for (const [name, amount] of Object.entries(limits)) if (isPodLevelResource(name)) requests[name] ??= amount;
  if (!isEmpty(requests)) resources.requests = requests;
}
