/** What discovery and Tables say of the kinds of Kubernetes 1.36. */

export interface KindFact {
  readonly id: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  /** Subresources: `status(get,patch,update)`. */
  readonly parts: readonly string[];
  /** `Name string 0`: name, type, priority; those that are only shown wide come last. Absent: it has no Tables. */
  readonly columns?: readonly string[];
}

/**
 * Group and version, resource, kind; short names; categories; subresources with their verbs (get, patch, update unless they are named) and verbs
 * of the resource where they are not all; columns, those that are only shown wide behind `||`.
 */
const rows = [
  'KND-001 | bindings Binding |  |  | verbs create | -',
  'KND-002 | componentstatuses ComponentStatus cluster | cs |  | verbs get,list | Name, Status, Message, Error',
  'KND-003 | configmaps ConfigMap | cm |  |  | Name, Data, Age',
  'KND-004 | endpoints Endpoints | ep |  |  | Name, Endpoints, Age',
  'KND-005 | events Event | ev |  |  | Last Seen, Type, Reason, Object, Message || Subobject, Source, First Seen, Count, Name',
  'KND-006 | limitranges LimitRange | limits |  |  | Name, Created At:date',
  'KND-007 | namespaces Namespace cluster | ns |  | finalize(update) status verbs create,delete,get,list,patch,update,watch | Name, Status, Age',
  'KND-008 | nodes Node cluster | no |  | proxy(create,delete,get,patch,update) status | Name, Status, Roles, Age, Version || Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime',
  'KND-009 | persistentvolumeclaims PersistentVolumeClaim | pvc |  | status | Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age || VolumeMode',
  'KND-010 | persistentvolumes PersistentVolume cluster | pv |  | status | Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age || VolumeMode',
  'KND-011 | pods Pod | po | all | attach(create,get) binding(create) ephemeralcontainers eviction(create) exec(create,get) log(get) portforward(create,get) proxy(create,delete,get,patch,update) resize status | Name, Ready, Status, Restarts, Age || IP, Node, Nominated Node, Readiness Gates',
  'KND-012 | podtemplates PodTemplate |  |  |  | Name, Containers, Images, Pod Labels',
  'KND-013 | replicationcontrollers ReplicationController | rc | all | scale status | Name, Desired:integer, Current:integer, Ready:integer, Age || Containers, Images, Selector',
  'KND-014 | resourcequotas ResourceQuota | quota |  | status | Name, Request, Limit, Age',
  'KND-015 | secrets Secret |  |  |  | Name, Type, Data, Age',
  'KND-016 | serviceaccounts ServiceAccount | sa |  | token(create) | Name, Age',
  'KND-017 | services Service | svc | all | proxy(create,delete,get,patch,update) status | Name, Type, Cluster-IP, External-IP, Port(s), Age || Selector',
  'KND-018 | apiregistration.k8s.io/v1 apiservices APIService cluster |  | api-extensions | status | Name, Service, Available, Age',
  'KND-019 | apps/v1 controllerrevisions ControllerRevision |  |  |  | Name, Controller, Revision, Age',
  'KND-020 | apps/v1 daemonsets DaemonSet | ds | all | status | Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age || Containers, Images, Selector',
  'KND-021 | apps/v1 deployments Deployment | deploy | all | scale status | Name, Ready, Up-to-date, Available, Age || Containers, Images, Selector',
  'KND-022 | apps/v1 replicasets ReplicaSet | rs | all | scale status | Name, Desired:integer, Current:integer, Ready:integer, Age || Containers, Images, Selector',
  'KND-023 | apps/v1 statefulsets StatefulSet | sts | all | scale status | Name, Ready, Age || Containers, Images',
  'KND-024 | events.k8s.io/v1 events Event | ev |  |  | Last Seen, Type, Reason, Object, Message || Subobject, Source, First Seen, Count, Name',
  'KND-025 | authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview cluster |  |  | verbs create | -',
  'KND-026 | authentication.k8s.io/v1 tokenreviews TokenReview cluster |  |  | verbs create | -',
  'KND-027 | authorization.k8s.io/v1 localsubjectaccessreviews LocalSubjectAccessReview |  |  | verbs create | -',
  'KND-028 | authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview cluster |  |  | verbs create | -',
  'KND-029 | authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview cluster |  |  | verbs create | -',
  'KND-030 | authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview cluster |  |  | verbs create | -',
  'KND-031 | autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler | hpa | all | status | Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
  'KND-032 | autoscaling/v1 horizontalpodautoscalers HorizontalPodAutoscaler | hpa | all | status | Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
  'KND-033 | batch/v1 cronjobs CronJob | cj | all | status | Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age || Containers, Images, Selector',
  'KND-034 | batch/v1 jobs Job |  | all | status | Name, Status, Completions, Duration, Age || Containers, Images, Selector',
  'KND-035 | certificates.k8s.io/v1 certificatesigningrequests CertificateSigningRequest cluster | csr |  | approval status | Name, Age, SignerName, Requestor, RequestedDuration, Condition',
  'KND-036 | networking.k8s.io/v1 ingressclasses IngressClass cluster |  |  |  | Name, Controller, Parameters, Age',
  'KND-037 | networking.k8s.io/v1 ingresses Ingress | ing |  | status | Name, Class, Hosts, Address, Ports, Age',
  'KND-038 | networking.k8s.io/v1 ipaddresses IPAddress cluster | ip |  |  | Name, ParentRef',
  'KND-039 | networking.k8s.io/v1 networkpolicies NetworkPolicy | netpol |  |  | Name, Pod-Selector, Age',
  'KND-040 | networking.k8s.io/v1 servicecidrs ServiceCIDR cluster |  |  | status | Name, CIDRs, Age',
  'KND-041 | policy/v1 poddisruptionbudgets PodDisruptionBudget | pdb |  | status | Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age',
  'KND-042 | rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding cluster |  |  |  | Name, Role, Age || Users, Groups, ServiceAccounts',
  'KND-043 | rbac.authorization.k8s.io/v1 clusterroles ClusterRole cluster |  |  |  | Name, Created At:date',
  'KND-044 | rbac.authorization.k8s.io/v1 rolebindings RoleBinding |  |  |  | Name, Role, Age || Users, Groups, ServiceAccounts',
  'KND-045 | rbac.authorization.k8s.io/v1 roles Role |  |  |  | Name, Created At:date',
  'KND-046 | storage.k8s.io/v1 csidrivers CSIDriver cluster |  |  |  | Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age',
  'KND-047 | storage.k8s.io/v1 csinodes CSINode cluster |  |  |  | Name, Drivers:integer, Age',
  'KND-048 | storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity |  |  |  | Name, Created At:date',
  'KND-049 | storage.k8s.io/v1 storageclasses StorageClass cluster | sc |  |  | Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
  'KND-050 | storage.k8s.io/v1 volumeattachments VolumeAttachment cluster |  |  | status | Name, Attacher, PV, Node, Attached:boolean, Age',
  'KND-051 | storage.k8s.io/v1 volumeattributesclasses VolumeAttributesClass cluster | vac |  |  | Name, DriverName, Age',
  'KND-052 | admissionregistration.k8s.io/v1 mutatingadmissionpolicies MutatingAdmissionPolicy cluster |  | api-extensions |  | Name, Mutations:integer, ParamKind, Age',
  'KND-053 | admissionregistration.k8s.io/v1 mutatingadmissionpolicybindings MutatingAdmissionPolicyBinding cluster |  | api-extensions |  | Name, PolicyName, ParamRef, Age',
  'KND-054 | admissionregistration.k8s.io/v1 mutatingwebhookconfigurations MutatingWebhookConfiguration cluster |  | api-extensions |  | Name, Webhooks:integer, Age',
  'KND-055 | admissionregistration.k8s.io/v1 validatingadmissionpolicies ValidatingAdmissionPolicy cluster |  | api-extensions | status | Name, Validations:integer, ParamKind, Age',
  'KND-056 | admissionregistration.k8s.io/v1 validatingadmissionpolicybindings ValidatingAdmissionPolicyBinding cluster |  | api-extensions |  | Name, PolicyName, ParamRef, Age',
  'KND-057 | admissionregistration.k8s.io/v1 validatingwebhookconfigurations ValidatingWebhookConfiguration cluster |  | api-extensions |  | Name, Webhooks:integer, Age',
  'KND-058 | apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition cluster | crd,crds | api-extensions | status | Name, Created At:date',
  'KND-059 | scheduling.k8s.io/v1 priorityclasses PriorityClass cluster | pc |  |  | Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy',
  'KND-060 | coordination.k8s.io/v1 leases Lease |  |  |  | Name, Holder, Age',
  'KND-061 | node.k8s.io/v1 runtimeclasses RuntimeClass cluster |  |  |  | Name, Handler, Age',
  'KND-062 | discovery.k8s.io/v1 endpointslices EndpointSlice |  |  |  | Name, AddressType, Ports, Endpoints, Age',
  'KND-063 | resource.k8s.io/v1 deviceclasses DeviceClass cluster |  |  |  | Name, Age',
  'KND-064 | resource.k8s.io/v1 resourceclaims ResourceClaim |  |  | status | Name, State, Age',
  'KND-065 | resource.k8s.io/v1 resourceclaimtemplates ResourceClaimTemplate |  |  |  | Name, Age',
  'KND-066 | resource.k8s.io/v1 resourceslices ResourceSlice cluster |  |  |  | Name, Node, Driver, Pool, Age',
  'KND-067 | flowcontrol.apiserver.k8s.io/v1 flowschemas FlowSchema cluster |  |  | status | Name, PriorityLevel, MatchingPrecedence, DistinguisherMethod, Age, MissingPL',
  'KND-068 | flowcontrol.apiserver.k8s.io/v1 prioritylevelconfigurations PriorityLevelConfiguration cluster |  |  | status | Name, Type, NominalConcurrencyShares, Queues, HandSize, QueueLengthLimit, Age',
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
  const [id = '', names = '', short = '', in_ = '', rest = '', ...shown] = row
    .split(/ \|(?!\|) ?/)
    .map(part => part.trim());
  const words = names.split(' ');
  const apiVersion = words[0]?.includes('/') ? (words.shift() ?? '') : 'v1';
  const [plural = '', kind = '', cluster] = words;
  const shortNames = listOf(short);
  const categories = listOf(in_);
  const columns = columnsOf(shown.join('|').trim());
  const parts = rest.replace(/ ?verbs \S+/, '').split(' ');
  return {
    ...{ id, apiVersion, plural, kind, namespaced: cluster === undefined },
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
  /** Of the collection, in the namespace default. */
  readonly path: string;
}

/** Where a resource is: `pods`; `events.k8s.io/v1 events` if it is not the first of that name. */
export function placeOf(resource: string): Place {
  const [name = '', version] = resource.split(' ').reverse();
  const fact = kindFacts.find(({ plural, apiVersion }) => plural === name && apiVersion === (version ?? apiVersion));
  if (!fact) throw new Error(`no resource ${resource}`);
  const { apiVersion, kind, plural, namespaced } = fact;
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return { apiVersion, kind, path: `${root}/${namespaced ? 'namespaces/default/' : ''}${plural}` };
}
