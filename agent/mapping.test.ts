import { describe, expect, it } from "vitest";
import {
  syslogCategory,
  syslogLevel,
  textLevel,
  toStoredLevel,
  unifiedLogCategory,
  unifiedLogLevel,
  windowsCategory,
  windowsLevel,
} from "./mapping";

describe("levels", () => {
  it("maps syslog severities", () => {
    const levels = [0, 1, 2, 3, 4, 5, 6, 7].map(syslogLevel);
    expect(levels).toEqual([
      "critical",
      "critical",
      "critical",
      "error",
      "warning",
      "information",
      "information",
      "verbose",
    ]);
    expect(levels.map(toStoredLevel)).toEqual([
      "critical",
      "critical",
      "critical",
      "error",
      "warning",
      "info",
      "info",
      "info",
    ]);
  });

  it("maps Windows levels", () => {
    const levels = [0, 1, 2, 3, 4, 5].map((level) => windowsLevel("System", level, 0n));
    expect(levels).toEqual(["information", "critical", "error", "warning", "information", "verbose"]);
  });

  it("reads audit failures from keywords of the Security channel, ignoring the level", () => {
    expect(windowsLevel("Security", 0, 0x8010000000000000n)).toBe("warning");
    expect(windowsLevel("Security", 4, 0x8020000000000000n)).toBe("information");
  });

  it("maps the macOS message types", () => {
    expect(["Fault", "Error", "Default", "Info", "Debug"].map(unifiedLogLevel)).toEqual([
      "critical",
      "error",
      "information",
      "information",
      "verbose",
    ]);
  });

  it("infers severity from plain text only if a word names one", () => {
    expect(textLevel("EXT4 error: bad block")).toBe("error");
    expect(textLevel("Failed password for root from 10.0.0.1")).toBe("warning");
    expect(textLevel("installed error-handler 1.0")).toBe("information");
    expect(textLevel("Kernel panic - not syncing")).toBe("critical");
  });
});

describe("categories", () => {
  const origin = { facility: null, isKernel: false, program: "nginx", message: "" };

  it("follows facility, kernel and systemd on Linux", () => {
    expect(syslogCategory({ ...origin, facility: 4 })).toBe("security");
    expect(syslogCategory({ ...origin, facility: 10, program: "systemd-logind" })).toBe("security");
    expect(syslogCategory({ ...origin, facility: 0, message: "Out of memory" })).toBe("system");
    expect(syslogCategory({ ...origin, facility: 3, program: "systemd" })).toBe("system");
    expect(syslogCategory({ ...origin, facility: 3 })).toBe("application");
  });

  it("classifies kernel messages about disks, heat, machine checks and USB as hardware", () => {
    for (const message of [
      "usb 1-1: new high-speed USB device",
      "blk_update_request: I/O error, dev sda",
      "mce: [Hardware Error]: CPU 1",
      "CPU0: Core temperature above threshold",
      "nvme0: controller is down",
    ])
      expect(syslogCategory({ ...origin, isKernel: true, message })).toBe("hardware");
  });

  it("follows channel and provider on Windows", () => {
    expect(windowsCategory("Security", "Microsoft-Windows-Security-Auditing")).toBe("security");
    expect(windowsCategory("System", "Service Control Manager")).toBe("system");
    expect(windowsCategory("System", "Microsoft-Windows-Kernel-Power")).toBe("hardware");
    expect(windowsCategory("System", "Microsoft-Windows-WHEA-Logger")).toBe("hardware");
    expect(windowsCategory("System", "disk")).toBe("hardware");
    expect(windowsCategory("Application", "disk")).toBe("application");
    expect(windowsCategory("OpenSSH/Operational", "OpenSSH")).toBe("application");
  });

  it("follows subsystem and process on macOS", () => {
    expect(unifiedLogCategory("com.apple.securityd", "securityd", "")).toBe("security");
    expect(unifiedLogCategory("com.apple.opendirectoryd", "opendirectoryd", "")).toBe("security");
    expect(unifiedLogCategory("", "kernel", "USB device attached")).toBe("hardware");
    expect(unifiedLogCategory("", "kernel", "process exited")).toBe("system");
    expect(unifiedLogCategory("com.example.app", "App", "")).toBe("application");
  });
});
