import { StatusError } from '../../openapi/meta/status.js';

/** What was to be written has changed or gone meanwhile: who failed looks at the world anew, and nobody needs to be told. */
export const isLostRace = (error: unknown): boolean =>
  error instanceof StatusError && (error.code === 409 || error.code === 404);
