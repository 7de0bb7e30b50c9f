/**
 * Keeps kube-system/kube-apiserver-legacy-service-account-token-tracking, which holds the date since when uses of Secret tokens are recorded.
 */
import type { KubeObject } from '../../apimachinery/interface.js';
import { readTime } from '../../lib/go/time.js';
import { expected, type Expected } from './expected.js';
import { reconcileData, type Reconcile } from './reconcile.js';

const isDate = (text = ''): boolean => !('error' in readTime(`${text}T00:00:00Z`));
const sinceOf = (object: KubeObject): string | undefined =>
  (object['data'] as Readonly<Record<string, string>> | undefined)?.['since'];

/** Keeps an existing date. */
const keepSince: Reconcile = (existing, wanted) =>
  isDate(sinceOf(existing)) ? undefined : reconcileData(existing, wanted);

/** Returns the ConfigMap that tells since when uses of legacy tokens are noted. as pkg/controlplane/controller/legacytokentracking */
// differs: it is restored by the next check, not within half an hour; no server here runs without it
export const tokenTracking = (now: Date): Expected =>
  expected(
    'configmaps',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' },
      data: { since: now.toISOString().slice(0, 10) },
    },
    keepSince,
  );
