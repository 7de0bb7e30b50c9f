import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { goQuote } from '../../lib/go/go-text.js';
import { generateName } from '../../lib/random.js';
import type { Client } from '../../client/interface.js';
import { mirrorAnnotation } from '../../kinds/kubernetes/core/pod-spec/pod-annotation-rules.js';
import type { Container, Pod, PodSpec, ServiceAccount, Volume } from '../../api/kubernetes/core.js';
import { deny } from '../deny.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../registry/admission-plugin.js';
import { findRecent } from '../../client/recent.js';
import { serviceAccounts } from '../../api/kubernetes/resources.js';
import { enforceMountableSecretsAnnotation } from '../../api/kubernetes/well-known.js';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';
/** Expiry of the token in seconds; kubelets renew it long before. as pkg/serviceaccount WarnOnlyBoundTokenExpirationSeconds */
const tokenSeconds = 3607;

/** Sets the ServiceAccount of new Pods, mounts its token, and adds its imagePullSecrets. */
// as plugin/pkg/admission/serviceaccount
export function serviceAccountPlugin({ client }: AdmissionDeps): AdmissionPlugin {
  const validatePod = async (request: AdmissionRequest): Promise<void> => {
    const pod = request.object as Pod;
    if (isMirror(pod)) return validateMirrorPod(request, pod);
    const account = await accountOf(client, request, pod.spec ?? {});
    const fault = limitsSecrets(account) ? secretFault(pod.spec ?? {}, account) : undefined;
    if (fault !== undefined) throw deny(request, fault);
  };
  return {
    name: 'ServiceAccount',
    resources: ['pods'],
    async mutate(request) {
      if (request.operation !== 'CREATE' || request.subresource !== '') return;
      const { spec } = request.object as Pod;
      if (!spec || isMirror(request.object as Pod)) return;
      spec.serviceAccountName ||= 'default';
      spec.serviceAccount = spec.serviceAccountName; // the deprecated field, which every Pod has, too
      const account = await accountOf(client, request, spec);
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(spec);
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name = '' }) => ({ name }));
    },
    async validate(request) {
      const { operation, subresource } = request;
      const creates = operation === 'CREATE' && subresource === '';
      if (creates || (operation === 'UPDATE' && subresource === 'ephemeralcontainers')) await validatePod(request);
    },
  };
}

const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.[mirrorAnnotation] !== undefined;

/** Number of lookups of the default account, which a new namespace gets a moment after its creation. */
const attempts = 10;

/** Milliseconds between two lookups. */
const retryMs = 150;

async function accountOf(client: Client, request: AdmissionRequest, spec: PodSpec): Promise<ServiceAccount> {
  const { namespace } = request;
  const { serviceAccountName: name } = spec;
  if (!name) throw deny(request, `no service account specified for pod ${namespace}/${request.name}`);
  for (let attempt = 1; ; attempt++) {
    const found = await findRecent(client, serviceAccounts, { namespace, name });
    if (found) return found;
    if (name !== 'default' || attempt === attempts)
      throw deny(
        request,
        `error looking up service account ${namespace}/${name}: serviceaccount ${goQuote(name)} not found`,
      );
    await pause(retryMs);
  }
}

function mountToken(spec: PodSpec): void {
  const volumes = spec.volumes ?? [];
  const known = volumes.find(({ name }) => name?.startsWith(volumePrefix))?.name;
  const name = known ?? generateName(volumePrefix, randomBytes);
  const unmounted = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    container => !container.volumeMounts?.some(mount => mount.mountPath === mountPath),
  );
  for (const container of unmounted) (container.volumeMounts ??= []).push({ name, readOnly: true, mountPath });
  if (known === undefined && unmounted.length > 0) spec.volumes = [...volumes, tokenVolume(name)];
}

const tokenVolume = (name: string): Volume => ({
  name,
  projected: {
    defaultMode: 0o644,
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: tokenSeconds } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
  },
});

