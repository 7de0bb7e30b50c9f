/** The kinds of Kubernetes 1.36, as in discovery and Tables. */

interface KindFact {
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  /** Subresources, such as `status(get,patch,update)`. */
  readonly parts: readonly string[];
  /** Columns with name, type and priority, such as `Name string 0`; those of priority 1 are last. Undefined if there are no Tables. */
  readonly columns?: readonly string[];
}

/**
 * Group and version, resource, kind; short names; categories; subresources with their verbs (default: get, patch, update) and verbs of the
 * resource (default: all); columns, those of priority 1 after `||`.
 */
const rows = [
  'bindings Binding |  |  | verbs create | -',
  'componentstatuses ComponentStatus cluster | cs |  | verbs get,list | Name, Status, Message, Error',
  'configmaps ConfigMap | cm |  |  | Name, Data, Age',
  'endpoints Endpoints | ep |  |  | Name, Endpoints, Age',
  'events Event | ev |  |  | Last Seen, Type, Reason, Object, Message || Subobject, Source, First Seen, Count, Name',
  'limitranges LimitRange | limits |  |  | Name, Created At:date',
  'namespaces Namespace cluster | ns |  | finalize(update) status verbs create,delete,get,list,patch,update,watch | Name, Status, Age',
  'nodes Node cluster | no |  | proxy(create,delete,get,patch,update) status | Name, Status, Roles, Age, Version || Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime',
  'persistentvolumeclaims PersistentVolumeClaim | pvc |  | status | Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age || VolumeMode',
  'persistentvolumes PersistentVolume cluster | pv |  | status | Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age || VolumeMode',
  'pods Pod | po | all | attach(create,get) binding(create) ephemeralcontainers eviction(create) exec(create,get) log(get) portforward(create,get) proxy(create,delete,get,patch,update) resize status | Name, Ready, Status, Restarts, Age || IP, Node, Nominated Node, Readiness Gates',
  'podtemplates PodTemplate |  |  |  | Name, Containers, Images, Pod Labels',
  'replicationcontrollers ReplicationController | rc | all | scale status | Name, Desired:integer, Current:integer, Ready:integer, Age || Containers, Images, Selector',
  'resourcequotas ResourceQuota | quota |  | status | Name, Request, Limit, Age',
  'secrets Secret |  |  |  | Name, Type, Data, Age',
  'serviceaccounts ServiceAccount | sa |  | token(create) | Name, Age',
  'services Service | svc | all | proxy(create,delete,get,patch,update) status | Name, Type, Cluster-IP, External-IP, Port(s), Age || Selector',
  'apiregistration.k8s.io/v1 apiservices APIService cluster |  | api-extensions | status | Name, Service, Available, Age',
  'apps/v1 controllerrevisions ControllerRevision |  |  |  | Name, Controller, Revision, Age',
  'apps/v1 daemonsets DaemonSet | ds | all | status | Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age || Containers, Images, Selector',
  'apps/v1 deployments Deployment | deploy | all | scale status | Name, Ready, Up-to-date, Available, Age || Containers, Images, Selector',
  'apps/v1 replicasets ReplicaSet | rs | all | scale status | Name, Desired:integer, Current:integer, Ready:integer, Age || Containers, Images, Selector',
  'apps/v1 statefulsets StatefulSet | sts | all | scale status | Name, Ready, Age || Containers, Images',
  'events.k8s.io/v1 events Event | ev |  |  | Last Seen, Type, Reason, Object, Message || Subobject, Source, First Seen, Count, Name',
  'authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview cluster |  |  | verbs create | -',
  'authentication.k8s.io/v1 tokenreviews TokenReview cluster |  |  | verbs create | -',
  'authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview |  |  | verbs create | -',
  'authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview cluster |  |  | verbs create | -',
  'authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview cluster |  |  | verbs create | -',
  'authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview cluster |  |  | verbs create | -',
  'autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler | hpa | all | status | Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
  'autoscaling/v1 horizontalpodautoscalers HorizontalPodAutoscaler | hpa | all | status | Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
  'batch/v1 cronjobs CronJob | cj | all | status | Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age || Containers, Images, Selector',
  'batch/v1 jobs Job |  | all | status | Name, Status, Completions, Duration, Age || Containers, Images, Selector',
  'certificates.k8s.io/v1 certificatesigningrequests CertificateSigningRequest cluster | csr |  | approval status | Name, Age, SignerName, Requestor, RequestedDuration, Condition',
  'networking.k8s.io/v1 ingressclasses IngressClass cluster |  |  |  | Name, Controller, Parameters, Age',
  'networking.k8s.io/v1 ingresses Ingress | ing |  | status | Name, Class, Hosts, Address, Ports, Age',
  'networking.k8s.io/v1 ipaddresses IPAddress cluster | ip |  |  | Name, ParentRef',
  'networking.k8s.io/v1 networkpolicies NetworkPolicy | netpol |  |  | Name, Pod-Selector, Age',
  'networking.k8s.io/v1 servicecidrs ServiceCIDR cluster |  |  | status | Name, CIDRs, Age',
  'policy/v1 poddisruptionbudgets PodDisruptionBudget | pdb |  | status | Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age',
  'rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding cluster |  |  |  | Name, Role, Age || Users, Groups, ServiceAccounts',
  'rbac.authorization.k8s.io/v1 clusterroles ClusterRole cluster |  |  |  | Name, Created At:date',
  'rbac.authorization.k8s.io/v1 rolebindings RoleBinding |  |  |  | Name, Role, Age || Users, Groups, ServiceAccounts',
  'rbac.authorization.k8s.io/v1 roles Role |  |  |  | Name, Created At:date',
  'storage.k8s.io/v1 csidrivers CSIDriver cluster |  |  |  | Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age',
  'storage.k8s.io/v1 csinodes CSINode cluster |  |  |  | Name, Drivers:integer, Age',
  'storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity |  |  |  | Name, Created At:date',
  'storage.k8s.io/v1 storageclasses StorageClass cluster | sc |  |  | Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
  'storage.k8s.io/v1 volumeattachments VolumeAttachment cluster |  |  | status | Name, Attacher, PV, Node, Attached:boolean, Age',
  'storage.k8s.io/v1 volumeattributesclasses VolumeAttributesClass cluster | vac |  |  | Name, DriverName, Age',
  'admissionregistration.k8s.io/v1 mutatingadmissionpolicies MutatingAdmissionPolicy cluster |  | api-extensions |  | Name, Mutations:integer, ParamKind, Age',
  'admissionregistration.k8s.io/v1 mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster |  | api-extensions |  | Name, PolicyName, ParamRef, Age',
  'admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration cluster |  | api-extensions |  | Name, Webhooks:integer, Age',
  'admissionregistration.k8s.io/v1 validatingadmissionpolicies ValidatingAdmissionPolicy cluster |  | api-extensions | status | Name, Validations:integer, ParamKind, Age',
  'admissionregistration.k8s.io/v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster |  | api-extensions |  | Name, PolicyName, ParamRef, Age',
  'admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration cluster |  | api-extensions |  | Name, Webhooks:integer, Age',
  'apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition cluster | crd,crds | api-extensions | status | Name, Created At:date',
  'scheduling.k8s.io/v1 priorityclasses PriorityClass cluster | pc |  |  | Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy',
  'coordination.k8s.io/v1 leases Lease |  |  |  | Name, Holder, Age',
  'node.k8s.io/v1 runtimeclasses RuntimeClass cluster |  |  |  | Name, Handler, Age',
  'discovery.k8s.io/v1 endpointslices EndpointSlice |  |  |  | Name, AddressType, Ports, Endpoints, Age',
  'resource.k8s.io/v1 deviceclasses DeviceClass cluster |  |  |  | Name, Age',
  'resource.k8s.io/v1 resourceclaims ResourceClaim |  |  | status | Name, State, Age',
  'resource.k8s.io/v1 resourceclaimtemplates ResourceClaimTemplate |  |  |  | Name, Age',
  'resource.k8s.io/v1 resourceslices ResourceSlice cluster |  |  |  | Name, Node, Driver, Pool, Age',
  'flowcontrol.apiserver.k8s.io/v1 flowschemas FlowSchema cluster |  |  | status | Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL',
  'flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations PriorityLevelConfiguration cluster |  |  | status | Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age',
];

