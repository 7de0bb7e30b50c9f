import { resourceQuotas } from '../../../api/kubernetes/resources.js';
import { andThen } from '../../../lib/maybe.js';
import { isConflict, isNotFound } from '../../../apimachinery/errors/status.js';
import type { Client } from '../../../client/interface.js';
import type { ResourceQuota } from '../../../api/kubernetes/core.js';
import type { AdmissionDeps, AdmissionPlugin, AdmissionRequest } from '../../../registry/admission-plugin.js';
import { listRecent } from '../../../client/recent.js';
import { type Charge, charges } from './charge.js';
import type { Evaluator } from './evaluator.js';
import { evaluatorOf } from './evaluators.js';
import { keyedMutex } from '../../../registry/pipeline/stored/keyed-mutex.js';

const retries = 3;

/**
 * Enforces the ResourceQuotas of a namespace. The usage of a request is added to status.used before the object is stored; the
 * resourcequota controller releases usage and writes status.hard, without which nothing is limited.
 */
// as apiserver/pkg/admission/plugin/resourcequota
export function resourceQuotaPlugin({ client, now = () => new Date() }: AdmissionDeps): AdmissionPlugin {
  const charging = keyedMutex();
  return {
    name: 'ResourceQuota',
    validate(request) {
      const { namespace, operation, definition } = request;
      if (namespace === '' || operation === 'DELETE' || operation === 'CONNECT') return;
      const evaluator = evaluatorOf(definition);
      if (!evaluator?.handles(request)) return;
      return andThen(listRecent(client, resourceQuotas, namespace), ({ length }) => {
        if (length > 0) return charging.run(namespace, () => charge(client, request, evaluator, now()));
      });
    },
  };
}

/** Charges all quotas, and retries those with a conflict. */
async function charge(client: Client, request: AdmissionRequest, evaluator: Evaluator, now: Date): Promise<void> {
  let failed: ReadonlySet<string> | undefined;
  let last: unknown;
  for (let attempt = 0; attempt <= retries; attempt++) {
    const { items } = await client.list(resourceQuotas, { namespace: request.namespace });
    const quotas = (items as ResourceQuota[]).filter(({ metadata }) => failed?.has(metadata.name ?? '') ?? true);
    const due = charges(quotas, request, evaluator, now);
    if (request.dryRun) return;
    const conflicted = new Set<string>();
    for (const each of due)
      try {
        await write(client, each);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
        conflicted.add(each.quota.metadata.name ?? '');
        last = error;
      }
    if (conflicted.size === 0) return;
    failed = conflicted;
  }
  throw last;
}

async function write(client: Client, { quota, used }: Charge): Promise<void> {
  await client.update(resourceQuotas, { ...quota, status: { ...quota.status, used } }, { subresource: 'status' });
}
