import type { APIService } from '../../../api/kubernetes/apiregistration.js';

/** The other API servers, which serve the group versions of APIServices. */
export interface ApiServers {
  /** Called when an APIService exists or has changed; with undefined when it was deleted. */
  changed(name: string, api: APIService | undefined): void;
  /** Requests the discovery of the server of an APIService. Resolves with the text of the failure; undefined if the server answers. */
  check(api: APIService, signal: AbortSignal): Promise<string | undefined>;
}
