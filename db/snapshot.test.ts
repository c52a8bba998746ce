import { readdirSync, readFileSync } from "node:fs";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { expect, it } from "vitest";
import * as schema from "./schema";

const META = "db/migrations/meta";

/** What `npm run db:generate` would write. */
async function migrationFrom(snapshot: string): Promise<string[]> {
  const before = JSON.parse(readFileSync(`${META}/${snapshot}`, "utf8"));
  return generateMigration(before, generateDrizzleJson(schema, before.id));
}

it("the newest snapshot is of the schema as it is, so that the next migration holds its own change alone", async () => {
  const [newest = "", before = ""] = readdirSync(META)
    .filter((name) => name.endsWith("_snapshot.json"))
    .sort()
    .reverse();
  expect(await migrationFrom(newest)).toEqual([]);
  expect(await migrationFrom(before)).not.toEqual([]);
});
