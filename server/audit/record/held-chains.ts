import type { AuditInsert } from "@/server/audit/row";
import { AppError } from "@/server/ground/errors";
import type { QueuedEvent } from "./batch-writer";

/** Held events that no disk takes wait in memory, up to so many. */
const MAX_IN_MEMORY = 20_000;

/** One of them is tried now and then; once it is stored the chain can be continued. */
type HeldChain = { probe: AuditInsert; events: number; inMemory: QueuedEvent[] };

/** The answer to a caller whose events wait for the repair of a chain. */
export const chainDamaged = () =>
  new AppError(
    "unavailable",
    "The audit chain of this organization is damaged and takes no entry until it is repaired. These events are kept and stored then; do not send them again.",
    { headers: { "Retry-After": "60" } },
  );

/** The chains that the database cannot continue, and what waits for each of them. */
export class HeldChains {
  readonly #chains = new Map<string, HeldChain>();

  get size(): number {
    return this.#chains.size;
  }

  get events(): number {
    let sum = 0;
    for (const { events } of this.#chains.values()) sum += events;
    return sum;
  }

  has(orgId: string): boolean {
    return this.#chains.has(orgId);
  }

  /** So many events of it more; `probe` is one of them. */
  add(orgId: string, probe: AuditInsert, count: number): void {
    const known = this.#chains.get(orgId);
    if (known) known.events += count;
    else this.#chains.set(orgId, { probe, events: count, inMemory: [] });
  }

  /** @returns false when memory is full as well */
  keepInMemory(event: QueuedEvent): boolean {
    const chain = this.#chains.get(event.row.orgId);
    if (!chain || chain.inMemory.length >= MAX_IN_MEMORY) return false;
    chain.inMemory.push(event);
    return true;
  }

  /** An event of each chain, to be tried. */
  probes(): AuditInsert[] {
    return [...this.#chains.values()].map(({ probe }) => probe);
  }

  /** The chain can be continued. @returns what waited in memory */
  release(orgId: string): QueuedEvent[] {
    const waited = this.#chains.get(orgId)?.inMemory ?? [];
    this.#chains.delete(orgId);
    return waited;
  }
}
