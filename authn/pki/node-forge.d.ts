/** The part of the package that is used; its types know only the whole. */
declare module 'node-forge/lib/asn1.js' {
  import type forge from 'node-forge';
  const asn1: typeof forge.asn1;
  export = asn1;
}
