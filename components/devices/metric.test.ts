import { expect, test } from "vitest";
import { metricName, metricValue } from "./overview";

test.for<[string, string | number, string, string]>([
  ["cpuPercent", 13, "CPU", "13 %"],
  ["diskFreeGb", 1314, "Disk free", "1,314 GB"],
  ["memory_free_bytes", 8_200_000_000, "Memory free", "8.2 GB"],
  ["uptimeSeconds", 42, "Uptime", "42 s"],
  ["uptimeSeconds", 1161, "Uptime", "19 min"],
  ["uptimeHours", 222, "Uptime", "9 days 6 h"],
  ["load1", 0.4, "Load (1 min)", "0.4"],
  ["load_15", 2, "Load (15 min)", "2"],
  ["users", 3, "Users", "3"],
  ["kernel", "6.1", "Kernel", "6.1"],
  ["constructor", 1, "Constructor", "1"],
])("displays %s as words", ([name, value, label, text]) => {
  expect([metricName(name), metricValue(name, value)]).toEqual([label, text]);
});
