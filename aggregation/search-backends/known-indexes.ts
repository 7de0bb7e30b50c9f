import type { OpenSearchClient } from './open-search-client.js';

/** The indexes of an OpenSearch that exist, as far as this store knows. */
export class KnownIndexes {
  readonly #client: Pick<OpenSearchClient, 'createIndex'>;
  readonly #known = new Set<string>();

  constructor(client: Pick<OpenSearchClient, 'createIndex'>) {
    this.#client = client;
  }

  /** Creates an index unless it is known to exist. Rejects with a RequestError. */
  async ensure(index: string): Promise<void> {
    if (this.#known.has(index)) return;
    await this.#client.createIndex(index);
    this.#known.add(index);
  }

  /** Forgets an index that was deleted. Returns false if it was not known. */
  forget(index: string): boolean {
    return this.#known.delete(index);
  }
}
