/** Runs recorded applies and updates with `apply` and `trackUpdate`, without a server. */
import t from 'tap';
import type { JsonObject, KubeObject } from '../../../apimachinery/interface.js';
import { corpus, stripped } from './corpus.js';
import { masked, replayer } from './replay.js';

/** Matches errors of the pipeline before or after these functions. */
const pipelineErrors =
  /PatchOptions|does not match|undeterminable|uid mismatch|does not allow|is invalid|decoding|not found/;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the values of `part` that `whole` does not have. Lists must have the same length. */
function difference(part: unknown, whole: unknown, path = ''): string {
  if (Array.isArray(part)) {
    if (!Array.isArray(whole) || whole.length !== part.length) return `${path}: lists differ`;
    return part.map((item, i) => difference(item, whole[i], `${path}[${i}]`)).join('');
  }
  if (isObject(part)) {
    if (!isObject(whole)) return `${path}: ${JSON.stringify(whole)} is no object`;
    return Object.keys(part)
      .map(key => difference(part[key], whole[key], `${path}.${key}`))
      .join('');
  }
  // Null becomes the zero value of its type.
  return part === whole || (part === null && !whole)
    ? ''
    : `${path}: ${JSON.stringify(part)}, ${JSON.stringify(whole)}; `;
}

/** Fields that strategies change after the merge: stringData is written into data. */
const moved: Readonly<Record<string, readonly string[]>> = {
  'secret/stringData': ['stringData'],
  'status-in-main': ['status'],
};

let compared = 0;
for (const { name, steps } of corpus('apply'))
  t.test(name, t => {
    const answerTo = replayer();
    for (const step of steps) {
      const answer = answerTo(step);
      const want = step.want?.body as KubeObject | undefined;
      if (!answer || !want || step.ignore) continue;
      if (want.kind === 'Status') {
        if (!answer.error && pipelineErrors.test(String(want.message))) continue;
        t.strictSame(answer.error?.status, want);
      } else if (want.kind !== 'Scale') {
        t.strictSame(masked(answer.managedFields), masked(want.metadata.managedFields), step.do);
        if (answer.object) {
          const keys = new Set(['managedFields', 'generation', ...(moved[name] ?? [])]);
          t.equal(difference(stripped(answer.object, keys), stripped(want, keys)), '');
        }
      }
      compared++;
    }
    t.end();
  });

t.test('enough steps were compared', t => {
  t.comment(`${compared} answers compared`);
  t.ok(compared >= 80, `${compared}`);
  t.end();
});
