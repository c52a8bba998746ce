import { z } from "zod";
import { filterText, guid, isoTime, wordFilter, wordIn } from "@/server/ground/wire";

export const SCRIPT_OS = ["windows", "macos", "linux"] as const;
export type ScriptOs = (typeof SCRIPT_OS)[number];
const SCRIPT_LANGUAGES = ["powershell", "bash"] as const;
export const SCRIPT_CATEGORIES = [
  "diagnostics",
  "disk",
  "maintenance",
  "network",
  "printing",
  "security",
  "services",
  "updates",
  "users",
] as const;

/** PowerShell takes a named parameter, bash an environment variable. */
const scriptParameter = z.strictObject({
  name: z.string(),
  type: z.enum(["string", "number", "boolean"]),
  required: z.boolean(),
  default: z.union([z.string(), z.number(), z.boolean()]).nullable(),
  description: z.string(),
});

export const libraryScript = z.strictObject({
  id: guid,
  name: z.string(),
  description: z.string(),
  category: z.enum(SCRIPT_CATEGORIES),
  language: z.enum(SCRIPT_LANGUAGES),
  osTypes: z.array(z.enum(SCRIPT_OS)),
  parameters: z.array(scriptParameter),
  content: z.string(),
  timeoutSeconds: z.int().positive(),
  runAs: z.enum(["system", "user"]),
  version: z.string(),
  updatedAt: isoTime,
});
export type LibraryScript = z.output<typeof libraryScript>;

const OS_ALIASES = new Map<string, ScriptOs>([
  ["darwin", "macos"],
  ["mac", "macos"],
  ["osx", "macos"],
  ["win32", "windows"],
]);

const os = wordFilter(SCRIPT_OS, wordIn(SCRIPT_OS, OS_ALIASES));

/** Query of GET /scripts/system-library. */
export const libraryInput = z.object({ category: filterText, os, search: filterText });
export const libraryOutput = z.strictObject({ data: z.array(libraryScript) });
