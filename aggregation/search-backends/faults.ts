/** What the errors of an OpenSearch mean for an object, for an index, and for a whole request. */
import { type BulkResult, RequestError } from './open-search-client.js';

/** The errors with status 400 that are those of an index or of the cluster, not of the object. */
const indexErrors = /^(?:index_closed_exception|validation_exception)\b/;

/** Reports whether the OpenSearch refuses the object for its own sake, and would again. Everything else that fails may succeed later. */
export const isRefused = ({ status, error }: BulkResult): boolean =>
  status === 413 || (status === 400 && !indexErrors.test(error));

/** Reports whether one index cannot be created or read, as opposed to all. */
export const isOfIndex = (error: unknown): boolean =>
  error instanceof RequestError && (error.status === 400 || error.status === 403);

/** Reports whether the OpenSearch refuses a whole request because of what it contains, as opposed to a proxy that has no such type of error. */
export const isBadRequest = (error: unknown): error is RequestError =>
  error instanceof RequestError && (error.status === 413 || (error.status === 400 && error.type !== ''));
