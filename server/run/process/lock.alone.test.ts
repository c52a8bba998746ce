import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { processName } from "@/server/ground/process-name";
import { lockFolder } from "./data-folder";
import { completePlaces } from "./prepare";

let dir: string;
const lock = () => join(dir, "server.lock");
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "trailmark-lock-"));
});

it("refuses a folder in use in a sentence, and takes it when it is free", async () => {
  const unlock = await lockFolder(dir);
  const refused = lockFolder(dir, 0);
  await expect(refused).rejects.toThrow(`Another server (process ${process.pid}) uses the data folder ${dir}.`);
  await expect(refused).rejects.toMatchObject({ expected: true });
  unlock();
  expect(existsSync(lock())).toBe(false);
  (await lockFolder(dir, 0))();
});

it("names the variable of a folder that cannot be", () => {
  const file = join(dir, "file");
  writeFileSync(file, "");
  vi.stubEnv("TRAILMARK_DATA_DIR", join(file, "data"));
  expect(completePlaces).toThrow("- TRAILMARK_DATA_DIR: ");
  vi.unstubAllEnvs();
});

it("waits for a server that is on its way out", async () => {
  const unlock = await lockFolder(dir);
  const waiting = lockFolder(dir, 60_000);
  setTimeout(unlock, 150);
  (await waiting)();
});

it("takes over from a process that is dead, whose number may be another's today, or of another host", async () => {
  const child = spawn(process.execPath, ["-e", ""]);
  await once(child, "exit");
  const [host, , start] = processName().split("-");
  for (const holder of [`${host}-${child.pid}-${start}`, `${host}-1-12345678901`, `0123456789-${process.pid}-1`]) {
    writeFileSync(lock(), `${holder}\n`);
    const unlock = await lockFolder(dir, 60_000);
    expect(readFileSync(lock(), "utf8").trim()).toBe(processName());
    unlock();
  }
});

it("takes over a lock that names no one, as a machine leaves it that loses its power meanwhile", async () => {
  writeFileSync(lock(), "");
  const unlock = await lockFolder(dir, 300);
  expect(readFileSync(lock(), "utf8").trim()).toBe(processName());
  unlock();
});

it("gives one of many the folder of a dead server", async () => {
  writeFileSync(lock(), "0123456789-1-1\n");
  const taken = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(dir, 500)));
  expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

it.runIf(process.platform === "linux")(
  "says in a sentence, by its variable, where and by whom nothing can be written",
  async () => {
    // Rights would not stop root, who may run this; no files can be created there.
    const message = expect.stringMatching(
      /^TRAILMARK_DATA_DIR: the data folder \/sys cannot be written \(E(ACCES|PERM|ROFS)\)/,
    );
    await expect(lockFolder("/sys")).rejects.toMatchObject({ expected: true, message });
  },
);

it("leaves a lock that is another's", async () => {
  const unlock = await lockFolder(dir);
  writeFileSync(lock(), "0123456789-1-1\n");
  unlock();
  expect(existsSync(lock())).toBe(true);
});
