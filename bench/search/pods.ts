/** The objects that are searched: Pods of a typical size, in ten namespaces of each member, of 100 applications on 100 nodes. */
import type { Endpoint } from '../../aggregation/interface.js';
import { connect } from '../../aggregation/remote/connection.js';
import { repeat } from '../repeat.js';

const namespaces = 10;
const applications = 100;
const width = 32;

const namespaceOf = (index: number): string => `team-${index % namespaces}`;

const pod = (index: number): string => {
  const app = `app-${Math.floor(index / namespaces) % applications}`;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${app}-${index}`,
      labels: { app, tier: index % 3 === 0 ? 'front' : 'back', 'pod-template-hash': `h${index % 500}` },
      annotations: { 'example.com/owner': `owner-${index % 50}` },
    },
    spec: {
      nodeName: `node-${index % applications}`,
      containers: [
        {
          name: 'web',
          image: `registry.example/${app}:1.${index % 20}`,
          ports: [{ containerPort: 8080 }],
          env: [
            { name: 'LEVEL', value: 'info' },
            { name: 'REGION', value: `region-${index % 4}` },
          ],
          resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '64Mi' } },
        },
      ],
    },
  });
};

/** Creates Pods in a member. */
export async function createPods(member: Endpoint, count: number): Promise<void> {
  const connection = connect(member, { userAgent: 'bench/1.0', connections: width, onlyHttp1: true });
  const post = async (path: string, body: string): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await connection.request({ method: 'POST', path, headers, body: Buffer.from(body) });
    if (answer.status !== 201)
      throw new Error(`POST ${path}: ${answer.status} ${answer.body.toString('utf8').slice(0, 300)}`);
  };
  try {
    for (let i = 0; i < namespaces; i++) {
      const metadata = { name: namespaceOf(i) };
      await post('/api/v1/namespaces', JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata }));
    }
    await repeat({ count, width }, index => post(`/api/v1/namespaces/${namespaceOf(index)}/pods`, pod(index)));
  } finally {
    await connection.close();
  }
}
