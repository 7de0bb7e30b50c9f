/** Runs recorded patches with the pure functions: the object before, the patch, and the answer of the real server. */
import t from 'tap';
import { nativeSchemaFor } from '../../../openapi/facts/native-schemas.js';
import type { JsonObject } from '../../../apimachinery/interface.js';
import { applyJsonPatch, decodeJsonPatch } from '../../../apimachinery/patch/json-patch.js';
import { applyMergePatch, decodeMergePatch } from '../../../apimachinery/patch/merge-patch.js';
import { decodeStrategicPatch, strategicMergePatch } from '../../../apimachinery/patch/strategic/strategic.js';
import { corpus, corpusCase, stripped, type Step } from './corpus.js';
import { frozen, rejection } from './support.js';

/** Fields that defaulting adds to elements of a patch, and fields that the server sets. */
const filled =
  `creationTimestamp defaultMode generation imagePullPolicy managedFields protocol resources resourceVersion
  targetPort terminationMessagePath terminationMessagePolicy`.split(/\s+/);
/** Fields that defaulting, admission or the endpoint set in a case. */
const decided: Readonly<Record<string, readonly string[]>> = {
  'strategic/null-replicas': ['replicas'],
  'strategic/pod-immutable': ['tolerations'],
  'strategic/status-ignored': ['status'],
};

/** Returns the defaulted object that a case starts from, taken from a case whose patch changes nothing. */
function start(step: Step): JsonObject | undefined {
  const untouched = step.do.includes('configmaps') ? 'json/empty' : 'strategic/status-ignored';
  if (!/configmaps|deployments/.test(step.do)) return undefined;
  const before = corpusCase('patch', untouched).steps;
  return JSON.stringify(before[0]?.body) === JSON.stringify(step.body) ? before[1]?.want?.body : undefined;
}

const kinds: readonly (readonly [RegExp, string, string])[] = [
  [/configmaps/, '', 'ConfigMap'],
  [/deployments/, 'apps', 'Deployment'],
  [/services/, '', 'Service'],
  [/pods/, '', 'Pod'],
];

function patched(live: JsonObject, step: Step): JsonObject {
  const kind = kinds.find(([path]) => path.test(step.do));
  switch (step.type) {
    case 'application/json-patch+json':
      return applyJsonPatch(live, decodeJsonPatch(step.body)) as JsonObject;
    case 'application/merge-patch+json':
      return applyMergePatch(live, decodeMergePatch(step.body));
    default: {
      const schema = nativeSchemaFor({ group: kind?.[1] ?? '', version: 'v1', kind: kind?.[2] ?? '' });
      if (!schema) throw new Error(step.do);
      return strategicMergePatch(live, decodeStrategicPatch(step.body), schema);
    }
  }
}

/** Matches errors of the pipeline, which decodes, defaults and validates after the patch. */
const byPipeline =
  /is invalid|does not match|has been modified|not found|415|PatchOptions|unexpected end of JSON|apiVersion|fieldValidation/;

let compared = 0;
for (const { name, steps } of corpus('patch'))
  t.test(name, t => {
    let live: JsonObject | undefined;
    for (const step of steps) {
      const body = step.want?.body;
      const message = body?.kind === 'Status' ? String(body.message) : undefined;
      if (step.do.startsWith('POST')) live = start(step);
      else if (step.do.startsWith('PATCH') && live && body && step.body !== undefined) {
        const from = frozen(live);
        if (message === undefined) {
          const keys = new Set([...filled, ...(decided[name] ?? [])]);
          t.strictSame(stripped(patched(from, step), keys), stripped(body, keys));
          compared++;
        } else if (!byPipeline.test(message)) {
          t.equal(rejection(() => patched(from, step)).message, message);
          compared++;
        }
      }
      if (message === undefined && body?.metadata !== undefined && !step.do.includes('dryRun')) live = body;
    }
    t.end();
  });
t.test('enough steps were compared', t => {
  t.comment(`${compared} answers compared`);
  t.ok(compared >= 45, `${compared}`);
  t.end();
});
