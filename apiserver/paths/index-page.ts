import { answerIndented } from '../http/answer.js';
import type { Filter } from '../http/filters.js';

/** Serves `/`: the list of paths. */
export const indexPage =
  (paths: () => readonly string[]): Filter =>
  request =>
    answerIndented(request, 200, { paths: [...paths()].sort() });
