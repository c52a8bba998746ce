/** The meaning of a member, and where it helps the value that examples show. */
export type Word = string | readonly [description: string, example: unknown];
export type Words = Readonly<Record<string, Word>>;

/**
 * Words of the operations below a path, or several. A key is a member's name, or its end of the way to it ("events.id" for the id of
 * an item of events): the longest that fits counts.
 */
export type WordTable = { path: string | readonly string[]; request?: Words; response?: Words };
