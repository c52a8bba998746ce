import { Tokenizer, TokenParser, TokenType } from "@streamparser/json";
import { MAX_RECORD_CHARS } from "@/server/custom-fields/import/plan-schema";
import { AppError } from "@/server/ground/errors";
import { doubleOrDigits, parsePlain } from "@/server/ground/exact-json";
import { isObject } from "@/server/ground/records";
import { badFile } from "./bad-file";

/** Element of a JSON text: of its root list, or a member of its root object (with key). */
export type JsonPart = { key: string | null; value: unknown };

/** Lists that wrap a dump's elements. */
const WRAPPER =
  /^(computers?|devices|agents|assets|value|values|data|items|results?|records|fields|definitions|extra_?fields?|extradatafields)$/i;
const isWrapper = (key: unknown): boolean => typeof key === "string" && WRAPPER.test(key);

const PAGE_LIST = /^(computers?|devices|agents|assets|data|items|results?|records)$/i;
/** Members that mark an object as a computer itself, whatever lists it has. */
const NAMES_ITSELF =
  /^(u?id|guid|name|host|(host|(computer|device|agent|machine|asset|endpoint|system)[ _-]?)(id|name))$/i;

/** List wrapped by a page of a dump: {page: 1, computers: [...]}. A computer's own lists are not pages. */
function pageIn(value: Record<string, unknown>): unknown[] | undefined {
  if (Object.keys(value).some((key) => NAMES_ITSELF.test(key))) return undefined;
  const lists = Object.entries(value).flatMap(([key, list]) =>
    PAGE_LIST.test(key) && Array.isArray(list) && list.every(isObject) ? [list] : [],
  );
  return lists.length === 1 ? lists[0] : undefined;
}

const OF_ENVELOPE = /^_?(page(details|info)?|pagination|meta(data)?|cursor|links?)$/i;

/** Unwraps the pages of a dump, however nested. */
export async function* withoutPages(parts: AsyncIterable<JsonPart>): AsyncGenerator<JsonPart> {
  for await (const part of parts) yield* elementsOf(part);
}

function* elementsOf(part: JsonPart): Generator<JsonPart> {
  const { key, value } = part;
  // Metadata of an envelope: {total: 20, page: 1, data: [...]}.
  if (key !== null && (typeof value !== "object" || OF_ENVELOPE.test(key))) return;
  const page = key === null && Array.isArray(value) ? value : isObject(value) ? pageIn(value) : undefined;
  if (!page) yield part;
  else for (const element of page) yield* elementsOf({ key: null, value: element });
}

/** True for NDJSON, one JSON object per line, judged by the start of the text. */
export function isLineByLine(head: string): boolean {
  const [first, second] = head.trimStart().split(/\r?\n/, 2);
  if (!first?.startsWith("{") || !second?.trimStart().startsWith("{")) return false;
  try {
    JSON.parse(first);
    return true;
  } catch {
    return false;
  }
}

/** Runs a parser and reports any error as invalid JSON at that place. */
function parsing<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof AppError ? error : badFile(`is not valid JSON ${where}`);
  }
}

const parseLine = (text: string, line: number): JsonPart =>
  parsing(`in line ${line}`, () => ({ key: null, value: parsePlain(text) }));

/** Parses one value per line. @throws AppError validation_failed for a line that is not JSON. */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<JsonPart> {
  let rest = "";
  let line = 1;
  for await (const piece of pieces) {
    const [first = "", ...others] = piece.split("\n");
    rest += first;
    for (const next of others) {
      if (rest.trim()) yield parseLine(rest, line);
      line++;
      rest = next;
    }
    if (rest.length > MAX_RECORD_CHARS) throw badFile("holds a line of over a million characters");
  }
  if (rest.trim()) yield parseLine(rest, line);
}

const MAX_DEPTH = 100;
const OPENS: ReadonlySet<TokenType> = new Set([TokenType.LEFT_BRACE, TokenType.LEFT_BRACKET]);
const CLOSES: ReadonlySet<TokenType> = new Set([TokenType.RIGHT_BRACE, TokenType.RIGHT_BRACKET]);

/** Passes on a number as text if a double would change its digits. */
class DigitsTokenizer extends Tokenizer {
  protected override parseNumber(digits: string): number {
    return doubleOrDigits(digits) as number;
  }
}

/** Emits each part of a JSON text once complete, and keeps none. */
function partTokenizer(emit: (part: JsonPart) => void): Tokenizer {
  // No separator, for pages fetched one after the other into one file.
  const parser = new TokenParser({ paths: ["$.*", "$.*.*"], keepStack: false, separator: "" });
  const tokenizer = new DigitsTokenizer({ stringBufferSize: 64 * 1024, separator: "" });
  let depth = 0;
  tokenizer.onToken = (token) => {
    if (OPENS.has(token.token)) depth++;
    else if (CLOSES.has(token.token)) depth--;
    if (depth > MAX_DEPTH) throw badFile("holds lists or objects nested too deeply");
    parser.write(token);
  };
  tokenizer.onEnd = () => parser.end();
  parser.onValue = ({ value, key, parent, stack }) => {
    const isMember = stack.length === 1;
    const isPage = (name: unknown) => isWrapper(name) || typeof name === "number";
    const isWrapped = !isMember && Array.isArray(parent) && isPage(stack[1]?.key);
    if (isWrapped) {
      parent.pop();
      emit({ key: null, value });
    } else if (isMember && !(Array.isArray(value) && isPage(key)))
      emit({ key: typeof key === "string" ? key : null, value });
  };
  return tokenizer;
}

/**
 * Splits a streamed JSON text of any size into elements: of a list, members of an object, or of a list wrapped in an
 * object.
 * @throws AppError validation_failed for invalid JSON and for an element of over a million characters.
 */
export async function* splitJson(pieces: AsyncIterable<string>): AsyncGenerator<JsonPart> {
  let parts: JsonPart[] = [];
  let pending = 0;
  const tokenizer = partTokenizer((part) => {
    parts.push(part);
    pending = 0;
  });
  let line = 1;
  for await (const piece of pieces) {
    pending += piece.length;
    const last = line + piece.split("\n").length - 1;
    parsing(line === last ? `in line ${line}` : `between lines ${line} and ${last}`, () => tokenizer.write(piece));
    line = last;
    if (pending > MAX_RECORD_CHARS) throw badFile("holds an element of over a million characters");
    yield* parts;
    parts = [];
  }
  parsing("at its end: something is missing", () => tokenizer.end());
}
