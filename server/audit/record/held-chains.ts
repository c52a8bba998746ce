import type { AuditInsert } from "@/server/audit/row";
import { AppError } from "@/server/ground/errors";
import type { QueuedEvent } from "./batch-writer";

/** Limit of events in memory when no disk accepts them. */
const MAX_IN_MEMORY = 20_000;

/** A probe event is retried regularly; once it is stored, the chain can continue. */
type HeldChain = { probe: AuditInsert; events: number; inMemory: QueuedEvent[] };

/** Error for callers whose events wait for the repair of a chain. */
export const chainDamaged = () =>
  new AppError(
    "unavailable",
    "The audit chain of this organization is damaged and takes no entry until it is repaired. These events are kept and stored then; do not send them again.",
    { headers: { "Retry-After": "60" } },
  );

/** Chains that the database cannot continue, and their waiting events. */
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

  /** Adds `count` events; `probe` is one of them. */
  add(orgId: string, probe: AuditInsert, count: number): void {
    const known = this.#chains.get(orgId);
    if (known) known.events += count;
    else this.#chains.set(orgId, { probe, events: count, inMemory: [] });
  }

  /** @returns false if memory is full too */
  keepInMemory(event: QueuedEvent): boolean {
    const chain = this.#chains.get(event.row.orgId);
    if (!chain || chain.inMemory.length >= MAX_IN_MEMORY) return false;
    chain.inMemory.push(event);
    return true;
  }

  /** One event of each chain to retry. */
  probes(): AuditInsert[] {
    return [...this.#chains.values()].map(({ probe }) => probe);
  }

  /** Releases a chain that can continue. @returns its events in memory */
  release(orgId: string): QueuedEvent[] {
    const waited = this.#chains.get(orgId)?.inMemory ?? [];
    this.#chains.delete(orgId);
    return waited;
  }
}
