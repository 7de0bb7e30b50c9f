import { type Amounts, addAmounts, amountsOf } from '../../../apimachinery/quantity/amounts.js';
import { secondsMs } from '../../../lib/go/duration.js';
import { type Quantity, quantityOf } from '../../../apimachinery/quantity/quantity.js';
import { podAmounts } from '../../../kinds/kubernetes/core/pod-spec/pod-amounts.js';
import { qosClass } from '../../../kinds/kubernetes/core/pods/pod-qos.js';
import {
  isExtendedResource,
  isHugePages,
  isNativeResource,
  isPodLevelResource,
} from '../../../kinds/shared/rules/resource-names.js';
import type {
  Container,
  Pod,
  PodAffinityTerm,
  PodSpec,
  ScopedResourceSelectorRequirement,
} from '../../../api/kubernetes/core.js';
import { type Evaluator, objectCountName, onCreate, selectsScopes } from './evaluator.js';

const one = quantityOf(1);
const count = objectCountName('', 'pods');
const computed = ['cpu', 'memory', 'ephemeral-storage'];
const counted: ReadonlySet<string> = new Set([
  count,
  'pods',
  ...computed.flatMap(name => [name, `requests.${name}`, `limits.${name}`]),
]);
/** Resources that every container must specify if a quota limits them. */
const requiredNames: ReadonlySet<string> = new Set(
  ['cpu', 'memory'].flatMap(name => [name, `requests.${name}`, `limits.${name}`]),
);

const isExtended = (name: string): boolean => name.startsWith('requests.') && !isNativeResource(name);
const deviceClass = 'deviceclass.resource.kubernetes.io/';
const isOfDevices = (name: string): boolean => name.startsWith(`requests.${deviceClass}`);

// as pkg/quota/v1/evaluator/core pods
// differs: the resources that a node has already allocated to a pod are ignored
export const podEvaluator: Evaluator = {
  handles(request) {
    const { operation, subresource, object, old } = request;
    if (subresource === 'resize') return operation === 'UPDATE';
    if (onCreate(request)) return true;
    if (subresource !== '' || operation !== 'UPDATE') return false;
    return isTerminating(object as Pod) !== isTerminating(old as Pod);
  },
  counts: name =>
    counted.has(name) ||
    isHugePages(name) ||
    name.startsWith('requests.hugepages-') ||
    isExtended(name) ||
    isOfDevices(name),
  usage(object, now) {
    const pod = object as Pod;
    const { spec = {} } = pod;
    const used = new Map<string, Quantity>([[count, one]]);
    if (!isFinished(pod, now)) {
      used.set('pods', one);
      addAmounts(used, computedUsage(podAmounts(spec, 'requests'), podAmounts(spec, 'limits')));
    }
    return used;
  },
  isIn: (scope, object) => isInScope(scope, object),
  missing(limited, object) {
    const { spec = {} } = object as Pod;
    if (Object.keys({ ...spec.resources?.requests, ...spec.resources?.limits }).some(isPodLevelResource))
      return undefined;
    const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    const texts = limited
      .filter(name => requiredNames.has(name))
      .sort()
      .flatMap(name => {
        const incomplete = containers
          .filter(container => !specifiedBy(container).has(name))
          .map(each => each.name ?? '');
        return incomplete.length === 0 ? [] : [`${name} for: ${[...new Set(incomplete)].sort().join(',')}`];
      });
    return texts.length === 0 ? undefined : `must specify ${texts.join('; ')}`;
  },
};

const specifiedBy = ({ resources }: Container): Amounts =>
  computedUsage(amountsOf(resources?.requests), amountsOf(resources?.limits));

/** Returns requests under their name and as `requests.*`, and limits as `limits.*`. */
// as pkg/quota/v1/evaluator/core podComputeUsageHelper
function computedUsage(requests: Amounts, limits: Amounts): Amounts {
  const used = new Map<string, Quantity>();
  for (const [name, amount] of requests) {
    const isComputed = computed.includes(name) || isHugePages(name);
    if (isComputed) used.set(name, amount);
    if (isComputed || isExtendedResource(name) || name.startsWith(deviceClass)) used.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of limits) if (computed.includes(name)) used.set(`limits.${name}`, amount);
  return used;
}

const isTerminating = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

/** Reports whether the pod has finished, or its grace period for deletion is over. */
// as pkg/quota/v1/evaluator/core QuotaV1Pod
function isFinished({ metadata, status }: Pod, now: Date): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return now.getTime() > Date.parse(deletionTimestamp) + secondsMs(deletionGracePeriodSeconds);
}

function isInScope(scope: ScopedResourceSelectorRequirement, pod: Pod): boolean {
  const { spec = {} } = pod;
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return qosOf(pod) === 'BestEffort';
    case 'NotBestEffort':
      return qosOf(pod) !== 'BestEffort';
    case 'PriorityClass':
      return selectsScopes(scope, spec.priorityClassName ? [spec.priorityClassName] : []);
    case 'CrossNamespacePodAffinity':
      return affinityTerms(spec).some(
        term => (term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined,
      );
    default:
      return false;
  }
}

const qosOf = ({ spec, status }: Pod): string => status?.qosClass ?? qosClass(spec);

const affinityTerms = ({ affinity }: PodSpec): readonly PodAffinityTerm[] =>
  [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap(each => [
    ...(each?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(each?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm = {} }) => podAffinityTerm),
  ]);
