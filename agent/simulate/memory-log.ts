import { windowsCategory, windowsLevel } from "@/agent/mapping";
import { windowsOccurrence } from "@/agent/occurrence-id";
import type { Filters, LogProvider, LogRecord, Page, Reading } from "@/agent/providers/provider";
import { toEntry } from "@/agent/providers/provider";
import { matches } from "@/agent/providers/query";
import type { Descriptor, Entry } from "@/server/devices/live/schema";
import { itemAt } from "./item-at";

type Card = { provider: string; id: number; level: number; keywords?: bigint; message: string };

const AUDIT_SUCCESS = 0x8020000000000000n;
const AUDIT_FAILURE = 0x8010000000000000n;

/** Events of an ordinary machine, most frequent first; each channel draws from its own. */
const DECKS: Record<string, Card[]> = {
  System: [
    {
      provider: "Service Control Manager",
      id: 7036,
      level: 4,
      message: "The Windows Update service entered the running state.",
    },
    {
      provider: "Service Control Manager",
      id: 7036,
      level: 4,
      message: "The Background Intelligent Transfer Service service entered the stopped state.",
    },
    {
      provider: "Microsoft-Windows-DNS-Client",
      id: 1014,
      level: 3,
      message:
        "Name resolution for the name wpad.contoso.local timed out after none of the configured DNS servers responded.",
    },
    {
      provider: "disk",
      id: 153,
      level: 3,
      message: "The IO operation at logical block address 0x2a41f80 for Disk 0 was retried.",
    },
    {
      provider: "Microsoft-Windows-Kernel-Power",
      id: 41,
      level: 1,
      message: "The system has rebooted without cleanly shutting down first.",
    },
  ],
  Application: [
    {
      provider: "MsiInstaller",
      id: 1033,
      level: 4,
      message:
        "Windows Installer installed the product. Product Name: 7-Zip 24.08 (x64). Installation success or error status: 0.",
    },
    {
      provider: "Microsoft-Windows-Security-SPP",
      id: 16384,
      level: 4,
      message: "Successfully scheduled Software Protection service for re-start.",
    },
    {
      provider: "Application Error",
      id: 1000,
      level: 2,
      message: "Faulting application name: OUTLOOK.EXE, version: 16.0.17928.20114, exception code: 0xc0000005.",
    },
    { provider: "VSS", id: 8224, level: 4, message: "The VSS service is shutting down due to idle timeout." },
  ],
  Security: [
    {
      provider: "Microsoft-Windows-Security-Auditing",
      id: 4624,
      level: 0,
      keywords: AUDIT_SUCCESS,
      message: "An account was successfully logged on.",
    },
    {
      provider: "Microsoft-Windows-Security-Auditing",
      id: 4672,
      level: 0,
      keywords: AUDIT_SUCCESS,
      message: "Special privileges assigned to new logon.",
    },
    {
      provider: "Microsoft-Windows-Security-Auditing",
      id: 4625,
      level: 0,
      keywords: AUDIT_FAILURE,
      message: "An account failed to log on.",
    },
  ],
};

export const CHANNELS = Object.keys(DECKS);
/** Like a channel with a maximum size: the oldest go. */
const MAX_RECORDS = 500;
const BYTES_PER_RECORD = 700;
const FIRST_GAP_MS = 90_000;

/** past: how many records it begins with. */
type Options = { name: string; computer: string; random: () => number; past?: number };

/** A channel of a machine that is not there: it has a past when it is made, and something happens when a test says so. */
export class MemoryLog implements LogProvider {
  readonly name: string;
  private readonly computer: string;
  private readonly random: () => number;
  private records: LogRecord[] = [];
  private lastId = 0;

  constructor({ name, computer, random, past = 200 }: Options) {
    this.name = name;
    this.computer = computer;
    this.random = random;
    const now = Date.now();
    for (let n = past; n > 0; n--) this.happen(new Date(now - n * FIRST_GAP_MS));
  }

  /** One more event. @returns it, to be shipped. */
  happen(time = new Date()): LogRecord {
    // Squaring draws the first, ordinary ones more often.
    const deck = DECKS[this.name] ?? [];
    const card = itemAt(deck, this.random() ** 2 * deck.length);
    const recordId = ++this.lastId;
    const record: LogRecord = {
      logName: this.name,
      recordId,
      occurrenceId: windowsOccurrence(this.name, String(recordId), time.toISOString()),
      time,
      level: windowsLevel(this.name, card.level, card.keywords ?? 0n),
      category: windowsCategory(this.name, card.provider),
      source: card.provider,
      eventNumber: card.id,
      message: card.message,
      computer: this.computer,
      user: null,
      details: { simulated: true },
    };
    this.records.push(record);
    if (this.records.length > MAX_RECORDS) this.records.shift();
    return record;
  }

  async read(since: string | undefined, max: number): Promise<Reading> {
    const after = this.records.filter((record) => record.recordId > Number(since ?? 0));
    const records = after.slice(0, max);
    return { records, watermark: String(records.at(-1)?.recordId ?? since ?? ""), more: after.length > max };
  }

  async describe(): Promise<Descriptor> {
    return {
      name: this.name,
      displayName: this.name,
      recordCount: this.records.length,
      maxSize: MAX_RECORDS * BYTES_PER_RECORD,
      retentionDays: 0,
      lastWriteTime: this.records.at(-1)?.time.toISOString() ?? "",
    };
  }

  async query(filters: Filters): Promise<Page> {
    const found = this.records.filter((record) => matches(record, filters)).reverse();
    const first = (filters.page - 1) * filters.limit;
    return { events: found.slice(first, first + filters.limit).map(toEntry), total: found.length };
  }

  async get(recordId: number): Promise<Entry | undefined> {
    const found = this.records.find((record) => record.recordId === recordId);
    return found && toEntry(found);
  }
}
