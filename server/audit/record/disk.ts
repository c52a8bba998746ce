import type { AuditInsert } from "@/server/audit/row";
import { log } from "@/server/ground/log";
import { encodeFrame, type Segment } from "./segment";
import { Spool } from "./spool";

/** The recorder's spool, which may fail to open or refuse events; until it recovers, events are only in memory. */
export class Disk {
  spool: Spool | null = null;
  private root: string | null = null;
  private failures = 0;
  private loggedFault = "";

  /** Opens the spool now or at a later heartbeat, and adopts what dead processes left. */
  open(root: string): void {
    this.root = root;
    if (this.spool) return;
    try {
      this.spool = new Spool(root);
    } catch (error) {
      log.error({ err: error }, "the audit spool cannot be opened; events are kept in memory alone");
    }
  }

  close(): void {
    this.spool?.close();
    this.spool = null;
    this.root = null;
  }

  heartbeat(): void {
    if (this.root) this.open(this.root);
    this.logFault();
    this.spool?.heartbeat();
  }

  /** @returns the segment; null if no disk takes the events */
  append(rows: AuditInsert[], how: "cold" | "deferred" | "late"): Segment | null {
    const text = rows.map(encodeFrame).join("");
    const isDeferred = how === "deferred";
    const segment = isDeferred
      ? this.spool?.appendDeferred(text, rows.length)
      : this.spool?.append(text, rows.length, how === "cold");
    if (this.spool && !segment) this.failures += 1;
    return segment ?? null;
  }

  /** @returns whether everything spooled so far survives a power loss */
  async sync(): Promise<boolean> {
    try {
      await this.spool?.sync();
      return this.spool !== null;
    } catch {
      this.failures += 1;
      return false;
    }
  }

  stats() {
    return {
      spoolFailures: this.failures + (this.spool?.failedWrites ?? 0),
      spoolFault: this.fault,
      spoolTakesEvents: this.fault === "" && this.spool?.hasRoom === true,
      spoolOpen: this.spool !== null,
      spoolBytes: this.spool?.bytes ?? 0,
      spoolFiles: this.spool?.files ?? 0,
      damaged: this.spool?.damaged ?? 0,
    };
  }

  /** Reason that the disk refuses events now; "" if it accepts them. */
  private get fault(): string {
    return this.spool?.fault ?? (this.root ? "cannot be opened" : "");
  }

  /** Logs the start and end of a fault, not every event. */
  private logFault(): void {
    if (this.fault === this.loggedFault) return;
    this.loggedFault = this.fault;
    const dir = this.root;
    if (this.loggedFault)
      log.error(
        { dir, reason: this.loggedFault },
        "the disk takes no audit events; they are kept in memory alone until the database has them",
      );
    else log.info({ dir }, "the disk takes audit events again");
  }
}