/** Reports whether Pods may use only the Secrets that the account lists. as strconv.ParseBool */
const limitsSecrets = ({ metadata }: ServiceAccount): boolean =>
  ['1', 't', 'T', 'TRUE', 'true', 'True'].includes(metadata.annotations?.[enforceMountableSecretsAnnotation] ?? '');

interface Use {
  readonly secret: string | undefined;
  /** Text of a refusal up to the name of the secret. */
  readonly text: string;
}

function secretUses(container: Container, what: string): Use[] {
  const { name, env = [], envFrom = [] } = container;
  return [
    ...env.map(({ name: variable, valueFrom }) => ({
      secret: valueFrom?.secretKeyRef && (valueFrom.secretKeyRef.name ?? ''),
      text: `${what} ${name} with envVar ${variable} referencing secret.secretName`,
    })),
    ...envFrom.map(({ secretRef }) => ({
      secret: secretRef && (secretRef.name ?? ''),
      text: `${what} ${name} with envFrom referencing secret.secretName`,
    })),
  ];
}

function secretFault(
  spec: PodSpec,
  { metadata, secrets = [], imagePullSecrets = [] }: ServiceAccount,
): string | undefined {
  const mountable = new Set(secrets.map(({ name }) => name));
  const uses: Use[] = [
    ...(spec.volumes ?? []).map(({ secret }) => ({
      secret: secret && (secret.secretName ?? ''),
      text: 'volume with secret.secretName',
    })),
    ...(spec.initContainers ?? []).flatMap(container => secretUses(container, 'init container')),
    ...(spec.containers ?? []).flatMap(container => secretUses(container, 'container')),
    ...(spec.ephemeralContainers ?? []).flatMap(container => secretUses(container, 'ephemeral container')),
  ];
  const refused = uses.find(({ secret }) => secret !== undefined && !mountable.has(secret));
  const account = `service account ${metadata.name} does not reference that`;
  if (refused) return `${refused.text}="${refused.secret}" is not allowed because ${account} secret`;
  const pullable = new Set(imagePullSecrets.map(({ name = '' }) => name));
  const index = spec.imagePullSecrets?.findIndex(({ name = '' }) => !pullable.has(name)) ?? -1;
  if (index < 0) return undefined;
  const name = spec.imagePullSecrets?.[index]?.name ?? '';
  return `imagePullSecrets[${index}].name="${name}" is not allowed because ${account} imagePullSecret`;
}

/** Validates a mirror Pod, which a kubelet runs by itself: it must not use ServiceAccounts or Secrets. */
function validateMirrorPod(request: AdmissionRequest, { spec = {} }: Pod): void {
  if (spec.serviceAccountName) throw deny(request, 'a mirror pod may not reference service accounts');
  if (usesSecrets(spec)) throw deny(request, 'a mirror pod may not reference secrets');
  if (spec.volumes?.some(({ projected }) => projected?.sources?.some(source => source.serviceAccountToken)))
    throw deny(request, 'a mirror pod may not use ServiceAccountToken volume projections');
}

interface Source {
  readonly secretName?: string;
  readonly secretRef?: { readonly name?: string };
  readonly nodePublishSecretRef?: { readonly name?: string };
}

/** Reports whether a pod refers to any Secret: for its images, its environment or its volumes. */
export function usesSecrets({ imagePullSecrets = [], volumes = [], ...spec }: PodSpec): boolean {
  const containers = [spec.initContainers, spec.containers, spec.ephemeralContainers].flatMap(list => list ?? []);
  const sources = volumes.flatMap(({ name: _, ...sources }) => Object.values(sources) as Source[]);
  const projected = volumes.flatMap(volume => volume.projected?.sources ?? []);
  return [
    ...imagePullSecrets.map(({ name }) => name),
    ...containers.flatMap(container => secretUses(container, '')).map(({ secret }) => secret),
    ...sources.flatMap(({ secretName, secretRef, nodePublishSecretRef }) => [
      ...[secretName, secretRef?.name, nodePublishSecretRef?.name],
    ]),
    ...projected.map(({ secret }) => secret?.name),
  ].some(Boolean);
}
