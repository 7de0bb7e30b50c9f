import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { ownValue } from '../../../lib/collections/own-value.js';
import { derivedServiceName } from '../../../api/karmada/names.js';
import type { DependentReference } from '../interface.js';
import { isMap } from '../../../lib/json/is-map.js';
import { mapAt, templateSpec, textAt } from './object.js';
import type { InterpretedPodSpec, InterpretedVolume } from './pod.js';
import { serviceNameLabel } from '../../../api/kubernetes/well-known.js';

/** Volume sources that refer to a Secret, with the path of its name. */
export const secretSources: Readonly<Record<string, readonly string[]>> = {
  azureFile: ['secretName'],
  cephfs: ['secretRef', 'name'],
  cinder: ['secretRef', 'name'],
  flexVolume: ['secretRef', 'name'],
  rbd: ['secretRef', 'name'],
  secret: ['secretName'],
  scaleIO: ['secretRef', 'name'],
  iscsi: ['secretRef', 'name'],
  storageos: ['secretRef', 'name'],
  csi: ['nodePublishSecretRef', 'name'],
};

function secretsOfVolume(volume: InterpretedVolume): (string | undefined)[] {
  const direct = Object.keys(volume).map(source => {
    const path = ownValue(secretSources, source);
    return path && textAt(volume[source], ...path);
  });
  return [...direct, ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name)];
}

/** Returns references to objects of the core group, one for each name. Empty names are left out. */
export const coreReferences = (
  kind: string,
  names: Iterable<string | undefined>,
  namespace: string | undefined,
): DependentReference[] =>
  [...new Set(names)].flatMap(name =>
    name ? [{ apiVersion: 'v1', kind, ...(namespace ? { namespace } : {}), name }] : [],
  );

/** Returns the ConfigMaps, Secrets, ServiceAccount and claims that a pod cannot start without. */
export function podDependencies(spec: InterpretedPodSpec, namespace: string | undefined): DependentReference[] {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  const env = containers.flatMap(container => container.env ?? []);
  const envFrom = containers.flatMap(container => container.envFrom ?? []);
  const volumes = spec.volumes ?? [];
  const configMaps = [
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ...volumes.map(({ configMap }) => configMap?.name),
    ...volumes.flatMap(({ projected }) => projected?.sources?.map(({ configMap }) => configMap?.name)),
  ];
  const secrets = [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ...volumes.flatMap(secretsOfVolume),
  ];
  const accounts = spec.serviceAccountName === 'default' ? [] : [spec.serviceAccountName];
  const claims = volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName);
  return [
    ...coreReferences('ConfigMap', configMaps, namespace),
    ...coreReferences('Secret', secrets, namespace),
    ...coreReferences('ServiceAccount', accounts, namespace),
    ...coreReferences('PersistentVolumeClaim', claims, namespace),
  ];
}

type Dependencies = (object: KubeObject) => DependentReference[];

const template: Dependencies = object => podDependencies(templateSpec(object), object.metadata.namespace);

const cronJob: Dependencies = object =>
  podDependencies(mapAt(object, 'spec', 'jobTemplate', 'spec', 'template', 'spec') ?? {}, object.metadata.namespace);

/** The claims that a StatefulSet creates from its volumeClaimTemplates are not dependencies. */
const statefulSet: Dependencies = object => {
  const templates = mapAt(object, 'spec')?.['volumeClaimTemplates'];
  const claimNames = Array.isArray(templates) ? templates.map(claim => textAt(claim, 'metadata', 'name')) : [];
  return template(object).filter(({ kind, name }) => kind !== 'PersistentVolumeClaim' || !claimNames.includes(name));
};

const ingress: Dependencies = object => {
  const { namespace } = object.metadata;
  const tls = mapAt(object, 'spec')?.['tls'];
  const entries: JsonObject[] = Array.isArray(tls) ? tls.filter(isMap) : [];
  return entries.map(entry => {
    const name = textAt(entry, 'secretName');
    return { apiVersion: 'v1', kind: 'Secret', ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
  });
};

/** The derived Service of a ServiceImport, and its EndpointSlices. */
const serviceImport: Dependencies = ({ metadata: { name = '', namespace } }) => {
  const derived = derivedServiceName(name);
  const place = namespace ? { namespace } : {};
  const labelSelector = { matchLabels: { [serviceNameLabel]: derived } };
  return [
    { apiVersion: 'v1', kind: 'Service', ...place, name: derived },
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', ...place, labelSelector },
  ];
};

export const dependencies: Readonly<Record<string, Dependencies>> = {
  'apps/v1/Deployment': template,
  'apps/v1/ReplicaSet': template,
  'apps/v1/DaemonSet': template,
  'apps/v1/StatefulSet': statefulSet,
  'batch/v1/Job': template,
  'batch/v1/CronJob': cronJob,
  'v1/Pod': object => podDependencies(mapAt(object, 'spec') ?? {}, object.metadata.namespace),
  'networking.k8s.io/v1/Ingress': ingress,
  'multicluster.x-k8s.io/v1alpha1/ServiceImport': serviceImport,
};
