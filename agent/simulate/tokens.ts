import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createFolder } from "@/agent/create-folder";

const FILE = "tokens.json";
type Tokens = Readonly<Record<string, string>>;

/** The tokens that an earlier run left, by agent id: whom the server knows it does not enroll again. */
export async function readTokens(dir: string): Promise<Tokens> {
  const text = await readFile(join(dir, FILE), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  return text ? JSON.parse(text) : {};
}

/** Leaves them for the next run, for its owner alone. */
export async function keepTokens(dir: string, tokens: Tokens): Promise<void> {
  await createFolder(dir);
  await writeFile(join(dir, FILE), JSON.stringify(tokens), { mode: 0o600 });
}
