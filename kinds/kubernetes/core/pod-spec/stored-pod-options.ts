/** Determines which errors are accepted, from the stored object. */
// as pkg/api/pod GetValidationOptionsFromPodSpecAndMeta
import type { Fault, ObjectMeta } from '../../../../apimachinery/interface.js';
import { Field } from '../../../shared/rules/field.js';
import { isHugePages } from '../../../shared/rules/resource-names.js';
import type { Container, PodSpec } from '../../../../api/kubernetes/core.js';
import { nodeAffinity, podAffinity } from '../shared/affinity-rules.js';
import { isDeletionCost } from './pod-annotation-rules.js';
import { type PodOptions, strictPod } from '../shared/pod-options.js';
import { projected } from '../volumes/projected-volume-rules.js';
import { containerResources } from '../shared/resource-rules.js';
import { sysctls } from './security-context-rules.js';
import { spreadConstraints } from './spread-rules.js';
import { containersOf } from './visit-containers.js';

type Meta = Pick<ObjectMeta, 'annotations'>;

/** `old`: the spec and metadata of the stored pod or template. */
export function podOptions(
  isPod: boolean,
  old: { readonly spec?: PodSpec; readonly metadata?: Meta } | undefined,
): PodOptions {
  if (!old) return isPod ? { ...strictPod, isPod } : strictPod;
  const spec = old.spec ?? {};
  /** hot: very few specs have the part that the rule checks. */
  const finds = (part: unknown, text: RegExp, rule: (spec: Field<PodSpec>) => void): boolean => {
    if (!part) return false;
    const faults: Fault[] = [];
    rule(new Field<PodSpec>(spec, 'spec', faults));
    return faults.some(fault => text.test(fault.message));
  };
  const containers = containersOf(spec);
  return {
    isPod,
    allowBadDeletionCost: !isDeletionCost(old.metadata?.annotations),
    allowIndivisibleHugePages:
      asksForHugePages(spec) &&
      finds(containers, /is not positive integer multiple/, at =>
        eachContainer(at, c => containerResources(c.at('resources'), [], {})),
      ),
    allowBadAffinitySelectors: finds(spec.affinity, /valid label must be/, at =>
      podAffinity(at.at('affinity'), strictPod),
    ),
    allowBadNodeAffinityValues: finds(spec.affinity, /valid label must be/, at =>
      nodeAffinity(at.at('affinity').at('nodeAffinity'), strictPod),
    ),
    allowBadSpreadSelectors: finds(spec.topologySpreadConstraints, /./, at =>
      spreadConstraints(at.at('topologySpreadConstraints'), strictPod),
    ),
    allowBadTokenPaths: finds(spec.volumes, /must (?:be a relative|not (?:contain|start))/, at =>
      at
        .at('volumes')
        .items()
        .forEach(v => projected(v.at('projected'), strictPod)),
    ),
    allowHostSysctls: finds(spec.securityContext?.sysctls, /may not be specified when 'host/, at =>
      sysctls(at, strictPod),
    ),
    allowDevicesInUserNamespaces: spec.hostUsers === false && containers.some(c => (c.volumeDevices ?? []).length > 0),
    allowHostNetworkInUserNamespaces: spec.hostUsers === false && spec.hostNetwork === true,
    allowAllLabelChanges: spec.securityContext?.seLinuxChangePolicy !== undefined,
    allowRestartOfInitOnResize: (spec.initContainers ?? []).some(
      c => c.restartPolicy !== 'Always' && c.resizePolicy?.some(p => p.restartPolicy === 'RestartContainer'),
    ),
    oldMatchLabelKeys: finds(spec.topologySpreadConstraints, /exists in both matchLabelKeys/, at =>
      spreadConstraints(at.at('topologySpreadConstraints'), strictPod),
    ),
  };
}

/** hot: very few do, and the rule applies only to those. */
function asksForHugePages(spec: PodSpec): boolean {
  for (const { resources } of containersOf(spec)) {
    for (const name in resources?.limits) if (isHugePages(name)) return true;
    for (const name in resources?.requests) if (isHugePages(name)) return true;
  }
  return false;
}

function eachContainer(spec: Field<PodSpec>, rule: (container: Field<Container>) => void): void {
  spec.at('initContainers').items().forEach(rule);
  spec.at('containers').items().forEach(rule);
}
