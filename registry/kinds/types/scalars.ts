/** Scalars of native types, as JSON writes them. */
export type Quantity = string;
export type IntOrString = number | string;
