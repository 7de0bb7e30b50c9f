/** Selects the admission plugins that run. */

/** The implemented plugins that kube-apiserver enables by default. */
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

/** The implemented plugins that run only if enabled. */
const onRequest = ['NodeRestriction'] as const;

/** The plugins of kube-apiserver that are not implemented: they cannot be enabled, and disabling them has no effect. */
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

/** The plugins that can be enabled. */
export const availablePlugins: readonly string[] = [...onByDefault, ...onRequest];

/** All plugin names of kube-apiserver. */
export const knownPlugins: readonly string[] = [...availablePlugins, ...missing];

/** Values of `--enable-admission-plugins` and `--disable-admission-plugins`; no name is in both. */
export interface PluginSwitches {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

type Profile = 'karmada' | 'kubernetes';

/** Plugins that are disabled by profile. In Karmada, Pods are templates whose ServiceAccounts are in the members. */
// as karmada artifacts/deploy/karmada-apiserver.yaml --disable-admission-plugins
const offFor: Readonly<Record<Profile, readonly string[]>> = { karmada: ['ServiceAccount'], kubernetes: [] };

/** Returns a predicate of plugin names that run. Plugins that kube-apiserver does not have are Flagship's own and always run. */
export function runningPlugins(
  profile: Profile,
  { enable, disable }: PluginSwitches = { enable: [], disable: [] },
): (name: string) => boolean {
  const off = new Set<string>([...onRequest, ...offFor[profile], ...disable]);
  for (const name of enable) off.delete(name);
  return name => !off.has(name);
}