const listOf = (text: string): string[] | undefined => (text === '' ? undefined : text.split(','));

function columnsOf(text: string): string[] | undefined {
  if (text === '-' || text === '') return undefined;
  const named = (part: string): string[] => part.split(',').filter(name => name.trim() !== '');
  return text.split('||').flatMap((part, priority) =>
    named(part).map(column => {
      const [name, type = 'string'] = column.trim().split(':');
      return `${name} ${type} ${priority}`;
    }),
  );
}

function factOf(row: string): KindFact {
  const [names = '', short = '', in_ = '', rest = '', ...shown] = row.split(/ \|(?!\|) ?/).map(part => part.trim());
  const words = names.split(' ');
  const apiVersion = words[0]?.includes('/') ? (words.shift() ?? '') : 'v1';
  const [plural = '', kind = '', cluster] = words;
  const shortNames = listOf(short);
  const categories = listOf(in_);
  const columns = columnsOf(shown.join('|').trim());
  const parts = rest.replace(/ ?verbs \S+/, '').split(' ');
  return {
    ...{ apiVersion, plural, kind, namespaced: cluster === undefined },
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    verbs: (/verbs (\S+)/.exec(rest)?.[1] ?? 'create,delete,deletecollection,get,list,patch,update,watch').split(','),
    parts: parts.filter(part => part !== '').map(part => (part.includes('(') ? part : `${part}(get,patch,update)`)),
    ...(columns && { columns }),
  };
}

export const kindFacts: readonly KindFact[] = rows.map(factOf);

export interface Place {
  readonly apiVersion: string;
  readonly kind: string;
  /** The path of the collection, in the namespace `default`. */
  readonly path: string;
}

/** Returns the place of a resource such as `pods`, or `events.k8s.io/v1 events` if it is not the first of that name. */
export function placeOf(resource: string): Place {
  const [name = '', version] = resource.split(' ').reverse();
  const fact = kindFacts.find(({ plural, apiVersion }) => plural === name && apiVersion === (version ?? apiVersion));
  if (!fact) throw new Error(`no resource ${resource}`);
  const { apiVersion, kind, plural, namespaced } = fact;
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return { apiVersion, kind, path: `${root}/${namespaced ? 'namespaces/default/' : ''}${plural}` };
}
