import { ExpectedError } from '../../../lib/logging/cause.js';
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { cloneJson } from '../../../lib/json/clone.js';
import { labels } from '../../../api/karmada/well-known.js';
import { typed } from './typed.js';
import { isMap } from '../../../lib/json/is-map.js';
import { mapAt, numberAt, textAt, withValue } from './object.js';
import type { InterpretedContainer, InterpretedPodSpec } from './pod.js';
import { serviceAccountTokenSecret } from '../../../api/kubernetes/well-known.js';

type Retain = (desired: KubeObject, observed: KubeObject) => KubeObject;

/** Keeps the member's replicas if the template has the label for it, so that the workload can be scaled in the member. */
const deployment: Retain = (desired, observed) => {
  if (desired.metadata.labels?.[labels.retainReplicas] !== 'true') return desired;
  const replicas = numberAt(observed, 'spec', 'replicas');
  if (replicas === undefined) throw new ExpectedError(`failed to get spec.replicas from ${named(observed)}`);
  return withValue(desired, ['spec', 'replicas'], replicas);
};

const named = ({ kind, metadata: { namespace = '', name } }: KubeObject): string => `${kind} ${namespace}/${name}`;

/** Keeps the fields that admission and the scheduler of the member have set, since they are immutable. */
const pod: Retain = (desired, observed) => {
  const copy = cloneJson(desired);
  const spec = (mapAt(copy, 'spec') ?? {}) as InterpretedPodSpec;
  const present = (mapAt(observed, 'spec') ?? {}) as InterpretedPodSpec;
  for (const field of ['nodeName', 'serviceAccountName', 'volumes'] as const) {
    if (present[field] === undefined) delete spec[field];
    else Object.assign(spec, { [field]: present[field] });
  }
  for (const field of ['containers', 'initContainers'] as const) {
    const mounts = new Map(present[field]?.map(container => [container.name, container.volumeMounts]));
    for (const container of spec[field] ?? []) retainMounts(container, mounts);
  }
  copy['spec'] = spec;
  return typed(copy);
};

function retainMounts(
  container: InterpretedContainer,
  mounts: ReadonlyMap<string | undefined, unknown[] | undefined>,
): void {
  if (!mounts.has(container.name)) return;
  const present = mounts.get(container.name);
  if (present) container.volumeMounts = present;
  else delete container.volumeMounts;
}

/** Keeps the addresses and ports that the member allocated. */
const service: Retain = (desired, observed) => {
  let result = desired;
  const port = numberAt(observed, 'spec', 'healthCheckNodePort');
  if (port) result = withValue(result, ['spec', 'healthCheckNodePort'], port);
  const address = textAt(observed, 'spec', 'clusterIP');
  return address ? withValue(result, ['spec', 'clusterIP'], address) : result;
};

/** Keeps the Secrets that the member's controllers attached, in addition to the manifest's. */
const serviceAccount: Retain = (desired, observed) => {
  const copy = cloneJson(desired);
  for (const field of ['secrets', 'imagePullSecrets']) {
    const list = (object: KubeObject): JsonObject[] =>
      Array.isArray(object[field]) ? object[field].filter(isMap) : [];
    const merged = new Map([...list(observed), ...list(desired)].map(secret => [secret['name'], secret]));
    const desiredNames = list(desired).map(secret => secret['name']);
    const order = [...desiredNames, ...[...merged.keys()].filter(name => !desiredNames.includes(name))];
    copy[field] = order.length > 0 ? order.map(name => merged.get(name)) : null;
  }
  return copy;
};

const volumeClaim: Retain = (desired, observed) => {
  const volume = textAt(observed, 'spec', 'volumeName');
  return volume ? withValue(desired, ['spec', 'volumeName'], volume) : desired;
};

const volume: Retain = (desired, observed) => {
  const claim = mapAt(observed, 'spec')?.['claimRef'];
  return claim === undefined ? desired : withValue(desired, ['spec', 'claimRef'], claim);
};

/** Keeps the selector and labels that the member's API server generated. */
const job: Retain = (desired, observed) => {
  let result = desired;
  for (const path of [
    ['spec', 'selector', 'matchLabels'],
    ['spec', 'template', 'metadata', 'labels'],
  ]) {
    const present = mapAt(observed, ...path);
    if (present) result = withValue(result, path, present);
  }
  return result;
};

/** Keeps the token that the member's token controller wrote. */
const secret: Retain = (desired, observed) => {
  if (desired['type'] !== serviceAccountTokenSecret) return desired;
  const data = mapAt(observed, 'data');
  return data ? withValue(desired, ['data'], data) : desired;
};

export const retain: Readonly<Record<string, Retain>> = {
  'apps/v1/Deployment': deployment,
  'v1/Pod': pod,
  'v1/Service': service,
  'v1/ServiceAccount': serviceAccount,
  'v1/PersistentVolumeClaim': volumeClaim,
  'v1/PersistentVolume': volume,
  'batch/v1/Job': job,
  'v1/Secret': secret,
};
