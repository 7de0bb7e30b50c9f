/** The configuration of a server. Nothing else reads flags or the environment; the caller fills it in. */
import type { Registry } from 'prom-client';
import type { TokenAlgorithm } from '../authn/pki/token-key.js';
import type { PluginSwitches } from '../admission/plugin-selection.js';
import type { KubeletConnectionOptions } from '../aggregation/kubelets/kubelet-connections.js';
import type { FeatureGates } from '../kinds/karmada/feature-gates.js';
import type { TenantBoundaries } from '../kinds/karmada/tenant-boundaries.js';
import type { EtcdOptions } from '../storage/etcd/open-etcd.js';
import type { Backend } from '../storage/interface.js';
import type { LogFileOptions } from '../apiserver/audit/log-file.js';
import type { AuditPolicy } from '../apiserver/audit/policy.js';
import type { EdgeOptions } from '../apiserver/http/edge.js';
import type { RequestFilter } from '../apiserver/http/filters.js';
import type { ConnectHandler, Delegate } from '../apiserver/interface.js';
import type { AdjustableLogger } from './logger.js';
import type { Part } from './parts.js';

export type StorageConfig =
  /** One process with one folder. */
  | { readonly type: 'embedded'; readonly directory: string }
  | { readonly type: 'etcd'; readonly etcd: Omit<EtcdOptions, 'log' | 'clock'> }
  /** An open store, which stays open when the server stops. `shared`: its values have the form of those in an etcd. */
  | { readonly type: 'opened'; readonly backend: Backend; readonly shared?: boolean };

/** Returns whether values are written as kube-apiserver writes them: it may share the etcd, before, now or later. */
export const isShared = (storage: StorageConfig): boolean =>
  storage.type === 'etcd' || (storage.type === 'opened' && storage.shared === true);

export interface AuditConfig {
  readonly policy: AuditPolicy;
  readonly log: Pick<LogFileOptions, 'path' | 'maxSize' | 'maxAge' | 'maxBackups'>;
}

export interface RequestLimits {
  /**
   * Concurrent reading requests, and writing ones; with priority and fairness their sum is the number of seats. 0: unlimited, without priority
   * and fairness.
   */
  readonly reading?: number;
  readonly writing?: number;
  /** false: plain limits. */
  readonly priorityAndFairness?: boolean;
  /** Milliseconds between checks of the mandatory objects. */
  readonly restoreEveryMs?: number;
}

/** How the API server reaches kubelets. */
export interface KubeletConfig extends KubeletConnectionOptions {
  /** The order in which a Node's addresses are tried; absent: that of kube-apiserver. */
  readonly addressTypes?: readonly string[];
  /** Milliseconds until a kubelet begins its answer. */
  readonly timeoutMs?: number;
}

/** The part that serves HTTP. */
export interface Frontend {
  readonly host: string;
  readonly port: number;
  /** A port of this process alone, if `port` is shared with others. */
  readonly ownPort?: number | undefined;
  /** Uses a certificate and its key for new connections. */
  readonly renew: (certificate: string, key: string) => void;
  /** Called when the store holds everything that a server needs from its start. */
  populated?(): void;
  /** Keeps serving, but asks HTTP/1.1 clients to close their connections. */
  retire?(): void;
  /** Closes the port and ends all connections, until `resume` opens it again. Absent: not supported. */
  pause?(): void;
  resume?(): Promise<void>;
  /** Answers pending requests for at most `timeoutMs`, and ends. */
  stop(timeoutMs: number): Promise<void>;
}

