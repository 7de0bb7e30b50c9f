/** The part of the package that is used; its types cover only the whole package. */
declare module 'node-forge/lib/asn1.js' {
  import type forge from 'node-forge';
  const asn1: typeof forge.asn1;
  export = asn1;
}
