import { cleanText, type Preset } from "./preset";

/** Kaseya VSA: a list of CustomFields, each with FieldName and FieldValue. */
export const kaseyaVsa: Preset = {
  id: "kaseya_vsa",
  sourceNames: ["kaseya_vsa", "kaseya vsa", "kaseya", "vsa"],
  label: "Kaseya VSA",
  hint: "Export the agents with their custom fields as CSV, or save /assetmgmt/assets with CustomFields of its API as JSON.",
  aliases: {
    sourceId: ["Agent ID", "Agent Guid", "Machine GUID", "Asset ID"],
    hostname: ["Computer Name", "Machine Name", "Asset Name", "Display Name"],
    organization: ["Org Name", "Organization Name", "Org ID"],
    serial: ["System Serial Number", "Chassis Serial Number"],
  },
  fieldColumn: ["Field Name", "Custom Field", "Custom Field Name"],
  valueColumn: ["Field Value", "Value"],
  nested: [],
  ignored: [
    "Machine Group",
    "Machine Group ID",
    "Machine ID",
    "Agent Name",
    "Last Check In",
    "Last Reboot",
    "IP Address",
    "MAC Address",
    "Online",
  ],
  dateOrder: "mdy",
  cleanCell: cleanText,
};
