/** The requests of estimators, compared with those that karmada-scheduler has sent for the same questions. */
import t from 'tap';
import type { Component, ReplicaRequirements } from '../../../../api/karmada/types.js';
import { atOnce } from '../../../../lib/time-slice.js';
import type { AssumedWorkload } from '../../../../scheduler/interface.js';
import {
  readReplicasMessage,
  readSetsMessage,
  readUnschedulableMessage,
  writeReplicasMessage,
  writeSetsMessage,
  writeUnschedulableMessage,
} from '../../../../scheduler/estimators/protocol/messages.js';
import type { EstimatorMethod } from '../../../../scheduler/estimators/protocol/service.js';
import { recorded } from '../../../data.js';

interface Question {
  readonly method: EstimatorMethod;
  readonly cluster: string;
  readonly requirements?: ReplicaRequirements;
  readonly namespace?: string;
  readonly components?: readonly Component[];
  readonly assumed?: readonly AssumedWorkload[];
  readonly resource?: { apiVersion: string; kind: string; namespace: string; name: string };
  readonly thresholdMs?: number;
}

function written({ method, cluster, ...rest }: Question): Buffer {
  const { requirements, namespace = '', components = [], assumed = [], resource, thresholdMs = 0 } = rest;
  if (method === 'MaxAvailableReplicas') return writeReplicasMessage({ cluster, requirements, assumed });
  if (method === 'MaxAvailableComponentSets') return writeSetsMessage({ cluster, namespace, components, assumed });
  return writeUnschedulableMessage({ cluster, resource, thresholdMs });
}

function read({ method }: Question, bytes: Buffer): object {
  if (method === 'MaxAvailableReplicas') return atOnce(readReplicasMessage(bytes));
  return method === 'MaxAvailableComponentSets' ? atOnce(readSetsMessage(bytes)) : readUnschedulableMessage(bytes);
}

const cases = recorded('estimator-requests.json') as readonly { readonly given: Question; readonly bytes: string }[];

t.test('requests are what karmada-scheduler sends, and read as what was asked', t => {
  t.equal(cases.length, 9);
  for (const { given, bytes } of cases) {
    const message = Buffer.from(bytes, 'hex');
    t.equal(written(given).toString('hex'), bytes, JSON.stringify(given));
    const { method, ...question } = given;
    const isReplicas = method === 'MaxAvailableReplicas';
    const absent = isReplicas ? { requirements: undefined } : {};
    const assumed = method === 'GetUnschedulableReplicas' ? {} : { assumed: [] };
    t.same(read(given, message), { ...absent, ...assumed, ...question });
  }
  t.end();
});
