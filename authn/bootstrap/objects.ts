/** All objects that a server has from its start. */
import net from 'node:net';
import { nativeGroups } from '../../openapi/facts/resources.js';
import { formatTime } from '../../lib/go/time.js';
import { mandatoryLevels } from '../../kinds/kubernetes/flowcontrol/mandatory.js';
import { karmadaApiServices } from '../../kinds/karmada/definitions.js';
import { expected, type Expected } from './expected.js';
import { karmadaObjects, type KarmadaOptions } from './karmada.js';
import { policyObjects } from './policy.js';
import { acceptAny, reconcileFields, reconcileMandatorySpec, reconcileSpec, type Reconcile } from './reconcile.js';
import { bootstrapTables } from './tables.js';
import { tokenTracking } from './token-tracking.js';
import { trustConfigMap, type Trust } from './trust.js';
import {
  autoupdateSpecAnnotation,
  ipAddressFamilyLabel,
  ipAddressManagedByLabel,
  serviceNameLabel,
  skipMirrorLabel,
} from '../../api/kubernetes/well-known.js';

interface ServiceOptions {
  /** The services' address range, such as `10.96.0.0/12`. */
  readonly cidr: string;
  /** The first address of the range, such as `10.96.0.1`. */
  readonly address: string;
  /** The port that the server listens on. */
  readonly port: number;
  /** Addresses of the servers of this store; without any, no endpoints are written. */
  readonly endpoints: readonly string[];
}

export interface BootstrapOptions {
  readonly now: Date;
  readonly trust?: Trust;
  readonly service?: ServiceOptions;
  readonly karmada?: KarmadaOptions;
}

const systemNamespaces: readonly string[] = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

const namespaces = (): readonly Expected[] =>
  systemNamespaces.map(name =>
    expected('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, acceptAny),
  );

/** Returns the objects of priority and fairness, mandatory and suggested ones. */
export function fairnessObjects(): readonly Expected[] {
  const { flowSchemas, priorityLevels } = bootstrapTables();
  const annotations = { [autoupdateSpecAnnotation]: 'true' };
  const fieldManager = 'api-priority-and-fairness-config-producer-v1';
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  const kinds = [
    ['PriorityLevelConfiguration', 'prioritylevelconfigurations', priorityLevels],
    ['FlowSchema', 'flowschemas', flowSchemas],
  ] as const;
  return kinds.flatMap(([kind, plural, specs]) =>
    Object.entries(specs).map(([name, spec]) => {
      const reconcile = mandatoryLevels.has(name) ? reconcileMandatorySpec : reconcileSpec;
      const object = { apiVersion, kind, metadata: { name, annotations }, spec: structuredClone(spec) };
      return { ...expected(plural, object, reconcile), fieldManager };
    }),
  );
}

const priorityClasses = (): readonly Expected[] =>
  Object.entries(bootstrapTables().priorityClasses).map(([name, fields]) =>
    expected(
      'priorityclasses',
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, ...fields },
      acceptAny,
    ),
  );

/** Returns the group-versions that the server serves by itself; with `karmada`, those of its compiled kinds, too. */
function ownGroupVersions(karmada: boolean) {
  const natives = nativeGroups()
    .filter(({ name }) => name !== 'apiregistration.k8s.io')
    .flatMap(({ name: group, priority: groupPriorityMinimum, versions }) =>
      versions
        .filter(({ onByDefault }) => onByDefault)
        .map(({ name: version, priority: versionPriority }) => ({
          group,
          version,
          groupPriorityMinimum,
          versionPriority,
        })),
    );
  return karmada ? [...natives, ...karmadaApiServices] : natives;
}

/** Returns the APIServices of the groups that the server serves by itself. */
function apiServices(now: Date, karmada: boolean): readonly Expected[] {
  const status = {
    conditions: [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: formatTime(now),
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  };
  const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'onstart' };
  return ownGroupVersions(karmada).map(({ group, version, groupPriorityMinimum, versionPriority }) => ({
    ...expected(
      'apiservices',
      {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `${version}.${group}`, labels },
        spec: { ...(group !== '' && { group }), groupPriorityMinimum, version, versionPriority },
      },
      acceptAny,
    ),
    status,
  }));
}

