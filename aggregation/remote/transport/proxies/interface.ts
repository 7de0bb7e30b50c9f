/** The contracts of connections that do not lead straight to a server. */
import type { Socket } from 'node:net';

export interface Destination {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface ProxyAccount {
  readonly username: string;
  readonly password: string;
}

/** Opens connections to a server in another way than by its address. */
export interface Dialer {
  /** Resolves with a connection on which nothing was sent or received. TLS with the server, if any, is up to the caller. */
  dial(to: Destination): Promise<Socket>;
  /** Ends the attempts that are under way. Connections that were opened stay. */
  close(): void;
}
