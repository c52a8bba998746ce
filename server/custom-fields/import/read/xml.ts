import { SaxesParser } from "saxes";
import { AppError } from "@/server/ground/errors";
import { badFile } from "./bad-file";

export type Attributes = Readonly<Record<string, string>>;
/** What a reader is notified of in an XML text: element names come without their namespace prefix. */
export type XmlEvents = {
  open: (name: string, attributes: Attributes) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

/** Characters between two tags, so also of one text, attribute list or comment. */
const MAX_RUN_CHARS = 1024 * 1024;
const MAX_DEPTH = 100;

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/** The attribute of this local name: "id" finds r:id too. */
export function attributeOf(attributes: Attributes, name: string): string | undefined {
  if (name in attributes) return attributes[name];
  const prefixed = Object.keys(attributes).find((key) => key.endsWith(`:${name}`));
  return prefixed === undefined ? undefined : attributes[prefixed];
}

/** Runs the parser, whose every error means that the text is not well-formed. */
function parsing(parse: () => void): void {
  try {
    parse();
  } catch (error) {
    throw error instanceof AppError ? error : badFile("is a damaged workbook: open it in Excel and save it again");
  }
}

/**
 * Reads XML as it streams by, in time linear in its length and memory independent of it; entities are not expanded
 * beyond XML's own. `eventsFor` is called once, with the function that receives each finished item.
 * @throws AppError validation_failed for XML that is not well-formed, is nested too deeply or has too long a run.
 */
export async function* readXml<Item>(
  pieces: AsyncIterable<string>,
  eventsFor: (emit: (item: Item) => void) => XmlEvents,
): AsyncGenerator<Item> {
  let items: Item[] = [];
  const events = eventsFor((item) => void items.push(item));
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  let run = 0;
  let isStarted = false;
  parser.on("opentag", ({ name, attributes }) => {
    run = 0;
    if (++depth > MAX_DEPTH) throw badFile("is a damaged workbook: open it in Excel and save it again");
    events.open(localName(name), attributes);
  });
  parser.on("closetag", ({ name }) => {
    run = 0;
    depth--;
    events.close?.(localName(name));
  });
  if (events.text) {
    parser.on("text", events.text);
    parser.on("cdata", events.text);
  }
  for await (const piece of pieces) {
    isStarted = true;
    run += piece.length;
    parsing(() => parser.write(piece));
    if (run > MAX_RUN_CHARS) throw badFile("holds a cell of over a million characters");
    yield* items;
    items = [];
  }
  if (isStarted) parsing(() => parser.close());
}