/** Reconciles the ports and the type, which are the server's own; other fields may be changed. */
const reconcileService: Reconcile = (existing, wanted) => {
  const [spec, own] = [existing['spec'] as object, wanted['spec'] as { ports: unknown; type: unknown }];
  return reconcileFields('spec')(existing, { ...wanted, spec: { ...spec, ports: own.ports, type: own.type } });
};

function service({ address, port }: ServiceOptions): readonly Expected[] {
  const family = net.isIPv6(address) ? 'IPv6' : 'IPv4';
  const labels = { component: 'apiserver', provider: 'kubernetes' };
  const spec = {
    ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: port }],
    clusterIP: address,
    clusterIPs: [address],
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ipFamilies: [family],
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster',
  };
  const metadata = { name: 'kubernetes', namespace: 'default', labels };
  return [expected('services', { apiVersion: 'v1', kind: 'Service', metadata, spec }, reconcileService)];
}

function range({ cidr, address }: ServiceOptions, now: Date): readonly Expected[] {
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: formatTime(now),
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  const parentRef = { resource: 'services', namespace: 'default', name: 'kubernetes' };
  const labels = {
    [ipAddressFamilyLabel]: net.isIPv6(address) ? 'IPv6' : 'IPv4',
    [ipAddressManagedByLabel]: 'ipallocator.k8s.io',
  };
  const apiVersion = 'networking.k8s.io/v1';
  return [
    {
      ...expected(
        'servicecidrs',
        { apiVersion, kind: 'ServiceCIDR', metadata: { name: 'kubernetes' }, spec: { cidrs: [cidr] } },
        acceptAny,
      ),
      status: { conditions: [ready] },
    },
    expected(
      'ipaddresses',
      { apiVersion, kind: 'IPAddress', metadata: { name: address, labels }, spec: { parentRef } },
      acceptAny,
    ),
  ];
}

function endpoints({ port, endpoints: addresses }: ServiceOptions): readonly Expected[] {
  const [first] = addresses;
  if (first === undefined) return [];
  const addressType = net.isIPv6(first) ? 'IPv6' : 'IPv4';
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  const place = { name: 'kubernetes', namespace: 'default' };
  return [
    expected(
      'endpoints',
      {
        apiVersion: 'v1',
        kind: 'Endpoints',
        metadata: { ...place, labels: { [skipMirrorLabel]: 'true' } },
        subsets: [{ addresses: addresses.map(ip => ({ ip })), ports }],
      },
      reconcileFields('subsets'),
    ),
    expected(
      'endpointslices',
      {
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { ...place, labels: { [serviceNameLabel]: 'kubernetes' } },
        addressType,
        endpoints: addresses.map(ip => ({ addresses: [ip], conditions: { ready: true } })),
        ports,
      },
      reconcileFields('endpoints', 'ports'),
    ),
  ];
}

/** Returns the objects that a running server restores after a deletion, in the order of their creation. */
export function requiredObjects({ now, trust, service: served }: BootstrapOptions): readonly (readonly Expected[])[] {
  return [
    namespaces(),
    [
      ...(trust ? [trustConfigMap(trust, now)] : []),
      tokenTracking(now),
      ...(served ? [...range(served, now), ...endpoints(served)] : []),
    ],
    served ? service(served) : [],
  ];
}

/** Returns the objects in the order of their creation: those of a later group may be in the namespaces of the first. */
export function bootstrapObjects(options: BootstrapOptions): readonly (readonly Expected[])[] {
  const { now, karmada } = options;
  const [first = [], second = [], ...rest] = requiredObjects(options);
  const own = karmada === undefined ? [] : karmadaObjects(karmada);
  const isNamespace = ({ object }: Expected): boolean => object.kind === 'Namespace';
  return [
    [...first, ...own.filter(isNamespace)],
    [
      ...policyObjects(),
      ...fairnessObjects(),
      ...priorityClasses(),
      ...apiServices(now, karmada !== undefined),
      ...second,
      ...own.filter(object => !isNamespace(object)),
    ],
    ...rest,
  ];
}
