import { fault } from "./fault";
import { ANY, type Narrowed } from "./match";

/** Sigma conditions over named selections: and, or, not, parentheses, "1 of name*", "all of them". */

const TOKEN = /\s*(?:([()])|([\w*]+))/y;

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const [, bracket, word] = TOKEN.exec(text) ?? [];
    if (!bracket && !word) throw fault(`the condition cannot be read at "${text.slice(at).trim()}"`);
    tokens.push(bracket ?? word ?? "");
  }
  return tokens;
}

const narrower = (a: Narrowed["actions"], b: Narrowed["actions"]): Narrowed["actions"] =>
  a && b ? new Set([...a].filter((action) => b.has(action))) : (a ?? b);
const wider = (a: Narrowed["actions"], b: Narrowed["actions"]): Narrowed["actions"] =>
  a && b ? new Set([...a, ...b]) : null;

export const both = (a: Narrowed, b: Narrowed): Narrowed => ({
  matches: (entry) => a.matches(entry) && b.matches(entry),
  actions: narrower(a.actions, b.actions),
  firstSeen: narrower(a.firstSeen, b.firstSeen),
});
export const either = (a: Narrowed, b: Narrowed): Narrowed => ({
  matches: (entry) => a.matches(entry) || b.matches(entry),
  actions: wider(a.actions, b.actions),
  firstSeen: wider(a.firstSeen, b.firstSeen),
});
const not = ({ matches }: Narrowed): Narrowed => ({ ...ANY, matches: (entry) => !matches(entry) });

/** Nesting limit, far above real conditions. */
const MAX_DEPTH = 32;

class Reader {
  #at = 0;
  #depth = 0;
  constructor(
    private readonly tokens: readonly string[],
    private readonly selections: ReadonlyMap<string, Narrowed>,
  ) {}

  whole(): Narrowed {
    const found = this.#or();
    const rest = this.tokens[this.#at];
    if (rest !== undefined) throw fault(`the condition has "${rest}" where it should end`);
    return found;
  }

  #take(word: string): boolean {
    if (this.tokens[this.#at]?.toLowerCase() !== word) return false;
    this.#at++;
    return true;
  }

  #or(): Narrowed {
    let left = this.#and();
    while (this.#take("or")) left = either(left, this.#and());
    return left;
  }

  #and(): Narrowed {
    let left = this.#not();
    while (this.#take("and")) left = both(left, this.#not());
    return left;
  }

  #not(): Narrowed {
    if (++this.#depth > MAX_DEPTH) throw fault("the condition is nested too deeply");
    const found = this.#take("not") ? not(this.#not()) : this.#one();
    this.#depth--;
    return found;
  }

  #one(): Narrowed {
    if (this.#take("(")) {
      const found = this.#or();
      if (!this.#take(")")) throw fault("the condition has a bracket that is not closed");
      return found;
    }
    const word = this.tokens[this.#at++];
    if (word === undefined) throw fault("the condition ends too early");
    if ((word === "1" || word.toLowerCase() === "all") && this.#take("of")) return this.#several(word === "1");
    return this.#named(word);
  }

  #named(name: string): Narrowed {
    const found = this.selections.get(name);
    if (!found) throw fault(`the condition names ${name}, which is no selection`);
    return found;
  }

  #several(isAny: boolean): Narrowed {
    const pattern = this.tokens[this.#at++] ?? "";
    const names = [...this.selections.keys()].filter(
      (name) => pattern === "them" || new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name),
    );
    if (names.length === 0) throw fault(`the condition names ${pattern}, which is no selection`);
    return names.map((name) => this.#named(name)).reduce(isAny ? either : both);
  }
}

/**
 * Parses a condition over selections.
 * @throws AppError validation_failed
 */
export const conditionOf = (text: string, selections: ReadonlyMap<string, Narrowed>): Narrowed =>
  new Reader(tokensOf(text), selections).whole();
