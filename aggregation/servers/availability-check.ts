import { errorText } from '../../apimachinery/errors/error-text.js';
import { ExpectedError } from '../../lib/logging/cause.js';
import type { APIService } from '../../api/kubernetes/apiregistration.js';
import type { ServerConnections } from './server-connections.js';
import { serverReference, type ServerReference } from './server-reference.js';
import { ask, versionPath } from './server-requests.js';

/** Requests of one check, of which one has to succeed: each may go to another endpoint. as kube-aggregator/pkg/controllers/status/remote sync */
const attempts = 5;

/** Requests the discovery document of an APIService. Resolves with the text of the failure; undefined if the server answers with it. */
export async function checkAvailability(
  connections: ServerConnections,
  api: APIService,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reference = serverReference(api);
  if (!reference) return undefined;
  const { group = '', version = '' } = api.spec ?? {};
  const path = versionPath(group, version);
  const all = Array.from({ length: attempts }, () => attempt(connections, reference, path, signal));
  try {
    await Promise.any(all);
    return undefined;
  } catch (error) {
    return errorText((error as AggregateError).errors.at(-1));
  }
}

async function attempt(
  connections: ServerConnections,
  reference: ServerReference,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const origin = await connections.originOf(reference);
  try {
    await ask(connections, { reference, origin, path, signal }, answer => {
      // The body does not matter. It may be long, or never end.
      answer.abort(new ExpectedError('only the head of the answer is needed'));
      if (answer.status >= 200 && answer.status < 300) return Promise.resolve();
      throw new ExpectedError(`bad status from ${origin}${path}: ${answer.status}`);
    });
  } catch (error) {
    throw new ExpectedError(`failing or missing response from ${origin}${path}: ${errorText(error)}`);
  }
}
