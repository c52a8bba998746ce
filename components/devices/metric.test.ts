import { expect, test } from "vitest";
import { metricName, metricValue } from "./metric";

test.each([
  ["cpuPercent", 13, "CPU", "13 %"],
  ["diskFreeGb", 1314, "Disk free", "1,314 GB"],
  ["memory_free_bytes", 8_200_000_000, "Memory free", "8.2 GB"],
  ["uptimeSeconds", 90, "Uptime", "90 s"],
  ["users", 3, "Users", "3"],
  ["kernel", "6.1", "Kernel", "6.1"],
])("%s is told in words", (name, value, label, told) => {
  expect([metricName(name), metricValue(name, value)]).toEqual([label, told]);
});
