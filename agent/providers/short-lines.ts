import type { Readable } from "node:stream";

/**
 * Longer values are cut. A message of an event's maximum length stays whole in any encoding of the journal: at most
 * twelve characters per character, as an array of bytes.
 */
const MAX_VALUE_CHARACTERS = 512 * 1024;
/** A truncated escape at the end of a text: an odd number of backslashes and what follows. */
const HALF_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:u[\da-f]{0,3})?$/i;
/** A byte has at most three digits. */
const HALF_BYTE = /,?\d{0,3}$/;

/** End of the value in which a JSON prefix breaks off: text or array of bytes. Null for none. */
function endOfValue(json: string): '"' | "]" | null {
  const mark = /["\\[\]]/g;
  let isText = false;
  let depth = 0;
  for (let found = mark.exec(json); found; found = mark.exec(json)) {
    if (found[0] === "\\") mark.lastIndex += 1;
    else if (found[0] === '"') isText = !isText;
    else if (!isText) depth += found[0] === "[" ? 1 : -1;
  }
  if (isText) return '"';
  return depth > 0 && /\d,?$/.test(json.slice(-2)) ? "]" : null;
}

/** A growing line of JSON; members are text, numbers, or arrays of these. */
class ShortLine {
  text = "";
  private limit = MAX_VALUE_CHARACTERS;
  /** End of the value being skipped. */
  private end: '"' | "]" | null = null;
  private isEscaped = false;

  add(piece: string): void {
    const from = this.end ? this.endIn(piece) : 0;
    if (from < 0) return;
    this.text += piece.slice(from);
    if (this.end) this.limit = this.text.length + MAX_VALUE_CHARACTERS;
    this.end = null;
    if (this.text.length > this.limit) this.cut();
  }

  private cut(): void {
    this.end = endOfValue(this.text);
    if (this.end === null) return;
    const whole =
      this.end === "]"
        ? this.text.slice(0, -4) + this.text.slice(-4).replace(HALF_BYTE, "")
        : this.text.replace(HALF_ESCAPE, "");
    this.isEscaped = this.end === '"' && this.text.endsWith("\\") && whole !== this.text;
    this.text = whole;
  }

  /** Position of the value's end in a piece; -1 if it continues. */
  private endIn(piece: string): number {
    if (this.end === "]") return piece.indexOf("]");
    const mark = /["\\]/g;
    mark.lastIndex = this.isEscaped ? 1 : 0;
    this.isEscaped = this.isEscaped && piece === "";
    for (let found = mark.exec(piece); found; found = mark.exec(piece)) {
      if (found[0] === '"') return found.index;
      mark.lastIndex = found.index + 2;
      this.isEscaped = mark.lastIndex > piece.length;
    }
    return -1;
  }
}

/** Lines of a stream of JSON texts; values too long for an event are cut instead of buffered. */
export async function* shortLines(stream: Readable): AsyncGenerator<string> {
  stream.setEncoding("utf8");
  let line = new ShortLine();
  for await (const chunk of stream) {
    const pieces = String(chunk).split("\n");
    for (const piece of pieces.slice(0, -1)) {
      line.add(piece);
      yield line.text;
      line = new ShortLine();
    }
    line.add(pieces.at(-1) ?? "");
  }
}
