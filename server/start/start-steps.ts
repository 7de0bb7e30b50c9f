/** Lists the steps of the start with kube-apiserver's names. Each is done when the corresponding work of this server is. */
import type { Expected } from '../../authn/bootstrap/expected.js';

// as kube-apiserver 1.36 names them; each name belongs to the step with the same purpose
const hooks = {
  /** The store answers, and its objects were read. */
  stored: ['storage-readiness'],
  /** Certificates were read. */
  certificates: ['aggregator-reload-proxy-client-cert'],
  /** The port is open: requests are accepted, and queued. */
  served: ['priority-and-fairness-filter', 'storage-object-count-tracker-hook'],
  /** RBAC objects are watched. */
  policy: ['generic-apiserver-start-informers'],
  /** The configuration of admission is watched. */
  admission: ['start-apiserver-admission-initializer'],
  /** Definitions are watched, and existing ones are served. */
  definitions: ['start-apiextensions-informers', 'crd-informer-synced', 'start-apiextensions-controllers'],
  /** APIServices are watched, and their status is updated. */
  apiServices: [
    'start-kube-aggregator-informers',
    'apiservice-status-local-available-controller',
    'apiservice-status-remote-available-controller',
    'apiservice-wait-for-first-sync',
  ],
  /** All kinds are known, so the documents contain them. */
  described: [
    'apiservice-discovery-controller',
    'apiservice-openapi-controller',
    'apiservice-openapiv3-controller',
    'local-discovery-cache-sync',
  ],
  /** The server has its Lease, and has deleted expired ones, so the remaining ones are those of the other servers. */
  identity: [
    'start-kube-apiserver-identity-lease-controller',
    'start-kube-apiserver-identity-lease-garbage-collector',
    'mixed-version-proxy-handler',
    'peer-discovery-workers',
  ],
  /** Other servers know this server's address. */
  announced: ['peer-endpoint-reconciler-controller'],
  /** Requests get the seats of their priority levels. */
  fairness: ['priority-and-fairness-config-consumer'],
} as const;

export type StartStep = keyof typeof hooks;

type Matches = (expected: Expected) => boolean;

const ofResources =
  (...plurals: readonly string[]): Matches =>
  ({ resource }) =>
    plurals.includes(resource.resource);
const configMap =
  (name: string): Matches =>
  ({ resource, object }) =>
    resource.resource === 'configmaps' && object.metadata.name === name;
const apiServices = ofResources('apiservices');

/** Steps that are done when these objects exist. */
const objects: readonly (readonly [name: string, matches: Matches])[] = [
  ['poststarthook/rbac/bootstrap-roles', ofResources('clusterroles', 'clusterrolebindings', 'roles', 'rolebindings')],
  ['poststarthook/scheduling/bootstrap-system-priority-classes', ofResources('priorityclasses')],
  ['poststarthook/priority-and-fairness-config-producer', ofResources('flowschemas', 'prioritylevelconfigurations')],
  ['poststarthook/start-system-namespaces-controller', ofResources('namespaces')],
  ['poststarthook/start-cluster-authentication-info-controller', configMap('extension-apiserver-authentication')],
  [
    'poststarthook/start-legacy-token-tracking-controller',
    configMap('kube-apiserver-legacy-service-account-token-tracking'),
  ],
  ['poststarthook/start-kubernetes-service-cidr-controller', ofResources('servicecidrs')],
  ['poststarthook/start-service-ip-repair-controllers', ofResources('ipaddresses')],
  ['poststarthook/bootstrap-controller', ofResources('services', 'endpoints', 'endpointslices')],
  ['poststarthook/kube-apiserver-autoregistration', apiServices],
  ['poststarthook/apiservice-registration-controller', apiServices],
  ['autoregister-completion', apiServices],
];

const namesOf = (step: StartStep): readonly string[] => hooks[step].map(name => `poststarthook/${name}`);

export const stepNames: readonly string[] = [
  ...objects.map(([name]) => name),
  ...(Object.keys(hooks) as StartStep[]).flatMap(namesOf),
];

/** The steps that are not done yet. */
export class StartSteps {
  /** The number of missing objects, by the name of the step that needs them. */
  readonly #missing = new Map<string, number>();
  readonly #finish: (name: string) => void;

  /** `finish` is called once for each name whose work is done. */
  constructor(finish: (name: string) => void) {
    this.#finish = finish;
  }

  done(step: StartStep): void {
    for (const name of namesOf(step)) this.#finish(name);
  }

  /** Sets all objects that must exist, before any of them is written. */
  expect(all: readonly Expected[]): void {
    for (const [name, matches] of objects) {
      const count = all.filter(matches).length;
      this.#missing.set(name, count);
      if (count === 0) this.#end(name);
    }
  }

  /** To be called when one of them exists. */
  readonly written = (object: Expected): void => {
    for (const [name, matches] of objects) {
      const left = this.#missing.get(name);
      if (left === undefined || !matches(object)) continue;
      this.#missing.set(name, left - 1);
      if (left === 1) this.#end(name);
    }
  };

  /** To be called when another process has written all of them. */
  allWritten(): void {
    for (const [name] of objects) this.#finish(name);
  }

  #end(name: string): void {
    if (this.#missing.delete(name)) this.#finish(name);
  }
}
