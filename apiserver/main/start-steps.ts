/** Steps of the start, by the names under which kube-apiserver tells of its own (HTTP-010). */

const hook = (name: string): string => `poststarthook/${name}`;

// as kube-apiserver 1.36 names them; each name stands with the step that does here what it does there
export const startSteps = {
  /** What a server must have is there: rights, namespaces, classes, services, APIServices, levels. */
  objects: [
    ...[
      'rbac/bootstrap-roles',
      'scheduling/bootstrap-system-priority-classes',
      'bootstrap-controller',
      'priority-and-fairness-config-producer',
      'start-system-namespaces-controller',
      'start-cluster-authentication-info-controller',
      'start-kubernetes-service-cidr-controller',
      'start-service-ip-repair-controllers',
      'start-legacy-token-tracking-controller',
      'kube-apiserver-autoregistration',
      'apiservice-registration-controller',
      'apiservice-status-local-available-controller',
      'apiservice-status-remote-available-controller',
      'apiservice-wait-for-first-sync',
      'aggregator-reload-proxy-client-cert',
    ].map(hook),
    'autoregister-completion',
  ],
  /** Rights, definitions and the configuration of admission are followed; their kinds are served and described. */
  mirrors: [
    'storage-readiness',
    'generic-apiserver-start-informers',
    'crd-informer-synced',
    'start-apiextensions-informers',
    'start-apiextensions-controllers',
    'start-apiserver-admission-initializer',
    'start-kube-aggregator-informers',
    'apiservice-discovery-controller',
    'apiservice-openapi-controller',
    'apiservice-openapiv3-controller',
  ].map(hook),
  /** The server has said that it is there, and knows who else is. */
  identity: [
    'start-kube-apiserver-identity-lease-controller',
    'start-kube-apiserver-identity-lease-garbage-collector',
    'peer-endpoint-reconciler-controller',
    'mixed-version-proxy-handler',
    'local-discovery-cache-sync',
    'peer-discovery-workers',
  ].map(hook),
  /** Requests get the seats that the levels say. */
  fairness: [
    'priority-and-fairness-config-consumer',
    'priority-and-fairness-filter',
    'storage-object-count-tracker-hook',
  ].map(hook),
} as const;
