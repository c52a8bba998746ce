import { appendFile, copyFile, rename, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { tempFolder } from "@/testing/temp-folder";
import { FileProvider } from "./files";
import { BACKLOG_RECORDS } from "./provider";

const line = (n: number) => `2026-05-01T10:00:00.000Z web01 app[7]: message ${n}\n`;
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => line(from + i)).join("");

describe("FileProvider", () => {
  let path: string;
  let provider: FileProvider;
  let watermark: string | undefined;
  let ids: string[];
  let warnings: string[];

  beforeEach(async () => {
    path = join(tempFolder(), "app.log");
    provider = new FileProvider({ path, program: "app" });
    watermark = undefined;
    ids = [];
    warnings = [];
  });

  /** Reads to the end and returns the numbers of the messages. */
  async function drain(max = 500): Promise<number[]> {
    const seen: number[] = [];
    for (let more = true; more; ) {
      const reading = await provider.read(watermark, max);
      watermark = reading.watermark;
      more = reading.more;
      seen.push(...reading.records.map((r) => Number(r.message.split(" ")[1])));
      ids.push(...reading.records.map((r) => r.occurrenceId));
      if (reading.warning) warnings.push(reading.warning);
    }
    return seen;
  }

  const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
  const at = (name: string, day: number) => utimes(name, day * 86_400, day * 86_400);

  /** Writes the log's lines on a day. */
  async function write(text: string, day: number): Promise<void> {
    await appendFile(path, text);
    await at(path, day);
  }

  it("waits for a missing or empty file", async () => {
    expect(await drain()).toEqual([]);
    await writeFile(path, "");
    expect(await drain()).toEqual([]);
    await writeFile(path, line(0));
    expect(await drain()).toEqual([0]);
  });

  it("starts with the newest lines of a long file, then follows it", async () => {
    await writeFile(path, lines(0, 3000));
    const first = await drain();
    expect(first).toHaveLength(BACKLOG_RECORDS);
    expect(first[0]).toBe(2000);
    await appendFile(path, lines(3000, 3005));
    expect(await drain()).toEqual([3000, 3001, 3002, 3003, 3004]);
    expect(new Set(ids).size).toBe(BACKLOG_RECORDS + 5);
  });

  it("waits until a line is complete", async () => {
    await writeFile(path, `${line(0)}2026-05-01T10:00:00Z web01 app: message`);
    expect(await drain()).toEqual([0]);
    await appendFile(path, " 1\n");
    expect(await drain()).toEqual([1]);
  });

  it("finishes a renamed file before following the new one", async () => {
    await writeFile(path, lines(0, 10));
    await drain();
    await appendFile(path, lines(10, 700));
    await rename(path, `${path}.1`);
    await writeFile(path, lines(700, 710));
    expect(await drain(100)).toEqual(Array.from({ length: 700 }, (_, i) => i + 10));
    expect(new Set(ids).size).toBe(710);
  });

  it("finishes a file that was copied and truncated", async () => {
    await writeFile(path, lines(0, 10));
    await drain();
    await appendFile(path, lines(10, 20));
    await copyFile(path, `${path}.1`);
    await truncate(path);
    await appendFile(path, lines(20, 25));
    expect(await drain()).toEqual(Array.from({ length: 15 }, (_, i) => i + 10));
    expect(new Set(ids).size).toBe(25);
  });

  it("reads all files rotated during an outage, oldest first", async () => {
    await write(lines(0, 10), 1);
    await drain();
    await write(lines(10, 20), 2);
    await rename(path, `${path}.3`);
    await write(lines(20, 30), 3);
    await rename(path, `${path}-20260103`);
    await write(lines(30, 40), 4);
    await rename(path, `${path}.1`);
    await write(lines(40, 50), 5);
    expect(await drain(7)).toEqual(numbers(10, 50));
    expect([new Set(ids).size, warnings]).toEqual([50, []]);
  });

  it("reads all copies made during an outage, oldest first", async () => {
    await write(lines(0, 10), 1);
    await drain();
    for (const day of [2, 3]) {
      await write(lines(day * 10, day * 10 + 5), day);
      await rename(`${path}.1`, `${path}.2`).catch(() => {});
      await copyFile(path, `${path}.1`);
      await at(`${path}.1`, day);
      await truncate(path);
    }
    await write(lines(40, 45), 4);
    expect(await drain()).toEqual([...numbers(20, 25), ...numbers(30, 35), ...numbers(40, 45)]);
    expect([new Set(ids).size, warnings]).toEqual([25, []]);
  });

  it("warns that lines may be missing if the last file was compressed", async () => {
    await writeFile(`${path}.1`, lines(100, 110));
    await at(`${path}.1`, 1);
    await write(lines(0, 10), 2);
    await drain();
    await rename(`${path}.1`, `${path}.3`);
    await rename(path, `${path}.2.gz`);
    await write(lines(20, 30), 3);
    await rename(path, `${path}.1`);
    expect(await drain()).toEqual([]);
    await write(lines(30, 40), 4);
    expect(await drain()).toEqual(numbers(20, 40));
    expect(warnings).toEqual([expect.stringMatching(/may be missing/)]);
    expect(await drain()).toEqual([]);
    expect(warnings).toHaveLength(1);
  });

  it("reads no unrelated or older files in the folder", async () => {
    await writeFile(`${path}.1`, lines(100, 110));
    await at(`${path}.1`, 1);
    await write(lines(0, 10), 2);
    await drain();
    await rename(path, `${path}.2`);
    for (const other of [`${path}.bak`, `${path}.offset`, `${path}-old`]) await writeFile(other, lines(200, 210));
    await write(lines(10, 20), 3);
    expect(await drain()).toEqual(numbers(10, 20));
    await rm(path);
    await write(lines(20, 30), 4);
    expect(await drain()).toEqual(numbers(20, 30));
    expect(warnings).toHaveLength(1);
  });

  it("gives lines of a truncated file new IDs even if its first line repeats", async () => {
    await writeFile(path, lines(0, 5));
    await drain();
    await truncate(path);
    await appendFile(path, lines(0, 2));
    expect(await drain()).toEqual([0, 1]);
    expect(new Set(ids).size).toBe(7);
  });

  it("gives a line the same ID every time", async () => {
    await writeFile(path, lines(0, 5));
    await drain();
    watermark = undefined;
    await drain();
    expect(new Set(ids).size).toBe(5);
  });

  it("cuts an endless line and continues after it", async () => {
    await writeFile(path, `${line(0)}${"x".repeat(600_000)}\n${line(1)}`);
    const seen = await drain();
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(1);
  });

  it("fills in category, level and origin", async () => {
    await writeFile(path, "May  1 10:00:00 web01 sshd[812]: Failed password for root from 192.0.2.1 port 22\n");
    const auth = new FileProvider({ path, program: "auth", facility: 10 });
    const { records } = await auth.read(undefined, 10);
    expect(records).toMatchObject([
      { source: "sshd", category: "security", level: "warning", computer: "web01", details: { pid: 812 } },
    ]);
  });
});
