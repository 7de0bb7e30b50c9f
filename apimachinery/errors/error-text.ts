/** What is said of anything that was thrown: the message of an Error, or the thing itself as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
