/** The part of the package that is used; its types cover only the whole package, and only one form of the options of `fromDer`. */
declare module 'node-forge/lib/asn1.js' {
  import type forge from 'node-forge';
  const asn1: typeof forge.asn1 & {
    fromDer(
      bytes: string,
      options: { readonly strict: boolean; readonly parseAllBytes: boolean; readonly decodeBitStrings: boolean },
    ): forge.asn1.Asn1;
  };
  export = asn1;
}
