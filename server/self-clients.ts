import net from 'node:net';
import { serviceUnavailable } from '../apimachinery/errors/status.js';
import type { Identity } from '../apimachinery/identity.js';
import type { Pki } from '../authn/pki/files.js';
import type { RemoteClient } from '../aggregation/interface.js';
import { remote } from '../aggregation/remote/client.js';
import type { Address } from '../aggregation/webhooks/resolve-service.js';
import type { Client } from '../client/interface.js';

/** Milliseconds until an answer begins, and until it is complete: a controller must not wait long for a server that does not answer. */
const timeoutMs = 10_000;

/**
 * Clients over HTTP of this server itself, for the kinds that other servers serve: the requests pass its authorization, audit and proxy as those of
 * every client. They are opened when they are needed.
 */
export class SelfClients {
  readonly #pki: Pki;
  readonly #self: () => Address | undefined;
  readonly #opened: RemoteClient[] = [];

  /** `self`: returns the address of the server; undefined before it listens. */
  constructor(pki: Pki, self: () => Address | undefined) {
    this.#pki = pki;
    this.#self = self;
  }

  /** Returns a function that opens the client of an identity at the first call. It throws 503 before the server listens. */
  clientFor(identity: Identity, fieldManager: string): () => Client {
    let opened: RemoteClient | undefined;
    return () => {
      if (!opened) {
        opened = this.#open(identity, fieldManager);
        this.#opened.push(opened);
      }
      return opened;
    };
  }

  /** Ends all requests. */
  async close(): Promise<void> {
    await Promise.all(this.#opened.map(client => client.close()));
  }

  #open({ name, groups }: Identity, fieldManager: string): RemoteClient {
    const address = this.#self();
    if (!address) throw serviceUnavailable('the server does not listen yet');
    const { host, port } = address;
    const { authority, admin } = this.#pki;
    const endpoint = {
      server: `https://${net.isIPv6(host) ? `[${host}]` : host}:${port}`,
      ...{ ca: authority.certificate, clientCertificate: admin.certificate, clientKey: admin.key },
      impersonate: { user: name, groups },
    };
    return remote(endpoint, { userAgent: fieldManager, timeoutMs });
  }
}
