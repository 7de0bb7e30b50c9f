/**
 * What both ends of a reverse tunnel know. An agent upgrades a request of its own to this protocol: HTTP/2 with reversed roles. Each CONNECT of the
 * control plane is one connection to the API server of the member, and carries its bytes.
 */
import type { RequestInfo } from '../../apiserver/interface.js';

/**
 * The subresource of a Cluster that an agent upgrades, which is authorized as `create`. Another process of the control plane upgrades a GET of it to one
 * connection through the tunnel that this process has.
 */
const subresource = 'tunnel';

/** Returns the path of the tunnel of a cluster. */
export const tunnelPath = (cluster: string): string =>
  `/apis/cluster.karmada.io/v1alpha1/clusters/${encodeURIComponent(cluster)}/${subresource}`;

/** Returns whether a request is for the tunnel of a cluster. */
export const isTunnelRequest = ({
  isResource,
  group,
  resource,
  subresource: part,
  name,
  parts,
  verbInPath,
}: RequestInfo): boolean =>
  isResource &&
  // A path below /watch/ is authorized as a watch.
  !verbInPath &&
  group === 'cluster.karmada.io' &&
  resource === 'clusters' &&
  part === subresource &&
  name !== '' &&
  parts.length === 3;

/** The protocol of the upgrade. */
export const tunnelProtocol = 'flagship-tunnel/1';

/** The protocol of the upgrade of another process: the bytes of one connection to the API server of the member. */
export const peerProtocol = 'flagship-tunnel-connection/1';

/** What a connection through another process counts as. */
export interface ConnectionUse {
  /** It counts as one of users. */
  readonly isForUsers: boolean;
  /** It counts as one of this user, too. */
  readonly user?: string | undefined;
}

/** A header of that upgrade: `user` for a connection that counts as one of users. */
export const connectionUseHeader = 'flagship-connection-use';

/** Another one: the name of the user, percent-encoded, for a connection that counts as one of this user. */
export const connectionUserHeader = 'flagship-connection-user';

/** A header of the upgrade: the URL of the API server of the member, as the agent reaches it. */
export const memberServerHeader = 'flagship-member-server';

/** A header of the answer to a CONNECT that failed: why. */
export const faultHeader = 'flagship-fault';

/** Connections to the member at a time, and those of them that the proxied requests of users may open: the others are for the control plane. */
export const maxStreams = 256;
export const maxUserStreams = 192;
/** Those of one user, through all processes of the control plane together, if each carries one request that lasts: `exec`, for example. */
export const maxStreamsOfUser = maxUserStreams / 4;

/** Bytes that one end may send on one stream before the other end has passed them on. */
export const tunnelStreamWindow = 256 * 1024;
/** Passed-on bytes after which the window of the connection is renewed. */
export const renewTunnelAfter = 8 * 1024 * 1024;
/** Bytes that one end may send on all streams together: readers that all wait but one leave this one its whole window. */
export const tunnelWindow = maxStreams * tunnelStreamWindow + renewTunnelAfter;

/** Milliseconds of silence after which an end sends a ping, and within which it has to be answered. */
export const silenceMs = 15_000;
export const pongMs = 15_000;

/** Milliseconds until the agent has connected to the API server of the member. */
export const connectMs = 10_000;
/** Milliseconds until the agent has answered a CONNECT. It gives up earlier itself, and says why. */
export const openMs = connectMs + 5_000;
/** Milliseconds until another process has answered the upgrade to a connection. It gives up earlier itself, and says why. */
export const peerMs = openMs + 5_000;
/** Milliseconds until a connection to another process, with its TLS handshake, is open. */
export const peerConnectMs = 5_000;
/** Milliseconds for which connections through another process fail at once after one to which it was silent. */
export const silentPeerMs = 5_000;

/** Seconds after which a refused request of a user may be sent again. */
export const retryAfterSeconds = 1;
