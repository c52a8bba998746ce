import { MAX_RECORD_CHARS } from "@/server/custom-fields/import/schema";
import { badFile } from "./bad-file";

/** One element of a JSON text: of the list at its root, or a member of the object there (then with its key). */
export type JsonPart = { key: string | null; value: unknown };

/** Lists that a dump wraps its elements in. */
const WRAPPER =
  /^(computers?|value|values|data|items|results|records|fields|definitions|extra_?fields?|extradatafields)$/i;

type State = {
  depth: number;
  inString: boolean;
  escaped: boolean;
  /** Depth of the containers whose elements are parts; the root's is 1, a wrapper's list 2. */
  level: number;
  isObject: boolean;
  key: string | null;
  text: string;
};

function parsePart(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badFile("is not valid JSON");
  }
}

/** Takes the text of one element (and its key) that has just ended. */
function* emit(state: State): Generator<JsonPart> {
  const text = state.text.trim();
  state.text = "";
  if (text === "") return;
  yield { key: state.key, value: parsePart(text) };
  state.key = null;
}

function* step(state: State, char: string): Generator<JsonPart> {
  const structural = !state.inString;
  if (state.inString) {
    if (state.escaped) state.escaped = false;
    else if (char === "\\") state.escaped = true;
    else if (char === '"') state.inString = false;
  } else if (char === '"') state.inString = true;
  if (structural && state.depth === state.level && state.level > 0) {
    if (char === "," || char === "]" || char === "}") {
      yield* emit(state);
      if (char === ",") return;
      state.depth--;
      state.level = state.depth;
      state.isObject = state.level === 1;
      return;
    }
    if (char === ":" && state.isObject && state.key === null) {
      state.key = String(parsePart(state.text.trim()));
      state.text = "";
      return;
    }
  }
  if (structural && (char === "{" || char === "[")) {
    state.depth++;
    const opensRoot = state.level === 0;
    const opensWrapper =
      state.level === 1 && state.isObject && state.depth === 2 && char === "[" && WRAPPER.test(state.key ?? "");
    if (opensRoot || opensWrapper) {
      state.level = state.depth;
      state.isObject = char === "{";
      state.key = null;
      state.text = "";
      return;
    }
  } else if (structural && (char === "}" || char === "]")) state.depth--;
  if (state.level > 0) state.text += char;
}

const INTERESTING = /["\\{}[\],:]/g;

/** True for one JSON object a line (NDJSON), judged by the text's beginning. */
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

/** One value a line. @throws AppError validation_failed for a line that is no JSON. */
export async function* splitLines(pieces: AsyncIterable<string>): AsyncGenerator<JsonPart> {
  let rest = "";
  for await (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > MAX_RECORD_CHARS) throw badFile("holds a line of over a million characters");
    for (const line of lines) if (line.trim()) yield { key: null, value: parsePart(line) };
  }
  if (rest.trim()) yield { key: null, value: parsePart(rest) };
}

/**
 * Cuts a JSON text of any size into its elements while it streams by: a list's elements, an object's members, or the
 * elements of a list wrapped in an object.
 * @throws AppError validation_failed for what is no JSON and for an element of over a million characters.
 */
export async function* splitJson(pieces: AsyncIterable<string>): AsyncGenerator<JsonPart> {
  const state: State = { depth: 0, inString: false, escaped: false, level: 0, isObject: false, key: null, text: "" };
  for await (const piece of pieces) {
    let from = 0;
    INTERESTING.lastIndex = 0;
    for (let match = INTERESTING.exec(piece); match; match = INTERESTING.exec(piece)) {
      if (state.level > 0) state.text += piece.slice(from, match.index);
      if (state.escaped && match.index > from) state.escaped = false;
      from = match.index + 1;
      const last = INTERESTING.lastIndex;
      yield* step(state, match[0]);
      INTERESTING.lastIndex = last;
      if (state.text.length > MAX_RECORD_CHARS) throw badFile("holds an element of over a million characters");
    }
    if (state.level > 0) state.text += piece.slice(from);
    if (state.escaped && from < piece.length) state.escaped = false;
  }
  if (state.depth !== 0 || state.inString) throw badFile("ends in the middle of its JSON");
}
