import { cleanText, type Preset } from "./preset";

/** Datto RMM: 30 user-defined fields per device, udf1 to udf30, null if blank. */
export const dattoRmm: Preset = {
  id: "datto_rmm",
  sourceNames: ["datto_rmm", "datto rmm", "datto", "centrastage", "autotask endpoint management"],
  label: "Datto RMM",
  hint: "Export the device list with its user-defined fields (UDF) as CSV, or save /v2/account/devices of its API as JSON.",
  aliases: {
    sourceId: ["Device UID", "UID", "Device ID", "Id"],
    hostname: ["Device Hostname", "Device Name", "Description"],
    organization: ["Site Name", "Site"],
    serial: ["Device Serial Number", "Service Tag"],
  },
  fieldColumn: ["UDF", "Field", "Field Name"],
  valueColumn: ["Value", "UDF Value"],
  nested: ["udf"],
  ignored: [
    "Site ID",
    "Site UID",
    "Device Type",
    "Int IP Address",
    "Ext IP Address",
    "Last Seen",
    "Last Reboot",
    "Last Audit Date",
    "Creation Date",
    "Online",
    "Suspended",
    "Deleted",
    "Domain",
    "Portal URL",
    "Web Remote URL",
  ],
  dateOrder: "mdy",
  cleanCell: cleanText,
};
