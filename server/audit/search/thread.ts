import { once } from "node:events";
import { startThread } from "@/server/ground/background/threads";

/** Message to the thread: index the next rows of a chain, or with a span check it for damage. */
export type IndexTask = { orgId: string; span?: { first: number; last: number } };

/** Message from the thread: result of indexChain() or findDamage(), or the failure. */
export type IndexAnswer = { found: number | null } | { damaged: number[] } | { failed: string };

/** Memory of a thread: it holds the words of the segments being merged. */
const HEAP = { maxHeapMb: 256, youngHeapMb: 6 };

/** A thread that builds segments, for one caller at a time. */
export class IndexThread {
  readonly #worker = startThread({ name: "index-thread", task: null, ...HEAP });
  readonly #ended = new AbortController();

  constructor() {
    this.#worker.once("exit", () => this.#ended.abort(new Error("the indexing thread ended")));
  }

  /** @throws Error if the thread fails or ends first */
  async #ask(task: IndexTask): Promise<IndexAnswer> {
    this.#worker.postMessage(task);
    const [answer]: IndexAnswer[] = await once(this.#worker, "message", { signal: this.#ended.signal });
    if (!answer || "failed" in answer) throw new Error(answer?.failed);
    return answer;
  }

  /** One step of the indexer in a chain, as indexChain(). */
  async index(orgId: string): Promise<number | null> {
    const answer = await this.#ask({ orgId });
    return "found" in answer ? answer.found : null;
  }

  /** The damaged segments of a chain, as findDamage(). */
  async findDamage(orgId: string, span: { first: number; last: number }): Promise<number[]> {
    const answer = await this.#ask({ orgId, span });
    return "damaged" in answer ? answer.damaged : [];
  }

  /** Ends the thread and its connections at once. */
  stop = (): Promise<number> => this.#worker.terminate();
}
