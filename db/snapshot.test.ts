import { readdirSync, readFileSync } from "node:fs";
import { generateDrizzleJson, generateMigration } from "drizzle-kit/api";
import { expect, it } from "vitest";
import * as schema from "./schema";

const META = "db/migrations/meta";

it("the newest snapshot matches the schema", async () => {
  const [newest] = readdirSync(META)
    .filter((name) => name.endsWith("_snapshot.json"))
    .sort()
    .reverse();
  const before = JSON.parse(readFileSync(`${META}/${newest}`, "utf8"));
  expect(await generateMigration(before, generateDrizzleJson(schema, before.id))).toEqual([]);
  expect(await generateMigration(generateDrizzleJson({}), before)).not.toEqual([]);
});
