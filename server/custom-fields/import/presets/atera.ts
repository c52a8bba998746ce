import { cleanText, type Preset } from "./preset";

/** Atera: custom values with FieldName and ValueAsString; 0001-01-01 means no date. */
export const atera: Preset = {
  id: "atera",
  sourceNames: ["atera"],
  label: "Atera",
  hint: "Export the devices report with custom fields as CSV, or save the agents and custom values of its API as JSON.",
  aliases: {
    sourceId: ["Agent ID", "Device ID", "Device Guid"],
    hostname: ["Machine Name", "Agent Name", "Device Name", "System Name"],
    organization: ["Customer", "Customer Name"],
    serial: ["Vendor Serial Number", "Service Tag"],
  },
  fieldColumn: ["Field Name", "Custom Field"],
  valueColumn: ["Value", "Value As String"],
  nested: [],
  ignored: [
    "Customer ID",
    "Folder ID",
    "Machine ID",
    "Monitored",
    "Online",
    "Last Seen",
    "Created",
    "Modified",
    "Last Reboot Time",
    "Last Logged On User",
    "App View Url",
  ],
  dateOrder: "mdy",
  cleanCell: cleanText,
};
