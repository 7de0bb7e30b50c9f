import { answerIndented } from '../http/answer.js';
import type { RequestFilter } from '../http/filters.js';

/** Serves `/`: the list of paths. */
export const indexPage =
  (paths: () => readonly string[]): RequestFilter =>
  request =>
    answerIndented(request, 200, { paths: [...paths()].sort() });
