/** A body that cannot become an object of its kind; the message is the text of Go's decoder, which answers dress. */
export class DecodeError extends Error {}
