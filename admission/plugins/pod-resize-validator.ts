import { amountsOf } from '../../apimachinery/quantity/amounts.js';
import { goQuote } from '../../lib/go/go-text.js';
import {
  compareQuantities,
  quantityMilliValue,
  quantityValue,
  zeroQuantity,
  type Quantity,
} from '../../apimachinery/quantity/quantity.js';
import { podAmounts } from '../../kinds/kubernetes/core/pod-spec/pod-amounts.js';
import type { Node, Pod } from '../../api/kubernetes/core.js';
import { deny } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { findRecent } from '../../client/recent.js';
import { nodes } from '../../api/kubernetes/resources.js';
import { osLabel } from '../../api/kubernetes/well-known.js';

/** Refuses a resize of a pod that would not fit on its node. */
// as plugin/pkg/admission/podresize
export function podResizeValidator({ client }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'PodResizeValidator',
    resources: ['pods'],
    async validate(request) {
      if (request.operation !== 'UPDATE' || request.subresource !== 'resize') return;
      const pod = request.object as Pod;
      const name = pod.spec?.nodeName;
      if (!name || request.old?.metadata.generation === pod.metadata.generation) return;
      const node = (await findRecent(client, nodes, { name })) as Node | undefined;
      if (!node) throw deny(request, `node ${goQuote(name)} not found`);
      checkPlatform(request, node);
      checkCapacity(request, pod, node);
    },
  };
}

function checkPlatform(request: AdmissionRequest, { metadata }: Node): void {
  const system = metadata.labels?.[osLabel] ?? 'linux';
  if (system === 'linux') return;
  const node = goQuote(metadata.name ?? '');
  throw deny(request, `pod resize is only supported on linux nodes, node ${node} is ${goQuote(system)}`, [
    { reason: 'UnsupportedPlatform' },
  ]);
}

function checkCapacity(request: AdmissionRequest, { spec = {} }: Pod, { status }: Node): void {
  const requests = podAmounts(spec, 'requests');
  const allocatable = amountsOf(status?.allocatable);
  const counted: readonly [string, (amount: Quantity) => number][] = [
    ['cpu', quantityMilliValue],
    ['memory', quantityValue],
  ];
  const texts = counted.flatMap(([name, value]) => {
    const requested = requests.get(name) ?? zeroQuantity;
    const available = allocatable.get(name) ?? zeroQuantity;
    if (compareQuantities(requested, available) <= 0) return [];
    return [`${name}, requested: ${value(requested)}, allocatable: ${value(available)}`];
  });
  if (texts.length === 0) return;
  const text = `node didn't have enough allocatable resources: ${texts.join('; ')}`;
  throw deny(request, text, [{ reason: 'NodeCapacity' }]);
}
