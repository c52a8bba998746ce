import { expect, it } from "vitest";
import { createApiKey, createOrg, createUser, ctxFor } from "@/testing/factories";
import { getPreference, readPreference, setPreference } from "./preferences";
import { setInput } from "./schema";

const TABLE = { columns: ["time", "event"], widths: { time: 120 }, density: "compact", fold: false } as const;
const chosen = (value: object = TABLE) => setInput.parse({ key: "audit.table", value });

it("keeps a user's latest preference, private to that user", async () => {
  const orgId = (await createOrg()).id;
  const [person, colleague] = [await ctxFor(await createUser({ orgId })), await ctxFor(await createUser({ orgId }))];
  expect(await getPreference.run(person, { key: "audit.table" })).toBeNull();
  await setPreference.run(person, chosen());
  await setPreference.run(person, chosen({ ...TABLE, density: "normal" }));
  expect(await getPreference.run(person, { key: "audit.table" })).toEqual({ ...TABLE, density: "normal" });
  expect(await getPreference.run(colleague, { key: "audit.table" })).toBeNull();
});

it.each(["partner_technician", "system_admin"] as const)("stores preferences for a %s", async (role) => {
  const person = await ctxFor(role);
  await setPreference.run(person, chosen());
  expect(await getPreference.run(person, { key: "audit.table" })).toEqual(TABLE);
});

it("reads preferences from before folding existed", () => {
  const { fold: _, ...older } = TABLE;
  expect(readPreference(older)).toEqual({ ...older, fold: null });
  expect(readPreference({ ...older, density: "airy" })).toBeNull();
});

it("merges preferences changed in two tabs", async () => {
  const person = await ctxFor(await createUser());
  await setPreference.run(person, chosen());
  await setPreference.run(person, chosen({ fold: true }));
  await setPreference.run(person, chosen({ columns: ["time"] }));
  expect(await setPreference.run(person, chosen({ density: null }))).toEqual({
    ...TABLE,
    columns: ["time"],
    density: null,
    fold: true,
  });
  expect(await getPreference.run(person, { key: "audit.table" })).toMatchObject({ columns: ["time"], fold: true });
});

it("API keys have no preferences", async () => {
  const key = await ctxFor(await createApiKey());
  await expect(setPreference.run(key, chosen())).rejects.toMatchObject({ code: "forbidden" });
  expect(await getPreference.run(key, { key: "audit.table" })).toBeNull();
});

it.each([
  [{ key: "other", value: TABLE }],
  [{ key: "audit.table", value: { ...TABLE, widths: { time: 4 } } }],
  [{ key: "audit.table", value: { ...TABLE, columns: [] } }],
  [{ key: "audit.table", value: { ...TABLE, columns: ["not a name"] } }],
  [{ key: "audit.table", value: { ...TABLE, surprise: "x".repeat(10_000) } }],
  [{ key: "audit.table", value: { ...TABLE, density: "airy" } }],
  [{ key: "audit.table", value: { ...TABLE, fold: "sometimes" } }],
])("rejects %j as a preference", (input) => {
  expect(setInput.safeParse(input).success).toBe(false);
});
