/** Controllers of Karmada's components that are not supported yet, by their upstream names. as cmd/controller-manager/app and cmd/agent/app */
const ofKarmada = [
  'serviceExport',
  'endpointSlice',
  'serviceImport',
  'federatedHorizontalPodAutoscaler',
  'multiclusterservice',
  'endpointsliceCollect',
  'endpointsliceDispatch',
  'certRotation',
];

/** Controllers of kube-controller-manager that are not supported, by the names of release 1.36; the former name follows if there is one. */
const ofKubernetes = `
  ttl-controller=ttl podcertificaterequest-cleaner-controller
  root-ca-certificate-publisher-controller=root-ca-cert-publisher service-ca-certificate-publisher-controller=service-ca-cert-publisher
  kube-apiserver-serving-clustertrustbundle-publisher-controller endpoints-controller=endpoint endpointslice-controller=endpointslice
  endpointslice-mirroring-controller=endpointslicemirroring replicationcontroller-controller=replicationcontroller
  pod-garbage-collector-controller=podgc resourcequota-controller=resourcequota serviceaccount-controller=serviceaccount
  daemonset-controller=daemonset job-controller=job deployment-controller=deployment replicaset-controller=replicaset
  horizontal-pod-autoscaler-controller=horizontalpodautoscaling disruption-controller=disruption statefulset-controller=statefulset
  cronjob-controller=cronjob node-ipam-controller=nodeipam node-lifecycle-controller=nodelifecycle taint-eviction-controller
  device-taint-eviction-controller service-lb-controller=service node-route-controller=route
  cloud-node-lifecycle-controller=cloud-node-lifecycle persistentvolume-binder-controller=persistentvolume-binder
  persistentvolume-attach-detach-controller=attachdetach persistentvolume-expander-controller=persistentvolume-expander
  persistentvolumeclaim-protection-controller=pvc-protection persistentvolume-protection-controller=pv-protection
  podgroup-protection-controller ephemeral-volume-controller=ephemeral-volume storageversion-garbage-collector-controller=storage-version-gc
  resourceclaim-controller=resource-claim-controller resourcepoolstatusrequest-controller
  legacy-serviceaccount-token-cleaner-controller=legacy-service-account-token-cleaner volumeattributesclass-protection-controller
  service-cidr-controller storage-version-migrator-controller=svm selinux-warning-controller`
  .trim()
  .split(/[\s=]+/);

/** Names that `--controllers` accepts so that the lists of Karmada's manifests can be used; nothing runs for them. */
export const unsupportedControllers: ReadonlySet<string> = new Set([...ofKarmada, ...ofKubernetes]);
