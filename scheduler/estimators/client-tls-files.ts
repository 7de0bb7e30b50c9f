import fs from 'node:fs/promises';
import { deepEqual } from '../../lib/json/equality.js';
import type { ClientTls } from './grpc/connection.js';

export interface ClientTlsSettings {
  /** Paths of PEM files; '' for none. */
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  /** Any certificate of an estimator is accepted. */
  readonly skipsVerification: boolean;
}

type Texts = Readonly<Record<'ca' | 'cert' | 'key', string>>;

/** The certificates for connections to estimators, from files that are replaced when they are renewed. */
export class ClientTlsFiles {
  readonly #settings: ClientTlsSettings;
  #texts: Texts | undefined;
  #tls: ClientTls | undefined;

  constructor(settings: ClientTlsSettings) {
    this.#settings = settings;
  }

  /**
   * Reads the files. Returns the same object as before if they have not changed; undefined, for plain TCP, if neither an authority is given nor that
   * none is needed. Rejects if a file cannot be read. as pkg/util/grpcconnection DialWithTimeOut
   */
  async read(): Promise<ClientTls | undefined> {
    const { caFile, certFile, keyFile, skipsVerification: insecureSkipVerify } = this.#settings;
    if (caFile === '' && !insecureSkipVerify) return undefined;
    const isMutual = certFile !== '' && keyFile !== '';
    const read = (file: string): Promise<string> | string => (file === '' ? '' : fs.readFile(file, 'utf8'));
    const [ca, cert, key] = await Promise.all([
      read(caFile),
      isMutual ? read(certFile) : '',
      isMutual ? read(keyFile) : '',
    ]);
    const texts = { ca, cert, key };
    if (this.#tls && deepEqual(texts, this.#texts)) return this.#tls;
    this.#texts = texts;
    const pem = (name: keyof Texts) => (texts[name] === '' ? {} : { [name]: Buffer.from(texts[name]) });
    return (this.#tls = { insecureSkipVerify, ...pem('ca'), ...pem('cert'), ...pem('key') });
  }
}
