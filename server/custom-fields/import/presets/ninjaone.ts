import { cleanText, type Preset } from "./preset";

/** NinjaOne: device fields by name in an object called fields. */
export const ninjaOne: Preset = {
  id: "ninjaone",
  sourceNames: ["ninjaone", "ninja", "ninjarmm"],
  label: "NinjaOne",
  hint: "Export the device list with custom fields as CSV, or save /v2/queries/custom-fields of its API as JSON.",
  aliases: {
    sourceId: ["Device ID", "Node ID", "Id"],
    hostname: ["System Name", "DNS Name", "Device Name", "Display Name", "Name"],
    organization: ["Organization Name", "Client"],
    serial: ["BIOS Serial Number"],
  },
  fieldColumn: ["Custom Field", "Field", "Field Name"],
  valueColumn: ["Value", "Field Value"],
  nested: ["fields"],
  ignored: [
    "Organization ID",
    "Location",
    "Location ID",
    "Location Name",
    "Role",
    "Device Role",
    "Node Class",
    "Approval Status",
    "Last Contact",
    "Last Login",
    "Offline",
    "Created",
    "Last Update",
  ],
  dateOrder: "mdy",
  cleanCell: cleanText,
};
