import type { KubeObject } from '../../../../apimachinery/interface.js';

const answer = { kind: 'Status', apiVersion: 'v1', metadata: {} };

/** Returns the result of an action that has no other output. */
export function actionDone(): KubeObject {
  return { ...answer, status: 'Success', code: 201 };
}

/** Returns the result of an action that failed although the request itself succeeded. */
export function actionFailed(message: string, code: number): KubeObject {
  return { ...answer, status: 'Failure', message, code };
}
