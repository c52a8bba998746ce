import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { type FuzzRequest, requestsFor } from "@/testing/api/fuzz";
import { createProbeWorld, described, hints, probe, shown } from "@/testing/api/probe";

/** The whole of it must end within 15 s on a busy machine; a longer run is `npm run torture -- F1`. */
const BUDGET_MS = 5_000;
const ROUNDS = 20;
const AT_ONCE = 4;

beforeAll(createProbeWorld);

describe("random input to every REST operation", () => {
  it("gets a documented response and no server error", async () => {
    const ends = Date.now() + BUDGET_MS;
    const seed = Date.now() & 0x7fffffff;
    const queue = described.map((operation) => ({
      operation,
      requests: fc.sample(requestsFor(operation, hints), { numRuns: ROUNDS, seed }),
    }));
    const wrong = new Map<string, string>();
    const statuses = new Map<number, number>();
    let tried = 0;
    for (let round = 0; round < ROUNDS && (round < 2 || Date.now() < ends); round++) {
      const turn = [...queue];
      const worker = async () => {
        for (let next = turn.pop(); next; next = turn.pop()) {
          const { operation, requests } = next;
          const request = requests[round] as FuzzRequest;
          const { fault, status } = await probe(operation, request);
          tried++;
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (fault)
            wrong.set(`${operation.method} ${operation.path}: ${fault.slice(0, 60)}`, `${fault} <- ${shown(request)}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    }
    expect([...wrong].map(([where, what]) => `${where} | ${what} (seed ${seed})`)).toEqual([]);
    expect(tried).toBeGreaterThan(described.length);
    expect(statuses.get(200), "some requests must be right").toBeGreaterThan(0);
  });
});
