import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

const FRAME = /(file:\/\/[^\s()]+\.mjs):(\d+:\d+)/g;
const maps = new Map<string, SourceMap | null>();

function mapOf(url: string): SourceMap | null {
  let map = maps.get(url);
  if (map === undefined) {
    try {
      map = new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
    } catch {
      map = null; // Not built by us, or without a source map.
    }
    maps.set(url, map);
  }
  return map;
}

/**
 * Maps a stack in a bundle to its sources. Loads the map at the first error: Node's flag (--enable-source-maps) loads
 * those of every package at startup and keeps them, a sixth of an idle server's memory.
 */
export const readableStack = (stack: string): string =>
  stack.replace(FRAME, (frame: string, url: string, position: string) => {
    const [line = 1, column = 1] = position.split(":").map(Number);
    const entry = mapOf(url)?.findEntry(line - 1, column - 1);
    if (!entry || !("originalSource" in entry)) return frame;
    const { originalSource, originalLine, originalColumn } = entry;
    return `${originalSource.replace(/^(\.\.\/)+/, "")}:${originalLine + 1}:${originalColumn + 1}`;
  });
