import { answerIndented } from '../http/answer.js';
import type { Filter } from '../http/filters.js';

/** `/`: the paths that there are (HTTP-009). */
export const indexPage =
  (paths: () => readonly string[]): Filter =>
  request =>
    answerIndented(request, 200, { paths: [...paths()].sort() });
