/** The user in whose name a request is made, after authentication and impersonation. as apiserver/pkg/authentication/user Info */
export interface Identity {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
