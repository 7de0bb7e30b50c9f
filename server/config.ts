/** Everything that can be set about a server. Read here and nowhere else; who starts a server fills it in. */
import type { Registry } from 'prom-client';
import type { TokenAlgorithm } from '../authn/pki/token-key.js';
import type { PluginSwitches } from '../admission/plugin-selection.js';
import type { FeatureGates } from '../kinds/karmada/feature-gates.js';
import type { TenantBoundaries } from '../kinds/karmada/tenant-boundaries.js';
import type { EtcdOptions } from '../storage/etcd/open-etcd.js';
import type { Backend } from '../storage/interface.js';
import type { LogFileOptions } from '../apiserver/audit/log-file.js';
import type { Policy } from '../apiserver/audit/policy.js';
import type { EdgeOptions } from '../apiserver/http/edge.js';
import type { Filter } from '../apiserver/http/filters.js';
import type { Connect, Delegate } from '../apiserver/interface.js';
import type { Logger } from './logger.js';
import type { Part } from './parts.js';

export type StorageConfig =
  /** One process, one folder. */
  | { readonly type: 'embedded'; readonly directory: string }
  | { readonly type: 'etcd'; readonly etcd: Omit<EtcdOptions, 'log' | 'clock'> }
  /** A store that is there already and stays open when the server stops. `shared`: values have the forms of those in an etcd. */
  | { readonly type: 'opened'; readonly backend: Backend; readonly shared?: boolean };

/** Whether values are written as kube-apiserver writes them: an etcd may have been, or may become, that of one. */
export const isShared = (storage: StorageConfig): boolean =>
  storage.type === 'etcd' || (storage.type === 'opened' && storage.shared === true);

export interface AuditConfig {
  readonly policy: Policy;
  readonly log: Pick<LogFileOptions, 'path' | 'maxSize' | 'maxAge' | 'maxBackups'>;
}

export interface RequestLimits {
  /** Requests that read, and that write, at once; with priority and fairness the seats are their sum. 0: any number, without it. */
  readonly reading?: number;
  readonly writing?: number;
  /** false: plain limits. */
  readonly priorityAndFairness?: boolean;
  /** Milliseconds between looks at the objects that must be. */
  readonly restoreEvery?: number;
}

/** What serves HTTP. */
export interface Frontend {
  readonly host: string;
  readonly port: number;
  /** Takes a certificate and its key into use. */
  renew(certificate: string, key: string): void;
  /** The store holds all that a server needs from its beginning. */
  populated?(): void;
  /** Serves on, and sends clients elsewhere where the protocol can say so. */
  retire?(): void;
  /** Closes the port and ends all connections, until `resume` opens it again. Absent: the front cannot do that. */
  pause?(): void;
  resume?(): Promise<void>;
  /** Answers what was asked, for so many milliseconds at most, and ends. */
  stop(patience: number): Promise<void>;
}

export interface ServerConfig {
  /** What the server is: the control plane of Karmada, or a plain Kubernetes API server (members). */
  readonly profile: 'karmada' | 'kubernetes';
  /** How service account tokens are signed by a server that has no key yet: RS256. */
  readonly tokens?: TokenAlgorithm;
  /** Karmada's; absent: its defaults. */
  readonly featureGates?: FeatureGates;
  /** Whether ClusterTaintPolicies may evict. */
  readonly allowNoExecuteTaintPolicy?: boolean;
  /** Whether users with rights to one namespace are kept within it; absent: enforce. */
  readonly tenantBoundaries?: TenantBoundaries;
  /** Plugins of kube-apiserver that are switched; absent: none. */
  readonly admissionPlugins?: PluginSwitches;
  /** Port 0: any free port. */
  readonly listen: { readonly host: string; readonly port: number };
  /** The IP address that the Endpoints `kubernetes` name; absent: that of `listen`, unless only its own machine reaches it. */
  readonly advertisedAddress?: string;
  /** DNS names and addresses, besides the usual ones, under which clients reach the server. */
  readonly hosts?: readonly string[];
  /** Folder of keys and certificates; made when missing. */
  readonly pkiDirectory: string;
  readonly storage: StorageConfig;
  readonly log: Logger;
  /** One debug line per request, as long as the log tells of such. */
  readonly logRequests?: boolean;
  /** For browsers and balancers. */
  readonly edge?: EdgeOptions;
  /** Are there profiles, and flags that can be changed? */
  readonly profiling?: boolean;
  /** Addresses of Services; the first one is that of `kubernetes`. */
  readonly serviceCidr?: string;
  /** Milliseconds after which what a server must have is looked for again, and put back. */
  readonly restoreEvery?: number;
  /** Besides those that present no credentials on health paths: may anybody ask anonymously? */
  readonly anonymous?: boolean;
  /** What /flagz shows. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Absent: no audit log. */
  readonly audit?: AuditConfig;
  /** How much is served at once. */
  readonly limits?: RequestLimits;
  /** Milliseconds that a request may take. */
  readonly requestTimeout?: number;
  /** The version of Flagship, for metrics and /statusz. */
  readonly version?: string;
  /** Watches last between once and twice so many milliseconds. */
  readonly minRequestTimeout?: number;
  /** Milliseconds between the moment when the server says that it ends and the one when it takes no more requests: 0. */
  readonly shutdownDelay?: number;
  /** Milliseconds that requests have to finish when the server stops. */
  readonly shutdownPatience?: number;
  /** What runs on top of the API: controllers, scheduler, members. Started in order, stopped in reverse. */
  readonly parts?: readonly Part[];
  /** Who serves connect subresources, by `PLURAL.GROUP/SUBRESOURCE`, of the core group by `PLURAL/SUBRESOURCE`. */
  readonly connects?: Readonly<Record<string, Connect>>;
  /** Steps that every request takes before authentication. */
  readonly earlyFilters?: readonly Filter[];
  /** Who serves HTTP in place of this process, from the same store. Absent: it opens the port itself. */
  readonly front?: (backend: Backend, metrics: Registry) => Promise<Frontend>;
  /** What /metrics tells, as text: of this process and others that serve with it. Absent: its own. */
  readonly allMetrics?: () => Promise<string>;
  /** Somebody else fills the store and renews certificates; resolves when all is there. Absent: this server does. */
  readonly populated?: Promise<void>;
  /** Servers behind this one (APIServices). */
  readonly delegates?: readonly Delegate[];
}
