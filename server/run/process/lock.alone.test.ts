import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { processName } from "@/server/ground/process-name";
import { tempFolder } from "@/testing/temp-folder";
import { lockFolder } from "./data-folder";
import { completePlaces } from "./prepare";

let dir: string;
const lock = () => join(dir, "server.lock");
beforeEach(() => {
  dir = tempFolder();
});

it("rejects a folder in use with a message, and locks it when free", async () => {
  const unlock = await lockFolder(dir);
  const refused = lockFolder(dir, 0);
  await expect(refused).rejects.toThrow(`Another server (process ${process.pid}) uses the data folder ${dir}.`);
  await expect(refused).rejects.toMatchObject({ expected: true });
  unlock();
  expect(existsSync(lock())).toBe(false);
  (await lockFolder(dir, 0))();
});

it("names the variable of an impossible folder", () => {
  const file = join(dir, "file");
  writeFileSync(file, "");
  vi.stubEnv("TRAILMARK_DATA_DIR", join(file, "data"));
  expect(completePlaces).toThrow("- TRAILMARK_DATA_DIR: ");
  vi.unstubAllEnvs();
});

it("waits for a server that is shutting down", async () => {
  const unlock = await lockFolder(dir);
  const waiting = lockFolder(dir, 60_000);
  setTimeout(unlock, 150);
  (await waiting)();
});

it("takes over from a dead process, a reused process ID or another host", async () => {
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

it("takes over an empty lock file left by a power failure", async () => {
  writeFileSync(lock(), "");
  const unlock = await lockFolder(dir, 300);
  expect(readFileSync(lock(), "utf8").trim()).toBe(processName());
  unlock();
});

it("gives a dead server's folder to only one of many processes", async () => {
  writeFileSync(lock(), "0123456789-1-1\n");
  const taken = await Promise.allSettled(Array.from({ length: 20 }, () => lockFolder(dir, 500)));
  expect(taken.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

it.runIf(process.platform === "linux")("names the variable, folder and user when it cannot write", async () => {
  // Rights would not stop root, who may run this; no files can be created there.
  const message = expect.stringMatching(
    /^TRAILMARK_DATA_DIR: the data folder \/sys cannot be written \(E(ACCES|PERM|ROFS)\)/,
  );
  await expect(lockFolder("/sys")).rejects.toMatchObject({ expected: true, message });
});

it("leaves another process's lock alone", async () => {
  const unlock = await lockFolder(dir);
  writeFileSync(lock(), "0123456789-1-1\n");
  unlock();
  expect(existsSync(lock())).toBe(true);
});
