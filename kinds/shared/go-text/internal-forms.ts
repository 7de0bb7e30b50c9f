/**
 * The structure of Go's internal types, for texts that print one as JSON: without JSON names, in the order of declaration, with all unset
 * fields. A type is one line (more deeply indented lines continue it): `Name: field field`. A field is `GoName=jsonName:type`; the default JSON
 * name is derived from Go's (`PDName` pdName), and the default type is string. `+Name` includes the fields of another type. type: string, int,
 * bool, Quantity, IntOrString, Time, raw (as the API writes it), or a type in this table; `*` pointer, `[]` list, `{}` map.
 */
// as pkg/apis/*/types.go
export const internalForms = `
AWSElasticBlockStoreVolumeSource: VolumeID FSType Partition:int ReadOnly:bool
Affinity: NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity
AllocationResult: Devices:DeviceAllocationResult NodeSelector:*NodeSelector AllocationTimestamp:*Time
AppArmorProfile: Type LocalhostProfile:*string
AuditAnnotation: Key ValueExpression
AzureDiskVolumeSource: DiskName DataDiskURI=diskURI CachingMode:*string FSType:*string ReadOnly:*bool Kind:*string
AzureFilePersistentVolumeSource: SecretName ShareName ReadOnly:bool SecretNamespace:*string
AzureFileVolumeSource: SecretName ShareName ReadOnly:bool
CELDeviceSelector: Expression
CSINodeDriver: Name NodeID TopologyKeys:[]string Allocatable:*VolumeNodeResources
CSIPersistentVolumeSource: Driver VolumeHandle ReadOnly:bool FSType VolumeAttributes:{}string ControllerPublishSecretRef:*SecretReference
  NodeStageSecretRef:*SecretReference NodePublishSecretRef:*SecretReference ControllerExpandSecretRef:*SecretReference
  NodeExpandSecretRef:*SecretReference
CSIVolumeSource: Driver ReadOnly:*bool FSType:*string VolumeAttributes:{}string NodePublishSecretRef:*LocalObjectReference
Capabilities: Add:[]string Drop:[]string
CapacityRequirements: Requests:{}Quantity
CephFSPersistentVolumeSource: Monitors:[]string Path User SecretFile SecretRef:*SecretReference ReadOnly:bool
CephFSVolumeSource: Monitors:[]string Path User SecretFile SecretRef:*LocalObjectReference ReadOnly:bool
CinderPersistentVolumeSource: VolumeID FSType ReadOnly:bool SecretRef:*SecretReference
CinderVolumeSource: VolumeID FSType ReadOnly:bool SecretRef:*LocalObjectReference
ClusterTrustBundleProjection: Name:*string SignerName:*string LabelSelector:*raw Optional:*bool Path
ConfigMapEnvSource: Name Optional:*bool
ConfigMapKeySelector: Name Key Optional:*bool
ConfigMapNodeConfigSource: Namespace Name UID ResourceVersion KubeletConfigKey
ConfigMapProjection: Name Items:[]KeyToPath Optional:*bool
ConfigMapVolumeSource: Name Items:[]KeyToPath DefaultMode:*int Optional:*bool
Container: Name Image Command:[]string Args:[]string WorkingDir Ports:[]ContainerPort EnvFrom:[]EnvFromSource Env:[]EnvVar
  Resources:ResourceRequirements ResizePolicy:[]ContainerResizePolicy RestartPolicy:*string RestartPolicyRules:[]ContainerRestartRule
  VolumeMounts:[]VolumeMount VolumeDevices:[]VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe
  Lifecycle:*Lifecycle TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext:*SecurityContext Stdin:bool
  StdinOnce:bool TTY:bool
ContainerPort: Name HostPort:int ContainerPort:int Protocol HostIP
ContainerResizePolicy: ResourceName RestartPolicy
ContainerRestartRule: Action ExitCodes:*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: Operator Values:[]int
DaemonSetUpdateStrategy: Type RollingUpdate:*RollingUpdateDaemonSet
DeploymentStrategy: Type RollingUpdate:*RollingUpdateDeployment
DeviceAllocationConfiguration: Source Requests:[]string Opaque:*OpaqueDeviceConfiguration
DeviceAllocationResult: Results:[]DeviceRequestAllocationResult Config:[]DeviceAllocationConfiguration
DeviceAttribute: IntValue=int:*int BoolValue=bool:*bool StringValue=string:*string VersionValue=version:*string IntValues=ints:[]int
  BoolValues=bools:[]bool StringValues=strings:[]string VersionValues=versions:[]string
DeviceClaim: Requests:[]DeviceRequest Constraints:[]DeviceConstraint Config:[]DeviceClaimConfiguration
DeviceClaimConfiguration: Requests:[]string Opaque:*OpaqueDeviceConfiguration
DeviceConstraint: Requests:[]string MatchAttribute:*string DistinctAttribute:*string
DeviceRequest: Name Exactly:*ExactDeviceRequest FirstAvailable:[]DeviceSubRequest
DeviceRequestAllocationResult: Request Driver Pool Device AdminAccess:*bool Tolerations:[]DeviceToleration BindingConditions:[]string
  BindingFailureConditions:[]string ShareID:*string ConsumedCapacity:{}Quantity
DeviceSelector: CEL:*CELDeviceSelector
DeviceSubRequest: Name DeviceClassName Selectors:[]DeviceSelector AllocationMode Count:int Tolerations:[]DeviceToleration
  Capacity:*CapacityRequirements
DeviceToleration: Key Operator Value Effect TolerationSeconds:*int
DownwardAPIProjection: Items:[]DownwardAPIVolumeFile
DownwardAPIVolumeFile: Path FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*int
DownwardAPIVolumeSource: Items:[]DownwardAPIVolumeFile DefaultMode:*int
EmptyDirVolumeSource: Medium SizeLimit:*Quantity
EndpointAddress: IP Hostname NodeName:*string TargetRef:*ObjectReference
EnvFromSource: Prefix ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource
EnvVar: Name Value ValueFrom:*EnvVarSource
EnvVarSource: FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector
  SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector
EphemeralContainer: +Container TargetContainerName
EphemeralVolumeSource: VolumeClaimTemplate:*PersistentVolumeClaimTemplate
EventSource: Component Host
ExactDeviceRequest: DeviceClassName Selectors:[]DeviceSelector AllocationMode Count:int AdminAccess:*bool Tolerations:[]DeviceToleration
  Capacity:*CapacityRequirements
ExecAction: Command:[]string
ExemptPriorityLevelConfiguration: NominalConcurrencyShares:*int LendablePercent:*int
FCVolumeSource: TargetWWNs:[]string Lun:*int FSType ReadOnly:bool WWIDs=wwids:[]string
FileKeySelector: VolumeName Path Key Optional:*bool
FlexPersistentVolumeSource: Driver FSType SecretRef:*SecretReference ReadOnly:bool Options:{}string
FlexVolumeSource: Driver FSType SecretRef:*LocalObjectReference ReadOnly:bool Options:{}string
FlockerVolumeSource: DatasetName DatasetUUID
FlowDistinguisherMethod: Type
FlowSchemaSpec: PriorityLevelConfiguration:PriorityLevelConfigurationReference MatchingPrecedence:int
  DistinguisherMethod:*FlowDistinguisherMethod Rules:[]PolicyRulesWithSubjects
GCEPersistentDiskVolumeSource: PDName FSType Partition:int ReadOnly:bool
GRPCAction: Port:int Service:*string
GitRepoVolumeSource: Repository Revision Directory
GlusterfsPersistentVolumeSource: EndpointsName=endpoints Path ReadOnly:bool EndpointsNamespace:*string
GlusterfsVolumeSource: EndpointsName=endpoints Path ReadOnly:bool
GroupSubject: Name
HostIP: IP
HPAScalingPolicy: Type Value:int PeriodSeconds:int
HPAScalingRules: StabilizationWindowSeconds:*int SelectPolicy:*string Policies:[]HPAScalingPolicy Tolerance:*Quantity
HTTPGetAction: Path Port:IntOrString Host Scheme HTTPHeaders:[]HTTPHeader
HTTPHeader: Name Value
HorizontalPodAutoscalerBehavior: ScaleUp:*HPAScalingRules ScaleDown:*HPAScalingRules
HostAlias: IP Hostnames:[]string
HostPathVolumeSource: Path Type:*string
ISCSIPersistentVolumeSource: TargetPortal IQN Lun:int ISCSIInterface FSType ReadOnly:bool Portals:[]string
  DiscoveryCHAPAuth=chapAuthDiscovery:bool SessionCHAPAuth=chapAuthSession:bool SecretRef:*SecretReference InitiatorName:*string
ISCSIVolumeSource: TargetPortal IQN Lun:int ISCSIInterface FSType ReadOnly:bool Portals:[]string DiscoveryCHAPAuth=chapAuthDiscovery:bool
  SessionCHAPAuth=chapAuthSession:bool SecretRef:*LocalObjectReference InitiatorName:*string
ImageVolumeSource: Reference PullPolicy
KeyToPath: Key Path Mode:*int
Lifecycle: PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*string
LifecycleHandler: Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction Sleep:*SleepAction
LimitResponse: Type Queuing:*QueuingConfiguration
LimitedPriorityLevelConfiguration: NominalConcurrencyShares:int LimitResponse:LimitResponse LendablePercent:*int
  BorrowingLimitPercent:*int
LoadBalancerIngress: IP Hostname IPMode:*string Ports:[]PortStatus
LoadBalancerStatus: Ingress:[]LoadBalancerIngress
LocalObjectReference: Name
LocalVolumeSource: Path FSType:*string
NFSVolumeSource: Server Path ReadOnly:bool
NodeAffinity: RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector
  PreferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm
NodeConfigSource: ConfigMap:*ConfigMapNodeConfigSource
NodeSelector: NodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorRequirement: Key Operator Values:[]string
NodeSelectorTerm: MatchExpressions:[]NodeSelectorRequirement MatchFields:[]NodeSelectorRequirement
NodeSpec: PodCIDRs:[]string ProviderID Unschedulable:bool Taints:[]Taint ConfigSource:*NodeConfigSource DoNotUseExternalID=externalID
NonResourcePolicyRule: Verbs:[]string NonResourceURLs:[]string
ObjectFieldSelector: APIVersion FieldPath
ObjectReference: Kind Namespace Name UID APIVersion ResourceVersion FieldPath
OpaqueDeviceConfiguration: Driver Parameters:raw
ParentReference: Group Resource Namespace Name
PersistentVolumeClaimSpec: AccessModes:[]string Selector:*raw Resources:VolumeResourceRequirements VolumeName StorageClassName:*string
  VolumeMode:*string DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*string
PersistentVolumeClaimTemplate: ObjectMeta=metadata:raw Spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: ClaimName ReadOnly:bool
PersistentVolumeSource: GCEPersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource
  HostPath:*HostPathVolumeSource Glusterfs:*GlusterfsPersistentVolumeSource NFS:*NFSVolumeSource RBD:*RBDPersistentVolumeSource
  Quobyte:*QuobyteVolumeSource ISCSI:*ISCSIPersistentVolumeSource FlexVolume:*FlexPersistentVolumeSource
  Cinder:*CinderPersistentVolumeSource CephFS=cephfs:*CephFSPersistentVolumeSource FC:*FCVolumeSource Flocker:*FlockerVolumeSource
  AzureFile:*AzureFilePersistentVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource
  PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOPersistentVolumeSource
  Local:*LocalVolumeSource StorageOS=storageos:*StorageOSPersistentVolumeSource CSI:*CSIPersistentVolumeSource
PersistentVolumeSpec: Capacity:{}Quantity +PersistentVolumeSource AccessModes:[]string ClaimRef:*ObjectReference
  PersistentVolumeReclaimPolicy StorageClassName MountOptions:[]string VolumeMode:*string NodeAffinity:*VolumeNodeAffinity
  VolumeAttributesClassName:*string
PhotonPersistentDiskVolumeSource: PdID FSType
PodAffinity: RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodAffinityTerm: LabelSelector:*raw Namespaces:[]string TopologyKey NamespaceSelector:*raw MatchLabelKeys:[]string
  MismatchLabelKeys:[]string
PodAntiAffinity: RequiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm
  PreferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm
PodCertificateProjection: SignerName KeyType MaxExpirationSeconds:*int CredentialBundlePath KeyPath CertificateChainPath
  UserAnnotations:{}string
PodDNSConfig: Nameservers:[]string Searches:[]string Options:[]PodDNSConfigOption
PodDNSConfigOption: Name Value:*string
PodDisruptionBudgetSpec: MinAvailable:*IntOrString Selector:*raw MaxUnavailable:*IntOrString UnhealthyPodEvictionPolicy:*string
PodFailurePolicy: Rules:[]PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement: ContainerName:*string Operator Values:[]int
PodFailurePolicyOnPodConditionsPattern: Type Status
PodFailurePolicyRule: Action OnExitCodes:*PodFailurePolicyOnExitCodesRequirement OnPodConditions:[]PodFailurePolicyOnPodConditionsPattern
PodIP: IP
PodOS: Name
PodReadinessGate: ConditionType
PodResourceClaim: Name ResourceClaimName:*string ResourceClaimTemplateName:*string
PodSchedulingGate: Name
PodSchedulingGroup: PodGroupName:*string
PodSecurityContext: HostNetwork=?HostNetwork:bool HostPID=?HostPID:bool HostIPC=?HostIPC:bool
  ShareProcessNamespace=?ShareProcessNamespace:*bool HostUsers=?HostUsers:*bool SELinuxOptions:*SELinuxOptions
  WindowsOptions:*WindowsSecurityContextOptions RunAsUser:*int RunAsGroup:*int RunAsNonRoot:*bool SupplementalGroups:[]int
  SupplementalGroupsPolicy:*string FSGroup:*int FSGroupChangePolicy:*string Sysctls:[]Sysctl SeccompProfile:*SeccompProfile
  AppArmorProfile:*AppArmorProfile SELinuxChangePolicy:*string
PodSpec: Volumes:[]Volume InitContainers:[]Container Containers:[]Container EphemeralContainers:[]EphemeralContainer RestartPolicy
  TerminationGracePeriodSeconds:*int ActiveDeadlineSeconds:*int DNSPolicy NodeSelector:{}string ServiceAccountName
  AutomountServiceAccountToken:*bool NodeName SecurityContext:*PodSecurityContext ImagePullSecrets:[]LocalObjectReference Hostname
  Subdomain SetHostnameAsFQDN:*bool Affinity:*Affinity SchedulerName Tolerations:[]Toleration HostAliases:[]HostAlias PriorityClassName
  Priority:*int PreemptionPolicy:*string DNSConfig:*PodDNSConfig ReadinessGates:[]PodReadinessGate RuntimeClassName:*string
  Overhead:{}Quantity EnableServiceLinks:*bool TopologySpreadConstraints:[]TopologySpreadConstraint OS:*PodOS
  SchedulingGates:[]PodSchedulingGate ResourceClaims:[]PodResourceClaim Resources:*ResourceRequirements HostnameOverride:*string
  SchedulingGroup:*PodSchedulingGroup
PodTemplateSpec: ObjectMeta=metadata:raw Spec:PodSpec
PolicyRulesWithSubjects: Subjects:[]Subject ResourceRules:[]ResourcePolicyRule NonResourceRules:[]NonResourcePolicyRule
PortStatus: Port:int Protocol Error:*string
PortworxVolumeSource: VolumeID FSType ReadOnly:bool
PreferredSchedulingTerm: Weight:int Preference:NodeSelectorTerm
PriorityLevelConfigurationReference: Name
PriorityLevelConfigurationSpec: Type Limited:*LimitedPriorityLevelConfiguration Exempt:*ExemptPriorityLevelConfiguration
Probe: Exec:*ExecAction HTTPGet:*HTTPGetAction TCPSocket:*TCPSocketAction GRPC:*GRPCAction InitialDelaySeconds:int TimeoutSeconds:int
  PeriodSeconds:int SuccessThreshold:int FailureThreshold:int TerminationGracePeriodSeconds:*int
ProjectedVolumeSource: Sources:[]VolumeProjection DefaultMode:*int
QueuingConfiguration: Queues:int HandSize:int QueueLengthLimit:int
QuobyteVolumeSource: Registry Volume ReadOnly:bool User Group Tenant
RBDPersistentVolumeSource: CephMonitors=monitors:[]string RBDImage=image FSType RBDPool=pool RadosUser=user Keyring
  SecretRef:*SecretReference ReadOnly:bool
RBDVolumeSource: CephMonitors=monitors:[]string RBDImage=image FSType RBDPool=pool RadosUser=user Keyring SecretRef:*LocalObjectReference
  ReadOnly:bool
ResourceClaim: Name Request
ResourceClaimSpec: Devices:DeviceClaim
ResourceClaimTemplateSpec: ObjectMeta=metadata:raw Spec:ResourceClaimSpec
ResourceFieldSelector: ContainerName Resource Divisor:Quantity
ResourcePolicyRule: Verbs:[]string APIGroups:[]string Resources:[]string ClusterScope:bool Namespaces:[]string
ResourceQuotaSpec: Hard:{}Quantity Scopes:[]string ScopeSelector:*ScopeSelector
ResourceRequirements: Limits:{}Quantity Requests:{}Quantity Claims:[]ResourceClaim
RoleRef: APIGroup Kind Name
RollingUpdateDaemonSet: MaxUnavailable:IntOrString MaxSurge:IntOrString
RollingUpdateDeployment: MaxUnavailable:IntOrString MaxSurge:IntOrString
RollingUpdateStatefulSetStrategy: Partition:int MaxUnavailable:*IntOrString
SELinuxOptions: User Role Type Level
ScaleIOPersistentVolumeSource: Gateway System SecretRef:*SecretReference SSLEnabled:bool ProtectionDomain StoragePool StorageMode
  VolumeName FSType ReadOnly:bool
ScaleIOVolumeSource: Gateway System SecretRef:*LocalObjectReference SSLEnabled:bool ProtectionDomain StoragePool StorageMode VolumeName
  FSType ReadOnly:bool
ScopeSelector: MatchExpressions:[]ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: ScopeName Operator Values:[]string
SeccompProfile: Type LocalhostProfile:*string
SecretEnvSource: Name Optional:*bool
SecretKeySelector: Name Key Optional:*bool
SecretProjection: Name Items:[]KeyToPath Optional:*bool
SecretReference: Name Namespace
SecretVolumeSource: SecretName Items:[]KeyToPath DefaultMode:*int Optional:*bool
SecurityContext: Capabilities:*Capabilities Privileged:*bool SELinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions
  RunAsUser:*int RunAsGroup:*int RunAsNonRoot:*bool ReadOnlyRootFilesystem:*bool AllowPrivilegeEscalation:*bool ProcMount:*string
  SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile
ServiceAccountSubject: Namespace Name
ServiceAccountTokenProjection: Audience ExpirationSeconds:int Path
ServiceCIDRSpec: CIDRs=cidrs:[]string
ServicePort: Name Protocol AppProtocol:*string Port:int TargetPort:IntOrString NodePort:int
SleepAction: Seconds:int
StatefulSetUpdateStrategy: Type RollingUpdate:*RollingUpdateStatefulSetStrategy
StorageOSPersistentVolumeSource: VolumeName VolumeNamespace FSType ReadOnly:bool SecretRef:*ObjectReference
StorageOSVolumeSource: VolumeName VolumeNamespace FSType ReadOnly:bool SecretRef:*LocalObjectReference
Subject: Kind User:*UserSubject Group:*GroupSubject ServiceAccount:*ServiceAccountSubject
SuccessPolicy: Rules:[]SuccessPolicyRule
SuccessPolicyRule: SucceededIndexes:*string SucceededCount:*int
Sysctl: Name Value
TCPSocketAction: Port:IntOrString Host
Taint: Key Value Effect TimeAdded:*Time
Toleration: Key Operator Value Effect TolerationSeconds:*int
TopologySpreadConstraint: MaxSkew:int TopologyKey WhenUnsatisfiable LabelSelector:*raw MinDomains:*int NodeAffinityPolicy:*string
  NodeTaintsPolicy:*string MatchLabelKeys:[]string
TypedLocalObjectReference: APIGroup:*string Kind Name
TypedObjectReference: APIGroup:*string Kind Name Namespace:*string
UncountedTerminatedPods: Succeeded:[]string Failed:[]string
UserSubject: Name
Volume: Name HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk:*GCEPersistentDiskVolumeSource
  AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS:*NFSVolumeSource
  ISCSI:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD:*RBDVolumeSource
  Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource
  Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC:*FCVolumeSource AzureFile:*AzureFileVolumeSource
  ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource
  PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource
  ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource
  Image:*ImageVolumeSource
VolumeAttachmentSource: PersistentVolumeName:*string InlineVolumeSpec:*PersistentVolumeSpec
VolumeAttachmentSpec: Attacher Source:VolumeAttachmentSource NodeName
VolumeDevice: Name DevicePath
VolumeMount: Name ReadOnly:bool RecursiveReadOnly:*string MountPath SubPath MountPropagation:*string SubPathExpr
VolumeNodeAffinity: Required:*NodeSelector
VolumeNodeResources: Count:*int
VolumeProjection: Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection
  ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection
  PodCertificate:*PodCertificateProjection
VolumeResourceRequirements: Limits:{}Quantity Requests:{}Quantity
VsphereVirtualDiskVolumeSource: VolumePath FSType StoragePolicyName StoragePolicyID
WeightedPodAffinityTerm: Weight:int PodAffinityTerm:PodAffinityTerm
WindowsSecurityContextOptions: GMSACredentialSpecName:*string GMSACredentialSpec:*string RunAsUserName:*string HostProcess:*bool
`;
