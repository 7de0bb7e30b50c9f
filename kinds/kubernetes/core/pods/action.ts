import type { KubeObject } from '../../../../apimachinery/interface.js';

const answer = { kind: 'Status', apiVersion: 'v1', metadata: {} };

/** What an action answers that has nothing else to say. */
export function actionDone(): KubeObject {
  return { ...answer, status: 'Success', code: 201 };
}

/** An action that took place and says that it could not: the request as such has not failed. */
export function actionFailed(message: string, code: number): KubeObject {
  return { ...answer, status: 'Failure', message, code };
}
