import type { GroupVersionResource } from '../../apimachinery/interface.js';
import { type Amounts, amountsOf } from '../../apimachinery/quantity/amounts.js';
import { semanticEqual } from '../../lib/json/equality.js';
import { goQuote } from '../../lib/go/go-text.js';
import { compareQuantities } from '../../apimachinery/quantity/quantity.js';
import type { Client } from '../../client/interface.js';
import type { Pod, PodSpec, Toleration } from '../../api/kubernetes/core.js';
import type { RuntimeClass } from '../../api/kubernetes/node.js';
import { deny } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { findRecent } from '../../client/recent.js';

const classes: GroupVersionResource = { group: 'node.k8s.io', version: 'v1', resource: 'runtimeclasses' };

/** Sets the overhead, node selector and tolerations of new pods from their RuntimeClass. */
// as plugin/pkg/admission/runtimeclass
export function runtimeClassPlugin({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    resources: ['pods'],
    async mutate(request) {
      const spec = specOf(request);
      const found = spec && (await classOf(client, request, spec));
      if (!found) return;
      const fixed = found.overhead?.podFixed;
      if (found.overhead) {
        if (spec.overhead && Object.keys(spec.overhead).length > 0 && !sameAmounts(spec.overhead, fixed))
          throw deny(request, overheadMismatch);
        if (fixed) spec.overhead = { ...fixed };
      }
      schedule(request, spec, found);
    },
    async validate(request) {
      const spec = specOf(request);
      if (!spec) return;
      const overhead = (await classOf(client, request, spec))?.overhead;
      if (overhead && !sameAmounts(spec.overhead, overhead.podFixed)) throw deny(request, overheadMismatch);
      if (!overhead && spec.overhead !== undefined)
        throw deny(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    },
  };
}

const overheadMismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function specOf({ operation, subresource, object }: AdmissionRequest): PodSpec | undefined {
  return operation === 'CREATE' && subresource === '' ? (object as Pod).spec : undefined;
}

async function classOf(client: Client, request: AdmissionRequest, spec: PodSpec): Promise<RuntimeClass | undefined> {
  const name = spec.runtimeClassName;
  if (name === undefined) return undefined;
  const found = await findRecent(client, classes, { name });
  if (!found) throw deny(request, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
  return found;
}

type Texts = Readonly<Record<string, string | number>> | undefined;

function sameAmounts(a: Texts, b: Texts): boolean {
  const [x, y]: readonly Amounts[] = [amountsOf(a), amountsOf(b)];
  if (x?.size !== y?.size) return false;
  return [...(x ?? [])].every(([name, amount]) => {
    const other = y?.get(name);
    return other !== undefined && compareQuantities(amount, other) === 0;
  });
}

function schedule(request: AdmissionRequest, spec: PodSpec, { scheduling }: RuntimeClass): void {
  if (!scheduling) return;
  const { nodeSelector: podSelector } = spec;
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const podValue = podSelector?.[key];
    if (podValue === undefined || podValue === value) continue;
    const texts = [
      `runtimeClass.scheduling.nodeSelector[${key}] = ${value}`,
      `pod.spec.nodeSelector[${key}] = ${podValue}`,
    ];
    throw deny(request, `conflict: ${texts.join('; ')}`);
  }
  if (scheduling.nodeSelector) spec.nodeSelector = { ...podSelector, ...scheduling.nodeSelector };
  const tolerations = mergeTolerations([...(spec.tolerations ?? []), ...(scheduling.tolerations ?? [])]);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

/** Returns the tolerations without those that another one covers. */
// as pkg/util/tolerations MergeTolerations
export function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  const merged: Toleration[] = [];
  for (const [i, each] of all.entries()) {
    const later = all.slice(i + 1);
    const isCovered =
      merged.some(other => covers(other, each)) ||
      later.some(other => !semanticEqual(each, other) && covers(other, each));
    if (!isCovered) merged.push(each);
  }
  return merged;
}

function covers(wide: Toleration, narrow: Toleration): boolean {
  if (semanticEqual(wide, narrow)) return true;
  const { key = '', operator = '', effect = '', value = '', tolerationSeconds: maxSeconds } = wide;
  const exists = operator === 'Exists';
  if ((narrow.key ?? '') !== key && (key !== '' || !exists)) return false;
  if (effect !== '' && (narrow.effect ?? '') !== effect) return false;
  const { tolerationSeconds: seconds } = narrow;
  if (effect === 'NoExecute' && maxSeconds !== undefined && (seconds === undefined || seconds > maxSeconds))
    return false;
  if (exists) return true;
  return (operator === 'Equal' || operator === '') && narrow.operator === 'Equal' && (narrow.value ?? '') === value;
}