export interface ServerConfig {
  /** The Karmada control plane, or a plain Kubernetes API server (members). */
  readonly profile: 'karmada' | 'kubernetes';
  /** The algorithm of a new key for service account tokens: RS256 by default. */
  readonly tokens?: TokenAlgorithm;
  /** Karmada's feature gates; absent: the defaults. */
  readonly featureGates?: FeatureGates;
  /** Allows ClusterTaintPolicies with the effect NoExecute. */
  readonly allowNoExecuteTaintPolicy?: boolean;
  /** NoExecute taints evict workloads: the taint manager runs somewhere. Without it, users get a warning. */
  readonly evictsByTaints?: boolean;
  /** Whether users with rights to one namespace are confined to it; absent: enforce. */
  readonly tenantBoundaries?: TenantBoundaries;
  /** Plugins of kube-apiserver that are enabled or disabled; absent: none. */
  readonly admissionPlugins?: PluginSwitches;
  /** Port 0: any free port. */
  readonly listen: { readonly host: string; readonly port: number };
  /** Other processes listen on the same port: opens another one, through which these reach this process. */
  readonly sharesPort?: boolean;
  /** The IP address in the Endpoints `kubernetes`; absent: that of `listen`, unless it is a loopback address. */
  readonly advertisedAddress?: string;
  /** DNS names and addresses, besides the default ones, under which clients reach the server. */
  readonly hosts?: readonly string[];
  /** The folder of keys and certificates; created when missing. */
  readonly pkiDirectory: string;
  /** Called when the server has renewed the certificate of the administrator, `pki.admin`. It is called again if it rejects. */
  readonly onAdminRenewed?: () => Promise<void>;
  readonly storage: StorageConfig;
  readonly log: AdjustableLogger;
  /** Logs a debug line for each request while the level is debug. */
  readonly logRequests?: boolean;
  /** Settings for browsers and load balancers. */
  readonly edge?: EdgeOptions;
  /** Serves profiles and changeable flags under /debug. */
  readonly profiling?: boolean;
  /** The address range of Services; its first address is that of `kubernetes`. */
  readonly serviceCidr?: string;
  /** Milliseconds between checks of the objects that a server must have. */
  readonly restoreEveryMs?: number;
  /** Allows anonymous requests beyond the health paths; absent: they are allowed. */
  readonly anonymous?: boolean;
  /** The flags that /flagz shows. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Absent: no audit log. */
  readonly audit?: AuditConfig;
  /** Limits of concurrent requests. */
  readonly limits?: RequestLimits;
  /** Milliseconds that a request may take. */
  readonly requestTimeoutMs?: number;
  /** The version of Flagship, for metrics and /statusz. */
  readonly version?: string;
  /** Watches without timeoutSeconds last from this number of milliseconds to twice as many. */
  readonly minRequestTimeoutMs?: number;
  /** Milliseconds for which the server accepts requests after /readyz fails: 0 by default. */
  readonly shutdownDelayMs?: number;
  /** Milliseconds that requests get to finish when the server stops. */
  readonly shutdownTimeoutMs?: number;
  /** Components on top of the API: controllers, scheduler, members. Started in order, stopped in reverse order. */
  readonly parts?: readonly Part[];
  /** Handlers of connect subresources, by `PLURAL.GROUP/SUBRESOURCE`, for the core group by `PLURAL/SUBRESOURCE`. */
  readonly connects?: Readonly<Record<string, ConnectHandler>>;
  /** How kubelets are reached; absent: without a client certificate, and without a check of theirs. */
  readonly kubelets?: KubeletConfig;
  /** Filters that every request passes before authentication. */
  readonly earlyFilters?: readonly RequestFilter[];
  /** Starts other processes that serve HTTP from the same store. Absent: this process opens the port. */
  readonly startFrontend?: (backend: Backend, metrics: Registry) => Promise<Frontend>;
  /** Returns the text of /metrics, in parts, for this process and others that serve with it. Absent: its own. */
  readonly allMetrics?: () => Promise<readonly string[]>;
  /** Resolves when another process has filled the store; that process also renews certificates. Absent: this server does both. */
  readonly populated?: Promise<void>;
  /** Servers behind this one (APIServices). */
  readonly delegates?: readonly Delegate[];
}
