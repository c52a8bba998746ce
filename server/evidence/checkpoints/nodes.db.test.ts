import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { asSystem, type Tx } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { decompose, TreeFold } from "@/server/evidence/tree/tree";
import { auditRows, chainOf, roles } from "@/testing/chain";
import { leafOf } from "./hashing";
import { readNodes } from "./nodes";
import { signCheckpoint } from "./sign";

const SIZE = 700;
const orgId = randomUUID();
let leaves: Uint8Array[];
beforeAll(async () => {
  await appendAudit(roles.app, auditRows(orgId, 300));
  await appendAudit(roles.app, auditRows(orgId, SIZE - 300));
  await signCheckpoint(orgId);
  leaves = (await chainOf(orgId)).map(({ checksum }) => leafOf(checksum ?? ""));
});

function rootBetween(begin: number, end: number): Buffer {
  const fold = new TreeFold(sha256);
  for (const leaf of leaves.slice(begin, end)) fold.push(0, leaf);
  return Buffer.from(fold.root());
}

/** The transaction with a count of the statements that it sends. */
const counted = (tx: Tx, count: { statements: number }): Tx =>
  new Proxy(tx, {
    get(target, name, receiver) {
      if (name === "execute") count.statements++;
      const value = Reflect.get(target, name, receiver);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });

describe("stored tree nodes", () => {
  it("are read for any range of leaves in at most five statements", async () => {
    for (const [begin, end] of [
      [0, SIZE],
      [1, SIZE - 1],
      [255, 257],
      [250, 690],
      [512, 700],
    ] as const) {
      const ids = decompose(begin, end);
      const count = { statements: 0 };
      const node = await asSystem((tx) => readNodes(counted(tx, count), { orgId, size: SIZE, ids }));
      for (const id of ids) {
        const [first, width] = [id.index * 2 ** id.height, 2 ** id.height];
        expect(Buffer.from(node(id))).toEqual(rootBetween(first, first + width));
      }
      expect(count.statements).toBeLessThanOrEqual(5);
    }
  });

  it("are refused outside the tree and when they were not requested", async () => {
    const outside = asSystem((tx) => readNodes(tx, { orgId, size: SIZE, ids: [{ height: 8, index: 2 }] }));
    await expect(outside).rejects.toThrow("node 8/2 is not in a tree of 700");
    const node = await asSystem((tx) => readNodes(tx, { orgId, size: SIZE, ids: [{ height: 0, index: 1 }] }));
    expect(() => node({ height: 0, index: 2 })).toThrow("was not read");
  });
});
