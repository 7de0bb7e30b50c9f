/** Which of the admission plugins of kube-apiserver run. */

/** The plugins of kube-apiserver that run by default, as far as they are here. */
// as pkg/kubeapiserver/options/plugins.go DefaultOffAdmissionPlugins, whose complement this is
const onByDefault = [
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'TaintNodesByCondition',
  'PodSecurity',
  'Priority',
  'DefaultTolerationSeconds',
  'DefaultStorageClass',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'PodTopologyLabels',
  'PodResizeValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
] as const;

/** The plugins that are here and run only when they are asked for. */
const onRequest = ['NodeRestriction'] as const;

/** The other plugins of kube-apiserver. Nothing is here to switch on; to switch them off changes nothing. */
const missing = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'ClusterTrustBundleAttest',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'JobValidation',
  'LimitPodHardAntiAffinityTopology',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'NodeDeclaredFeatureValidator',
  'OwnerReferencesPermissionEnforcement',
  'PodGroupProtection',
  'PodGroupWorkloadExists',
  'PodNodeSelector',
  'PodTolerationRestriction',
  'StorageObjectInUseProtection',
] as const;

/** The plugins that can be switched on. */
export const availablePlugins: readonly string[] = [...onByDefault, ...onRequest];

/** All names that kube-apiserver knows. */
export const knownPlugins: readonly string[] = [...availablePlugins, ...missing];

/** `--enable-admission-plugins` and `--disable-admission-plugins`; no name is in both. */
export interface PluginSwitches {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

export type Profile = 'karmada' | 'kubernetes';

/** Karmada's Pods are templates: their ServiceAccounts live in the members. */
// as karmada artifacts/deploy/karmada-apiserver.yaml --disable-admission-plugins
const offFor: Readonly<Record<Profile, readonly string[]>> = { karmada: ['ServiceAccount'], kubernetes: [] };

/** Tells whether a plugin of this name runs. Plugins that kube-apiserver does not know guard something of our own and always run. */
export function runningPlugins(
  profile: Profile,
  { enable, disable }: PluginSwitches = { enable: [], disable: [] },
): (name: string) => boolean {
  const off = new Set<string>([...onRequest, ...offFor[profile], ...disable]);
  for (const name of enable) off.delete(name);
  return name => !off.has(name);
}
