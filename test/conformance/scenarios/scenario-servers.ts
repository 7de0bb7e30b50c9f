/** Sends the requests of scenarios to the control plane and its members. */
import { kubeconfigEndpoint } from '../../../aggregation/remote/kubeconfig.js';
import { type ApiClient, apiClient } from '../call.js';

export interface Answer {
  readonly code: number;
  readonly value: unknown;
}

export interface ScenarioServers {
  /** Sends a request to `where`, which is `karmada` or the name of a member. */
  call(
    where: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  close(): void;
}

const contexts: Readonly<Record<string, string>> = { karmada: 'karmada-apiserver' };

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Opens connections with a kubeconfig that has the contexts karmada-apiserver, member1 and member2. */
export function openServers(kubeconfig: string): ScenarioServers {
  const clients = new Map<string, ApiClient>();
  const clientOf = (where: string): ApiClient => {
    const known = clients.get(where);
    if (known) return known;
    const opened = apiClient(kubeconfigEndpoint(kubeconfig, contexts[where] ?? where), 'scenarios/1.0');
    clients.set(where, opened);
    return opened;
  };
  return {
    async call(where, method, path, value, headers = {}) {
      const body = value === undefined ? undefined : JSON.stringify(value);
      const all = { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) };
      const reply = await clientOf(where).call(method, path, {
        headers: { ...all, ...headers },
        ...(body !== undefined && { body }),
      });
      return { code: reply.status, value: parse(reply.text) };
    },
    close() {
      for (const opened of clients.values()) opened.close();
    },
  };
}
