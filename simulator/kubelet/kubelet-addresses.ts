import type { KubeletConfig } from '../../server/config.js';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** What the API server of a member needs to reach its simulated kubelets. It is filled in when they listen. */
export class KubeletAddresses implements KubeletConfig {
  credential: KubeletConfig['credential'];
  authority: KubeletConfig['authority'];
  #kubelets: Address = { host: '127.0.0.1', port: 1 };
  #pods: Address = this.#kubelets;
  #isNode: (host: string) => boolean = () => false;

  listening(kubelets: Address, pods: Address, isNode: (host: string) => boolean): void {
    this.#kubelets = kubelets;
    this.#pods = pods;
    this.#isNode = isNode;
  }

  /** All kubelets share one port, and so do all servers in Pods: the addresses of nodes and Pods belong to no network. */
  readonly dial = (host: string): Address => (this.#isNode(host) ? this.#kubelets : this.#pods);
}
